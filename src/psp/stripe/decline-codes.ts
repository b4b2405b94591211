import { type Answer, type DeclineCategory } from '../contract.js';
import { adviceFor } from '../decline.js';

/**
 * Stripe's decline codes in our words. Data, not logic: Stripe adds codes without notice, and what
 * is not listed is `declined`, after which no PSP is tried again.
 */
const stripeDeclineCodes = {
  source: 'https://docs.stripe.com/declines/codes',
  version: '2026-11',
  categories: {
    approve_with_id: 'try_again_later',
    authentication_not_handled: 'authentication_required',
    authentication_required: 'authentication_required',
    call_issuer: 'do_not_honor',
    card_not_supported: 'not_supported',
    card_velocity_exceeded: 'limit_exceeded',
    currency_not_supported: 'not_supported',
    do_not_honor: 'do_not_honor',
    do_not_try_again: 'declined',
    duplicate_transaction: 'declined',
    expired_card: 'card_expired',
    fraudulent: 'fraud_suspected',
    generic_decline: 'do_not_honor',
    highest_risk_level: 'fraud_suspected',
    incorrect_address: 'declined',
    incorrect_cvc: 'cvc_invalid',
    incorrect_number: 'card_invalid',
    incorrect_pin: 'pin_invalid',
    incorrect_zip: 'declined',
    insufficient_funds: 'insufficient_funds',
    invalid_account: 'card_invalid',
    invalid_amount: 'declined',
    invalid_cvc: 'cvc_invalid',
    invalid_expiry_month: 'card_invalid',
    invalid_expiry_year: 'card_invalid',
    invalid_number: 'card_invalid',
    invalid_pin: 'pin_invalid',
    issuer_not_available: 'issuer_unavailable',
    lost_card: 'card_lost_or_stolen',
    merchant_blacklist: 'blocked',
    mobile_device_authentication_required: 'authentication_required',
    new_account_information_available: 'card_invalid',
    no_action_taken: 'do_not_honor',
    not_permitted: 'not_supported',
    offline_pin_required: 'pin_invalid',
    online_or_offline_pin_required: 'pin_invalid',
    pickup_card: 'card_lost_or_stolen',
    pin_try_exceeded: 'pin_invalid',
    processing_error: 'processing_error',
    reenter_transaction: 'try_again_later',
    restricted_card: 'card_restricted',
    revocation_of_all_authorizations: 'revoked',
    revocation_of_authorization: 'revoked',
    security_violation: 'card_restricted',
    service_not_allowed: 'not_supported',
    stolen_card: 'card_lost_or_stolen',
    stop_payment_order: 'revoked',
    testmode_decline: 'declined',
    transaction_not_allowed: 'not_supported',
    try_again_later: 'try_again_later',
    withdrawal_count_limit_exceeded: 'limit_exceeded',
    // Error codes that stand alone where no decline_code is given (https://docs.stripe.com/error-codes).
    card_decline_rate_limit_exceeded: 'limit_exceeded',
    // The issuer gave no reason, as with generic_decline.
    card_declined: 'do_not_honor',
    payment_intent_action_required: 'authentication_required',
    payment_intent_authentication_failure: 'authentication_required',
  } satisfies Record<string, DeclineCategory>,
};

/**
 * Advice that overrules a soft code: Stripe's own `advice_code`, and the card scheme's
 * `network_advice_code`, where Mastercard's 03 and 21 mean "do not try again".
 * Source: https://docs.stripe.com/declines/codes (advice), Mastercard merchant advice codes.
 */
const NEVER_AGAIN: ReadonlySet<string> = new Set(['do_not_try_again', '03', '21']);

/**
 * Stripe's words about a failed payment: an error of the API, or `last_payment_error` of a PaymentIntent.
 * The SDK writes an empty string where the body of an error has no `decline_code`.
 */
interface StripeFailure {
  readonly code?: string | null | undefined;
  readonly decline_code?: string | null | undefined;
  readonly advice_code?: string | null | undefined;
  readonly network_advice_code?: string | null | undefined;
  readonly message?: string | null | undefined;
}

/**
 * A decline in our words. Answers, lookups and notifications all come through here, so that the same
 * failure means the same whichever way it is learned.
 */
export function stripeDecline(failure: StripeFailure): Answer {
  const { message } = failure;
  return {
    outcome: 'declined',
    decline: stripeDeclineCategory(failure),
    pspCode: reasonOf(failure) ?? 'card_declined',
    ...(message ? { message } : {}),
  };
}

/** The issuer's reason; without one, Stripe's own error code. An empty string is none. */
function reasonOf({ decline_code: decline, code }: StripeFailure): string | undefined {
  return decline || code || undefined;
}

export function stripeDeclineCategory(failure: StripeFailure): DeclineCategory {
  const category = categoryIn(stripeDeclineCodes.categories, reasonOf(failure));
  const final =
    NEVER_AGAIN.has(failure.advice_code ?? '') || NEVER_AGAIN.has(failure.network_advice_code ?? '');
  return final && isSoft(category) ? 'declined' : category;
}

function isSoft(category: DeclineCategory): boolean {
  return adviceFor[category] === 'elsewhere';
}

/** Why a refund or a payout failed, in our words; what is not listed is `declined`. */
const stripeFailures = {
  source: 'https://docs.stripe.com/api/refunds/object, https://docs.stripe.com/api/payouts/failures',
  version: '2026-11',
  refunds: {
    expired_or_canceled_card: 'card_expired',
    insufficient_funds: 'insufficient_funds',
    lost_or_stolen_card: 'card_lost_or_stolen',
  } satisfies Record<string, DeclineCategory>,
  payouts: {
    account_closed: 'account_invalid',
    account_frozen: 'blocked',
    bank_account_restricted: 'blocked',
    bank_ownership_changed: 'account_invalid',
    could_not_process: 'processing_error',
    debit_not_authorized: 'not_supported',
    incorrect_account_holder_address: 'account_invalid',
    incorrect_account_holder_name: 'account_invalid',
    incorrect_account_holder_tax_id: 'account_invalid',
    insufficient_funds: 'insufficient_funds',
    invalid_account_number: 'account_invalid',
    invalid_currency: 'not_supported',
    no_account: 'account_invalid',
    unsupported_card: 'not_supported',
  } satisfies Record<string, DeclineCategory>,
};

export function stripeRefundFailure(reason: string | undefined): DeclineCategory {
  return categoryIn(stripeFailures.refunds, reason);
}

export function stripePayoutFailure(code: string | undefined): DeclineCategory {
  return categoryIn(stripeFailures.payouts, code);
}

function categoryIn(categories: Readonly<Record<string, DeclineCategory>>, word = ''): DeclineCategory {
  return Object.hasOwn(categories, word) ? categories[word]! : 'declined';
}
