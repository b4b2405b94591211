import { type DeclineCategory } from '../contract.js';

/**
 * Mollie's reasons of failed payments (`details.failureReason` of cards, `statusReason.code` of others), in our words.
 * Data, not logic: what is not listed is `declined`, which no PSP is tried again for.
 */
const mollieFailureReasons = {
  sources: [
    'https://docs.mollie.com/docs/status-reasons',
    'https://docs.mollie.com/components/handling-errors',
  ],
  version: '2026-11',
  categories: {
    authentication_abandoned: 'authentication_required',
    authentication_failed: 'authentication_required',
    authentication_required: 'authentication_required',
    authentication_unavailable_acs: 'authentication_required',
    additional_customer_authentication_required: 'authentication_required',
    card_declined: 'do_not_honor',
    refused_by_issuer: 'do_not_honor',
    do_not_honor: 'do_not_honor',
    refer_to_card_issuer: 'do_not_honor',
    unknown_reason: 'declined',
    card_expired: 'card_expired',
    expired_card: 'card_expired',
    inactive_card: 'card_restricted',
    restricted_card: 'card_restricted',
    security_violation: 'card_restricted',
    insufficient_funds: 'insufficient_funds',
    invalid_cvv: 'cvc_invalid',
    decline_for_cvv2_failure: 'cvc_invalid',
    invalid_card_number: 'card_invalid',
    invalid_card_holder_name: 'card_invalid',
    invalid_account_number: 'card_invalid',
    no_credit_account: 'card_invalid',
    closed_account: 'card_invalid',
    invalid_card_type: 'not_supported',
    invalid_transaction: 'not_supported',
    transaction_not_permitted_to_cardholder: 'not_supported',
    lost_card: 'card_lost_or_stolen',
    stolen_card: 'card_lost_or_stolen',
    capture_card: 'card_lost_or_stolen',
    possible_fraud: 'fraud_suspected',
    suspected_fraud: 'fraud_suspected',
    fraud_security_related: 'fraud_suspected',
    invalid_pin: 'pin_invalid',
    allowable_number_of_pin_tries_exceeded: 'pin_invalid',
    exceeds_withdrawal_amount_limit: 'limit_exceeded',
    exceeds_withdrawal_count_limit: 'limit_exceeded',
    issuer_unavailable: 'issuer_unavailable',
    unable_to_route_transaction: 'issuer_unavailable',
    system_malfunction: 'processing_error',
    re_enter_transaction: 'try_again_later',
    blocked_first_used: 'blocked',
    stop_payment_order: 'revoked',
    revocation_of_authorization: 'revoked',
    revocation_of_all_authorizations: 'revoked',
  } satisfies Record<string, DeclineCategory>,
};

export function mollieDeclineCategory(reason: string): DeclineCategory {
  const { categories } = mollieFailureReasons;
  return Object.hasOwn(categories, reason) ? categories[reason as keyof typeof categories] : 'declined';
}
