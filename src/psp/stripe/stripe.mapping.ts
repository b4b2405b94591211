import { type Stripe } from 'stripe';
import {
  type Answer,
  type AttemptKind,
  type Instruction,
  type NextAction,
  type Operation,
  OTHER_PARAMETERS,
} from '../contract.js';
import { waitOf } from '../json-body.js';
import { type DebitMandate, type MethodName } from '../payment-method.js';
import { stripeDecline } from './decline-codes.js';
import { fromStripeAmount, toStripeAmount } from './stripe-currencies.js';
import { UNREADABLE_ANSWER } from './stripe-http-client.js';

/** The names of the metadata by which a route is found at Stripe. */
export const ENTITY_KEY = 'payonce_entity_key';
export const ROUTE = 'payonce_route';
/** The key it was made under: what is found by it is ours even where the database forgot that it made it. */
export const KEY = 'payonce_key';

// Ours to Stripe's. Every resend of a route must be the same bytes, or Stripe refuses the key:
// nothing here may depend on time, on an attempt, or on what was learnt since.

/** charge, authorize. Null where Stripe cannot represent this amount exactly. */
export function createParams(instruction: Instruction): Stripe.PaymentIntentCreateParams | null {
  const { operation, money, token, statementDescriptor, pspCustomer, mandate } = instruction;
  const type = STRIPE_TYPES[instruction.method ?? 'card'];
  const amount = toStripeAmount(money);
  if (amount === null) return null;
  const byMerchant = instruction.initiator === 'merchant';
  // A charge that the merchant initiates has no customer to send anywhere.
  const returnUrl = byMerchant ? undefined : instruction.returnUrl;
  return {
    amount,
    currency: money.currency.toLowerCase(),
    confirm: true,
    capture_method: operation === 'authorize' ? 'manual' : 'automatic',
    ...(token === undefined && type ? { payment_method_data: { type } } : { payment_method: token }),
    // A payment method that is attached to a customer is refused without that customer.
    ...(pspCustomer ? { customer: pspCustomer } : {}),
    ...(byMerchant ? { off_session: true } : {}),
    ...(type
      ? { payment_method_types: [type] }
      : { automatic_payment_methods: { enabled: true, allow_redirects: returnUrl ? 'always' : 'never' } }),
    // Stripe has the mandate of a debit that the merchant starts.
    ...(mandate && !byMerchant ? { mandate_data: signedOn(mandate) } : {}),
    // Without a page to come back to no customer can complete a 3-D Secure step: let it be a decline
    // (authentication_required) then, and not a payment that waits for ever.
    ...(returnUrl ? { return_url: returnUrl } : { error_on_requires_action: true }),
    ...(statementDescriptor ? { statement_descriptor_suffix: descriptorOf(statementDescriptor) } : {}),
    metadata: metadataOf(instruction),
  };
}

/** Stripe's names of payment methods. A card, also one in a wallet, is named by its token alone. */
const STRIPE_TYPES: Readonly<Partial<Record<MethodName, StripeType>>> = {
  paypal: 'paypal',
  ideal: 'ideal',
  bancontact: 'bancontact',
  klarna: 'klarna',
  sepa: 'sepa_debit',
  bacs: 'bacs_debit',
  ach: 'us_bank_account',
};
type StripeType = Stripe.PaymentIntentCreateParams.PaymentMethodData['type'];

/** The consent that the payer gave at the shop. */
function signedOn({ signedOn: day }: DebitMandate): Stripe.PaymentIntentCreateParams.MandateData {
  return { customer_acceptance: { type: 'offline', accepted_at: Date.parse(`${day}T00:00:00Z`) / 1_000 } };
}

/** Our names for a route, which every object that it makes carries. */
export function metadataOf(instruction: Instruction): Record<string, string> {
  const { entityKey, route, reference, carriesKey, idempotencyKey } = instruction;
  return {
    [ENTITY_KEY]: entityKey,
    [ROUTE]: String(route),
    ...(carriesKey ? { [KEY]: idempotencyKey } : {}),
    reference: reference.slice(0, 500),
  };
}

/** capture. Null where Stripe cannot represent this amount exactly. */
export function captureParams(instruction: Instruction): Stripe.PaymentIntentCaptureParams | null {
  const amount = toStripeAmount(instruction.money);
  return amount === null ? null : { amount_to_capture: amount };
}

/** At most 22 characters, none of `<>\'"*` (https://docs.stripe.com/get-started/account/statement-descriptors). */
export function descriptorOf(descriptor: string): string {
  return descriptor.replace(/[<>\\'"*]/g, ' ').slice(0, 22);
}

// Stripe's to ours.

/** The answer of a PaymentIntent for the instruction that made it, or that acts on it. */
export function answerOfIntent(
  intent: Stripe.PaymentIntent,
  instruction: Pick<Instruction, 'operation'>,
  kind: AttemptKind,
): Answer {
  const found = { pspReference: intent.id, pspCode: intent.status };
  const { amount, ...rest } = judged(intent, instruction, kind);
  // An object that is not there has no id. The one at hand is that of the payment it would have acted upon,
  // and a route that has an id is never believed to be unknown to the PSP.
  if (rest.outcome === 'not_found') return { pspCode: intent.status, ...rest };
  if (amount === undefined) return { ...found, ...rest };
  const money = fromStripeAmount(amount, intent.currency);
  return money
    ? { ...found, ...rest, money }
    : { ...found, ...rest, outcome: 'conflict', pspCode: 'money_unreadable' };
}

type Judgement = Answer & { amount?: number };

function judged(
  intent: Stripe.PaymentIntent,
  { operation }: Pick<Instruction, 'operation'>,
  kind: AttemptKind,
): Judgement {
  if (operation === 'capture') return judgedAsCapture(intent, kind);
  if (operation === 'void') return judgedAsVoid(intent, kind);
  return judgedByStatus(intent, operation);
}

/** https://docs.stripe.com/payments/paymentintents/lifecycle */
function judgedByStatus(intent: Stripe.PaymentIntent, operation: Operation): Judgement {
  switch (intent.status) {
    case 'succeeded':
      return operation === 'charge'
        ? { outcome: 'succeeded', amount: intent.amount_received }
        : { outcome: 'conflict', message: 'Authorized only, but captured at the PSP' };
    case 'requires_capture':
      return operation === 'authorize'
        ? { outcome: 'succeeded', amount: intent.amount }
        : { outcome: 'conflict', message: 'To be captured at once, but only authorized at the PSP' };
    case 'requires_action':
      return { outcome: 'requires_action', ...actionOf(intent) };
    case 'processing':
      return { outcome: 'pending' };
    case 'requires_payment_method':
      // A confirmation that failed leaves the reason; without one, Stripe has not tried to charge yet.
      return intent.last_payment_error ? stripeDecline(intent.last_payment_error) : { outcome: 'unknown' };
    case 'canceled':
      return { outcome: 'canceled' };
    case 'requires_confirmation':
    default:
      return { outcome: 'unknown' };
  }
}

/** A PaymentIntent is captured once (multicapture is not used), so its status speaks for ours. */
function judgedAsCapture(intent: Stripe.PaymentIntent, kind: AttemptKind): Judgement {
  switch (intent.status) {
    case 'succeeded':
      return { outcome: 'succeeded', amount: intent.amount_received };
    case 'processing':
      return { outcome: 'pending' };
    case 'requires_capture':
      return { outcome: kind === 'execute' ? 'unknown' : 'not_found' };
    case 'canceled':
      // For good: no capture that was sent took the money, and none will.
      return {
        outcome: 'declined',
        decline: 'authorization_canceled',
        message: 'The PSP has canceled the authorization: it lapsed, or it was voided there.',
      };
    case 'requires_action':
    case 'requires_confirmation':
    case 'requires_payment_method':
    default:
      return { outcome: 'unknown' };
  }
}

function judgedAsVoid(intent: Stripe.PaymentIntent, kind: AttemptKind): Judgement {
  switch (intent.status) {
    case 'canceled':
      return { outcome: 'succeeded' };
    case 'succeeded':
      return { outcome: 'conflict', message: 'To be voided, but captured at the PSP' };
    case 'requires_capture':
      return { outcome: kind === 'execute' ? 'unknown' : 'not_found' };
    case 'processing':
    case 'requires_action':
    case 'requires_confirmation':
    case 'requires_payment_method':
    default:
      return { outcome: 'unknown' };
  }
}

/**
 * A page, or what Stripe.js carries out (`use_stripe_sdk` and the rest).
 * https://docs.stripe.com/api/payment_intents/object#payment_intent_object-next_action
 */
function actionOf({ next_action: action }: Stripe.PaymentIntent): { readonly nextAction?: NextAction } {
  if (!action) return {};
  const url = action.redirect_to_url?.url;
  return url
    ? { nextAction: { type: 'redirect', url, method: 'GET', fields: {} } }
    : { nextAction: { type: 'psp_sdk', data: { ...action } } };
}

/**
 * The answer that an error of the API means; null where it is no word of Stripe's at all (the connection
 * failed), which is for the guard to judge.
 */
export function answerOfError(
  error: Stripe.errors.StripeError,
  kind: AttemptKind,
  instruction: Instruction,
): Answer | null {
  const { statusCode: httpStatus, code, rawType } = error;
  if (httpStatus === undefined) return null;
  const pspCode = code || rawType || `http_${httpStatus}`;
  const said: Omit<Answer, 'outcome'> = { httpStatus, pspCode, message: error.message };
  if (code === UNREADABLE_ANSWER) return { ...said, outcome: 'unknown' };
  // Something ran under our key with other parameters: before the database lost what it knew of it, or
  // by a fault of ours. The type alone does not say so: a 409 of that type says that the first request still runs.
  if (rawType === OTHER_PARAMETERS && httpStatus !== 409) {
    return { ...said, pspCode: OTHER_PARAMETERS, outcome: kind === 'execute' ? 'conflict' : 'unknown' };
  }
  if (httpStatus === 429 || code === 'rate_limit') {
    return { ...said, outcome: 'throttled', ...waitOf(error.headers?.['retry-after']) };
  }
  switch (httpStatus) {
    case 402:
      return kind === 'execute' ? cardError(error, httpStatus) : { ...said, outcome: 'unknown' };
    case 400:
    case 401:
    case 403:
    case 404:
    case 422:
      return refusedBecauseOf(error, kind, instruction, httpStatus) ?? { ...said, outcome: 'rejected' };
    default:
      // 409 idempotency_key_in_use: the first request under our key still runs. 424 and 5xx:
      // something failed on the way, and Stripe replays a stored 500 for as long as it has the key.
      return { ...said, outcome: 'unknown' };
  }
}

/** Reported as a refused request, though it is the payment that failed: the customer did not authenticate it. */
const UNAUTHENTICATED: ReadonlySet<string> = new Set([
  'payment_intent_action_required',
  'payment_intent_authentication_failure',
]);

/**
 * A refusal because of the state that a PaymentIntent is in (`payment_intent_unexpected_state` and others)
 * carries that PaymentIntent, and it says more than the refusal: the money was captured before, or the
 * authorization was canceled when it lapsed. null where it says nothing about the operation.
 */
function refusedBecauseOf(
  error: Stripe.errors.StripeError,
  kind: AttemptKind,
  instruction: Instruction,
  httpStatus: number,
): Answer | null {
  const { operation, parentReference, pspReference } = instruction;
  const { payment_intent: intent, code = '' } = error;
  if (kind === 'execute' && UNAUTHENTICATED.has(code)) return cardError(error, httpStatus);
  if (operation === 'refund' || operation === 'payout' || !isPaymentIntent(intent)) return null;
  const acts = operation === 'capture' || operation === 'void';
  const expected = acts ? parentReference : pspReference;
  if (expected ? intent.id !== expected : !carriesNamesOf(instruction, intent)) return null;
  const answer = answerOfIntent(intent, instruction, kind);
  switch (answer.outcome) {
    case 'unknown':
    case 'not_found':
      return null;
    case 'canceled':
      return kind === 'cancel' ? { ...answer, httpStatus } : null;
    default:
      return { ...answer, httpStatus };
  }
}

function isPaymentIntent(intent: Stripe.PaymentIntent | undefined): intent is Stripe.PaymentIntent {
  return typeof intent?.id === 'string' && typeof intent.status === 'string';
}

type Named = { readonly metadata: Stripe.Metadata | null };

function carriesNamesOf({ entityKey, route }: Instruction, { metadata }: Named): boolean {
  return metadata?.[ENTITY_KEY] === entityKey && metadata[ROUTE] === String(route);
}

/** Whether the object carries the names of this operation. */
export function named(made: Named, instruction: Instruction): Pick<Answer, 'isNamed'> {
  return carriesNamesOf(instruction, made) ? { isNamed: true } : {};
}

function cardError(error: Stripe.errors.StripeError, httpStatus: number): Answer {
  const pspReference = error.payment_intent?.id;
  return {
    ...stripeDecline(error),
    httpStatus,
    ...(pspReference ? { pspReference } : {}),
  };
}
