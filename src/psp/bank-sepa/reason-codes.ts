import { type DeclineCategory } from '../contract.js';

/**
 * ISO 20022 external code sets for status and return reasons, in our words. What is not listed is `declined`, after
 * which no other PSP is asked.
 */
const bankReasons = {
  source: 'https://www.iso20022.org/catalogue-messages/additional-content-messages/external-code-sets',
  version: '2026-11',
  categories: {
    AC01: 'account_invalid', // the number is wrong
    AC02: 'account_invalid',
    AC03: 'account_invalid',
    AC04: 'account_invalid', // closed
    AC05: 'account_invalid',
    AC06: 'blocked',
    AC07: 'account_invalid',
    AC13: 'not_supported', // no direct debits from this kind of account
    AG01: 'blocked', // transactions of this kind are forbidden on the account
    AG02: 'processing_error', // wrong bank operation code
    AG09: 'processing_error', // never received
    AG10: 'blocked',
    AG11: 'blocked',
    AM01: 'processing_error',
    AM02: 'limit_exceeded',
    AM03: 'not_supported', // currency
    AM04: 'insufficient_funds',
    AM07: 'blocked',
    AM09: 'processing_error',
    AM14: 'limit_exceeded',
    BE01: 'account_invalid', // the name is not that of the account
    BE04: 'processing_error',
    BE05: 'processing_error',
    BE06: 'account_invalid',
    CURR: 'not_supported',
    DNOR: 'not_supported',
    CNOR: 'not_supported',
    ED05: 'processing_error', // settlement failed
    FF01: 'processing_error',
    MD01: 'revoked', // no valid mandate
    MD02: 'processing_error',
    MD06: 'revoked', // the debtor asked for the money back
    MD07: 'blocked', // the account's owner has died
    MD16: 'revoked',
    MD17: 'revoked',
    MS02: 'do_not_honor', // refused by the customer at the other side
    MS03: 'do_not_honor', // refused by the bank, without a reason
    RC01: 'account_invalid', // BIC
    RR01: 'blocked', // regulatory
    RR02: 'blocked',
    RR03: 'blocked',
    RR04: 'blocked',
    SL01: 'blocked',
    TM01: 'processing_error', // after the cut-off
  } satisfies Readonly<Record<string, DeclineCategory>>,
};

/**
 * "We have had this before": said of a second copy, it proves nothing about the first. Only a person can find out.
 */
const DUPLICATES: ReadonlySet<string> = new Set(['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'DUPL']);

export function isDuplicateReason(code: string): boolean {
  return DUPLICATES.has(code);
}

export function categoryOf(code: string): DeclineCategory {
  const categories: Readonly<Record<string, DeclineCategory>> = bankReasons.categories;
  return Object.hasOwn(categories, code) ? categories[code]! : 'declined';
}
