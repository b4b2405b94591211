import { type DeclineCategory } from '../contract.js';

/**
 * GoCardless's causes of failed debits (`details.cause` of an event), in our words. Data, not logic: what is not listed is
 * `declined`, which no PSP is tried again for.
 */
const gocardlessCauses = {
  source: 'https://developer.gocardless.com/mandates/responding-to-mandate-events/',
  version: '2026-11',
  categories: {
    insufficient_funds: 'insufficient_funds',
    refer_to_payer: 'do_not_honor', // "commonly insufficient funds or a privacy obstruction"
    bank_account_closed: 'account_invalid',
    bank_account_transferred: 'account_invalid',
    invalid_bank_details: 'account_invalid',
    direct_debit_not_enabled: 'not_supported',
    mandate_cancelled: 'revoked',
    mandate_expired: 'revoked',
    authorisation_disputed: 'revoked',
    payer_deceased: 'account_invalid',
    customer_approval_denied: 'authentication_required',
  } satisfies Record<string, DeclineCategory>,
};

export function gocardlessDeclineCategory(cause: string): DeclineCategory {
  const { categories } = gocardlessCauses;
  return Object.hasOwn(categories, cause) ? categories[cause as keyof typeof categories] : 'declined';
}
