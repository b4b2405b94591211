import { type DeclineCategory } from '../contract.js';

/**
 * Square's error codes of payments and refunds that were declined, in our words. Data, not logic: what is not listed is
 * `declined`, which no PSP is tried again for.
 */
const squareErrorCodes = {
  source: 'https://developer.squareup.com/reference/square/enums/ErrorCode',
  version: '2026-11',
  categories: {
    GENERIC_DECLINE: 'do_not_honor', // "a decline without any additional information"
    CARD_DECLINED: 'do_not_honor',
    CARD_DECLINED_CALL_ISSUER: 'do_not_honor',
    VOICE_FAILURE: 'do_not_honor',
    CARD_DECLINED_VERIFICATION_REQUIRED: 'authentication_required',
    INSUFFICIENT_FUNDS: 'insufficient_funds',
    CARD_EXPIRED: 'card_expired',
    BAD_EXPIRATION: 'card_expired',
    EXPIRATION_FAILURE: 'card_expired',
    INVALID_CARD: 'card_invalid',
    INVALID_ACCOUNT: 'card_invalid', // "not able to locate the account on record"
    PAN_FAILURE: 'card_invalid',
    INVALID_CARD_DATA: 'card_invalid',
    CVV_FAILURE: 'cvc_invalid',
    VERIFY_CVV_FAILURE: 'cvc_invalid',
    INVALID_PIN: 'pin_invalid',
    MISSING_PIN: 'pin_invalid',
    ALLOWABLE_PIN_TRIES_EXCEEDED: 'pin_invalid',
    CARDHOLDER_INSUFFICIENT_PERMISSIONS: 'card_restricted',
    ACCOUNT_UNUSABLE: 'card_restricted',
    TRANSACTION_LIMIT: 'limit_exceeded',
    AMOUNT_TOO_HIGH: 'limit_exceeded',
    PAYMENT_LIMIT_EXCEEDED: 'limit_exceeded',
    CARD_NOT_SUPPORTED: 'not_supported',
    UNSUPPORTED_CARD_BRAND: 'not_supported',
    INSUFFICIENT_PERMISSIONS: 'not_supported', // "The Square account does not have the permissions"
    MANUALLY_ENTERED_PAYMENT_NOT_SUPPORTED: 'not_supported',
    BUYER_REFUSED_PAYMENT: 'revoked',
  } satisfies Record<string, DeclineCategory>,
};

export function squareDeclineCategory(code: string): DeclineCategory {
  const { categories } = squareErrorCodes;
  return Object.hasOwn(categories, code) ? categories[code as keyof typeof categories] : 'declined';
}
