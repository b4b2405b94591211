import { type Stripe } from 'stripe';
import { type Answer, type AttemptKind, type Instruction, type Operation } from '../contract.js';
import { stripeDeclineCategory } from './decline-codes.js';
import { fromStripeAmount, toStripeAmount } from './stripe-currencies.js';
import { UNREADABLE_ANSWER } from './stripe-http-client.js';

/** What this route is found by at Stripe. */
export const ENTITY_KEY = 'payonce_entity_key';
export const ROUTE = 'payonce_route';

// Ours to Stripe's. Every resend of a route must be the same bytes, or Stripe refuses the key:
// nothing here may depend on time, on an attempt, or on what was learnt since.

/** charge, authorize. Null where Stripe cannot be told this amount exactly. */
export function createParams(instruction: Instruction): Stripe.PaymentIntentCreateParams | null {
  const { operation, money, token, returnUrl, statementDescriptor } = instruction;
  const amount = toStripeAmount(money);
  if (amount === null) return null;
  return {
    amount,
    currency: money.currency.toLowerCase(),
    confirm: true,
    capture_method: operation === 'authorize' ? 'manual' : 'automatic',
    payment_method: token,
    automatic_payment_methods: { enabled: true, allow_redirects: returnUrl ? 'always' : 'never' },
    // Without a page to come back to nobody can complete a 3-D Secure step: let it be a decline
    // (authentication_required) then, and not a payment that waits for ever.
    ...(returnUrl ? { return_url: returnUrl } : { error_on_requires_action: true }),
    ...(statementDescriptor ? { statement_descriptor_suffix: descriptorOf(statementDescriptor) } : {}),
    metadata: metadataOf(instruction),
  };
}

/** Our names for a route, which every object that it makes carries. */
export function metadataOf({ entityKey, route, reference }: Instruction): Record<string, string> {
  return { [ENTITY_KEY]: entityKey, [ROUTE]: String(route), reference: reference.slice(0, 500) };
}

/** capture. Null where Stripe cannot be told this amount exactly. */
export function captureParams(instruction: Instruction): Stripe.PaymentIntentCaptureParams | null {
  const amount = toStripeAmount(instruction.money);
  return amount === null ? null : { amount_to_capture: amount };
}

/** At most 22 characters, none of `<>\'"*` (https://docs.stripe.com/get-started/account/statement-descriptors). */
export function descriptorOf(descriptor: string): string {
  return descriptor.replace(/[<>\\'"*]/g, ' ').slice(0, 22);
}

// Stripe's to ours.

/** What a PaymentIntent says about the instruction that made it, or that acts upon it. */
export function answerOfIntent(
  intent: Stripe.PaymentIntent,
  instruction: Pick<Instruction, 'operation'>,
  kind: AttemptKind,
): Answer {
  const found = { pspReference: intent.id, pspCode: intent.status };
  const { amount, ...rest } = judged(intent, instruction, kind);
  // What is not there has no id. The one at hand is that of the payment it would have acted upon,
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
      return { outcome: 'requires_action', ...redirectOf(intent) };
    case 'processing':
      return { outcome: 'pending' };
    case 'requires_payment_method':
      // A confirmation that failed leaves the reason; without one, nobody tried to charge yet.
      return intent.last_payment_error ? declineOf(intent.last_payment_error) : { outcome: 'unknown' };
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
      return { outcome: kind === 'execute' ? 'unknown' : 'canceled' };
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

/** What a cancel of the PaymentIntent of a charge or authorization has led to. */
export function answerOfCancel(intent: Stripe.PaymentIntent, instruction: Instruction): Answer {
  return answerOfIntent(intent, instruction, 'cancel');
}

function redirectOf(intent: Stripe.PaymentIntent): Pick<Answer, 'nextAction'> {
  const url = intent.next_action?.redirect_to_url?.url;
  return url ? { nextAction: { type: 'redirect', url } } : {};
}

type PaymentError = NonNullable<Stripe.PaymentIntent['last_payment_error']>;

function declineOf(error: PaymentError): Answer {
  return {
    outcome: 'declined',
    decline: stripeDeclineCategory(error),
    pspCode: error.decline_code ?? error.code ?? 'card_declined',
    ...(error.message ? { message: error.message } : {}),
  };
}

/**
 * What an error of the API means; null where it is no word of Stripe's at all (the connection
 * failed), which is for the guard to judge.
 */
export function answerOfError(error: Stripe.errors.StripeError, kind: AttemptKind): Answer | null {
  const { statusCode: httpStatus, code, rawType } = error;
  if (httpStatus === undefined) return null;
  const pspCode = code ?? rawType ?? `http_${httpStatus}`;
  const said: Omit<Answer, 'outcome'> = { httpStatus, pspCode, message: error.message };
  if (code === UNREADABLE_ANSWER) return { ...said, outcome: 'unknown' };
  // Something ran under our key with other parameters: a fault of ours, but no proof of anything.
  if (rawType === 'idempotency_error') return { ...said, outcome: 'unknown' };
  if (httpStatus === 429 || code === 'rate_limit') {
    return { ...said, outcome: 'throttled', ...retryAfter(error.headers?.['retry-after']) };
  }
  switch (httpStatus) {
    case 402:
      return kind === 'execute' ? cardError(error, said) : { ...said, outcome: 'unknown' };
    case 400:
    case 401:
    case 403:
    case 404:
    case 422:
      return { ...said, outcome: 'rejected' };
    default:
      // 409 idempotency_key_in_use: the first request under our key still runs. 424 and 5xx:
      // something failed on the way, and Stripe replays a stored 500 for as long as it has the key.
      return { ...said, outcome: 'unknown' };
  }
}

function cardError(error: Stripe.errors.StripeError, said: Omit<Answer, 'outcome'>): Answer {
  const pspReference = error.payment_intent?.id;
  return {
    ...said,
    outcome: 'declined',
    decline: stripeDeclineCategory(error),
    pspCode: error.decline_code ?? said.pspCode ?? 'card_declined',
    ...(pspReference ? { pspReference } : {}),
  };
}

const LONGEST_RETRY_AFTER_S = 3_600;

/** Retry-After in seconds (RFC 9110, 10.2.3); the form with a date is not used by Stripe. */
export function retryAfter(header: string | undefined): Pick<Answer, 'retryAfterMs'> {
  if (!header || !/^\d{1,9}$/.test(header)) return {};
  return { retryAfterMs: Math.min(Number(header), LONGEST_RETRY_AFTER_S) * 1_000 };
}
