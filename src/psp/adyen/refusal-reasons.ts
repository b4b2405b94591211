import { type DeclineCategory } from '../contract.js';
import { adviceFor } from '../decline.js';

/**
 * Adyen's refusalReasonCode in our words. Data, not logic: what is not listed is `declined`, which
 * no PSP is tried again for. Codes of card-present payments are listed for completeness.
 */
export const adyenRefusalReasons = {
  source: 'https://docs.adyen.com/development-resources/refusal-reasons',
  version: '2026-11',
  categories: {
    '2': 'do_not_honor', // Refused
    '3': 'do_not_honor', // Referral
    '4': 'processing_error', // Acquirer Error
    '5': 'card_restricted', // Blocked Card
    '6': 'card_expired', // Expired Card
    '7': 'declined', // Invalid Amount
    '8': 'card_invalid', // Invalid Card Number
    '9': 'issuer_unavailable', // Issuer Unavailable
    '10': 'not_supported', // Not supported
    '11': 'authentication_required', // 3D Not Authenticated
    '12': 'insufficient_funds', // Not enough balance
    '14': 'fraud_suspected', // Acquirer Fraud
    '15': 'declined', // Cancelled
    '16': 'declined', // Shopper Cancelled
    '17': 'pin_invalid', // Invalid Pin
    '18': 'pin_invalid', // Pin tries exceeded
    '19': 'pin_invalid', // Pin validation not possible
    '20': 'fraud_suspected', // FRAUD
    '21': 'processing_error', // Not Submitted
    '22': 'fraud_suspected', // FRAUD-CANCELLED
    '23': 'not_supported', // Transaction Not Permitted
    '24': 'cvc_invalid', // CVC Declined
    '25': 'card_restricted', // Restricted Card
    '26': 'revoked', // Revocation Of Auth
    // Everything that Adyen could not map, including refusals that a scheme calls final.
    '27': 'declined', // Declined Non Generic
    '28': 'limit_exceeded', // Withdrawal amount exceeded
    '29': 'limit_exceeded', // Withdrawal count exceeded
    '31': 'fraud_suspected', // Issuer Suspected Fraud
    '32': 'declined', // AVS Declined
    '33': 'pin_invalid', // Card requires online pin
    '34': 'card_invalid', // No checking account available on Card
    '35': 'card_invalid', // No savings account available on Card
    '36': 'authentication_required', // Mobile pin required
    '37': 'declined', // Contactless fallback
    '38': 'authentication_required', // Authentication required
    '39': 'authentication_required', // RReq not received from DS
    '40': 'declined', // Current AID is in Penalty Box
    '41': 'pin_invalid', // CVM Required Restart Payment
    '42': 'authentication_required', // 3DS Authentication Error
    '43': 'pin_invalid', // Online PIN required
    '44': 'declined', // Try another interface
    '45': 'declined', // Chip downgrade mode
    '46': 'blocked', // Transaction blocked by Adyen to prevent excessive retry fees
  } satisfies Record<string, DeclineCategory>,
  /** refusalReason, as answers carry it beside the code and notifications without. */
  texts: {
    '2': 'Refused',
    '3': 'Referral',
    '4': 'Acquirer Error',
    '5': 'Blocked Card',
    '6': 'Expired Card',
    '7': 'Invalid Amount',
    '8': 'Invalid Card Number',
    '9': 'Issuer Unavailable',
    '10': 'Not supported',
    '11': '3D Not Authenticated',
    '12': 'Not enough balance',
    '14': 'Acquirer Fraud',
    '15': 'Cancelled',
    '16': 'Shopper Cancelled',
    '17': 'Invalid Pin',
    '18': 'Pin tries exceeded',
    '19': 'Pin validation not possible',
    '20': 'FRAUD',
    '21': 'Not Submitted',
    '22': 'FRAUD-CANCELLED',
    '23': 'Transaction Not Permitted',
    '24': 'CVC Declined',
    '25': 'Restricted Card',
    '26': 'Revocation Of Auth',
    '27': 'Declined Non Generic',
    '28': 'Withdrawal amount exceeded',
    '29': 'Withdrawal count exceeded',
    '31': 'Issuer Suspected Fraud',
    '32': 'AVS Declined',
    '33': 'Card requires online pin',
    '34': 'No checking account available on Card',
    '35': 'No savings account available on Card',
    '36': 'Mobile pin required',
    '37': 'Contactless fallback',
    '38': 'Authentication required',
    '39': 'RReq not received from DS',
    '40': 'Current AID is in Penalty Box',
    '41': 'CVM Required Restart Payment',
    '42': '3DS Authentication Error',
    '43': 'Online PIN required',
    '44': 'Try another interface',
    '45': 'Chip downgrade mode',
    '46': 'Transaction blocked by Adyen to prevent excessive retry fees',
  } satisfies Record<string, string>,
};

/**
 * Mastercard's advice, in `additionalData.merchantAdviceCode` as "03 : Do not try again": 03 and 21
 * overrule a soft code. Source: https://docs.adyen.com/development-resources/raw-acquirer-responses
 */
const NEVER_AGAIN = /^(03|21)\b/;

export function adyenDeclineCategory(
  refusalReasonCode: string | undefined,
  merchantAdviceCode = '',
): DeclineCategory {
  const categories: Readonly<Record<string, DeclineCategory>> = adyenRefusalReasons.categories;
  const code = refusalReasonCode ?? '';
  const category = Object.hasOwn(categories, code) ? categories[code]! : 'declined';
  return adviceFor[category] === 'elsewhere' && NEVER_AGAIN.test(merchantAdviceCode) ? 'declined' : category;
}

const codeByText: ReadonlyMap<string, string> = new Map(
  Object.entries(adyenRefusalReasons.texts).map(([code, words]) => [wordsOf(words), code]),
);

/**
 * The refusalReasonCode of a notification, which has words only: `reason`, "Not enough balance", or the
 * acquirer's `refusalReasonRaw`, "05 : Do not honor". Undefined where the words are not known.
 */
export function adyenRefusalCode(...said: readonly (string | undefined)[]): string | undefined {
  for (const words of said) {
    const code = codeByText.get(wordsOf((words ?? '').slice(0, 200).replace(/^\w{1,3} : /, '')));
    if (code !== undefined) return code;
  }
  return undefined;
}

function wordsOf(words: string): string {
  return words.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
