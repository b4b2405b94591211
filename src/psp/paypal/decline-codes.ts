import { type DeclineCategory } from '../contract.js';

/**
 * PayPal's processor response codes of cards, and the issues of payments that it refused, in our words. Data, not logic:
 * what is not listed is `declined`, which no PSP is tried again for.
 */
const paypalCodes = {
  sources: [
    'https://developer.paypal.com/api/rest/reference/orders/v2/errors/',
    'https://developer.paypal.com/docs/api/orders/v2/#definition-processor_response',
  ],
  version: '2026-11',
  categories: {
    '0500': 'do_not_honor',
    '0580': 'not_supported', // Unauthorized transaction
    '0890': 'not_supported',
    '00N7': 'cvc_invalid',
    '1330': 'card_invalid', // Invalid account
    '1335': 'account_invalid', // Invalid account recurring
    '5100': 'do_not_honor', // Generic decline
    '5110': 'cvc_invalid',
    '5120': 'insufficient_funds',
    '5130': 'pin_invalid',
    '5140': 'card_restricted', // Card closed
    '5150': 'card_lost_or_stolen', // Pickup card
    '5180': 'card_invalid', // Invalid or restricted card
    '5190': 'limit_exceeded',
    '5200': 'limit_exceeded',
    '5400': 'card_expired',
    '5500': 'declined',
    '5650': 'authentication_required', // Declined: strong customer authentication required
    '5700': 'not_supported',
    '5710': 'not_supported',
    '5800': 'revoked', // Reversed
    '5900': 'card_invalid',
    '5930': 'blocked', // Card not activated
    '9100': 'try_again_later', // Declined, please retry
    '9500': 'fraud_suspected',
    '9510': 'card_restricted', // Security violation
    '9520': 'card_lost_or_stolen',
    '9530': 'card_restricted', // Hold, call centre
    '9540': 'declined', // Refused card
    '9600': 'issuer_unavailable', // Unrecognized response code
    INSTRUMENT_DECLINED: 'do_not_honor',
    TRANSACTION_REFUSED: 'declined',
    PAYER_CANNOT_PAY: 'declined',
    PAYER_ACCOUNT_RESTRICTED: 'card_restricted',
    PAYER_ACCOUNT_LOCKED_OR_CLOSED: 'card_restricted',
    CARD_EXPIRED: 'card_expired',
    PAYER_ACTION_REQUIRED: 'authentication_required',
    MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED: 'limit_exceeded',
    AUTHORIZATION_VOIDED: 'authorization_canceled',
    AUTHORIZATION_EXPIRED: 'authorization_canceled',
    AUTHORIZATION_DENIED: 'authorization_canceled',
  } satisfies Record<string, DeclineCategory>,
};

/** Issues of a 422 by which a payment was declined; all others refuse the request. */
export function isDecline(issue: string): boolean {
  return /^[A-Z]/.test(issue) && Object.hasOwn(paypalCodes.categories, issue);
}

export function paypalDeclineCategory(code: string): DeclineCategory {
  const { categories } = paypalCodes;
  return Object.hasOwn(categories, code) ? categories[code as keyof typeof categories] : 'declined';
}
