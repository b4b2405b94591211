import { type Money } from '../../core/money.js';
import { type Answer, type Instruction } from '../contract.js';
import { type ApiRequest, type ApiResponse } from '../json-api.js';
import { bodyOf, type Json, record, records, text, waitOf } from '../json-body.js';
import { type PageRequest } from '../listing.js';
import { fromPspUnits } from '../minor-units.js';
import { gocardlessDeclineCategory } from './failure-causes.js';

/** The names of the metadata by which a route is found: GoCardless keeps three, of 500 characters each. */
const ENTITY_KEY = 'payonce_key';
const ROUTE = 'payonce_route';
const MAX_METADATA_LENGTH = 500;

/** https://developer.gocardless.com/api-reference/#payments-create-a-payment: `description`, at most 255 characters. */
const MAX_DESCRIPTION_LENGTH = 255;
/** The most that is listed at once. */
const PAGE = 500;

// Ours to GoCardless's.

function metadataOf({ entityKey, route, reference }: Instruction): object {
  return {
    [ENTITY_KEY]: entityKey,
    [ROUTE]: String(route),
    reference: reference.slice(0, MAX_METADATA_LENGTH),
  };
}

/** A debit of a mandate: the same bytes at every resend. */
export function paymentRequest(instruction: Instruction): ApiRequest {
  const { money, token, idempotencyKey, statementDescriptor, reference } = instruction;
  const payments = {
    amount: money.amount,
    currency: money.currency,
    description: [statementDescriptor, reference].filter(Boolean).join(' ').slice(0, MAX_DESCRIPTION_LENGTH),
    metadata: metadataOf(instruction),
    links: { mandate: token },
  };
  return post('/payments', { payments }, { 'Idempotency-Key': idempotencyKey });
}

/** `refundedBefore`: what was refunded of the payment until now. GoCardless refuses a refund that does not know it. */
export function refundRequest(instruction: Instruction, refundedBefore: number): ApiRequest {
  const { money, parentReference, idempotencyKey } = instruction;
  const refunds = {
    amount: money.amount,
    total_amount_confirmation: refundedBefore + money.amount,
    metadata: metadataOf(instruction),
    links: { payment: parentReference },
  };
  return post('/refunds', { refunds }, { 'Idempotency-Key': idempotencyKey });
}

export function cancelRequest(payment: string): ApiRequest {
  return post(`/payments/${encodeURIComponent(payment)}/actions/cancel`, { data: {} }, {});
}

export function readRequest(kind: 'payments' | 'refunds', id: string): ApiRequest {
  return { method: 'GET', path: `/${kind}/${encodeURIComponent(id)}` };
}

/** The events of a payment, which alone say what went wrong. */
export function eventsRequest(payment: string): ApiRequest {
  return { method: 'GET', path: `/events?payment=${encodeURIComponent(payment)}&limit=${PAGE}` };
}

/** Payments of a stretch of time, newest first. */
export function listRequest(
  { created, after }: PageRequest,
  of: { readonly mandate?: string } = {},
): ApiRequest {
  const query = new URLSearchParams({ limit: String(PAGE), ...of });
  if (created) {
    query.set('created_at[gte]', new Date(created.fromMs).toISOString());
    query.set('created_at[lte]', new Date(created.toMs).toISOString());
  }
  if (after !== undefined) query.set('after', after);
  return { method: 'GET', path: `/payments?${query.toString()}` };
}

export function refundsRequest(payment: string, after?: string): ApiRequest {
  const query = new URLSearchParams({
    payment,
    limit: String(PAGE),
    ...(after === undefined ? {} : { after }),
  });
  return { method: 'GET', path: `/refunds?${query.toString()}` };
}

function post(path: string, body: object, headers: Readonly<Record<string, string>>): ApiRequest {
  return { method: 'POST', path, body: JSON.stringify(body), headers };
}

// GoCardless's to ours.

/** https://developer.gocardless.com/api-reference/#making-requests-errors */
export function answerOf(response: ApiResponse, ofSuccess: (body: Json) => Answer): Answer {
  const { httpStatus } = response;
  const body = bodyOf(response.text);
  const error = record(body?.['error']);
  const said = saidOf(error);
  if (httpStatus === 429)
    return { httpStatus, outcome: 'throttled', ...said, ...waitOf(response.header('retry-after')) };
  if (httpStatus === 200 || httpStatus === 201) {
    return body
      ? { httpStatus, ...ofSuccess(body) }
      : { httpStatus, outcome: 'unknown', pspCode: 'unreadable_answer' };
  }
  if (httpStatus === 409) return { httpStatus, ...said, ...madeBefore(error) };
  const isRefused = [400, 401, 403, 404, 422].includes(httpStatus);
  return { httpStatus, outcome: isRefused && body ? 'rejected' : 'unknown', ...said };
}

/** The key made something before: what has become of that is not said, and it is looked up by its id. */
function madeBefore(error: Json): Answer {
  const conflict = records(error['errors']).find(({ reason }) => reason === 'idempotent_creation_conflict');
  const pspReference = text(record(conflict?.['links'])['conflicting_resource_id']);
  return pspReference === undefined ? { outcome: 'unknown' } : { outcome: 'pending', pspReference };
}

function saidOf(error: Json): Pick<Answer, 'pspCode' | 'message'> {
  const [first] = records(error['errors']);
  const pspCode = text(first?.['reason']) ?? text(error['type']);
  const message = text(error['message']);
  return { ...(pspCode === undefined ? {} : { pspCode }), ...(message === undefined ? {} : { message }) };
}

/**
 * The answer that a payment gives; `cause`: why it failed, where that is known.
 * https://developer.gocardless.com/api-reference/#core-endpoints-payments
 */
export function paymentAnswer(payment: Json, entityKey: string, cause?: string): Answer {
  const status = text(payment['status']);
  const found = { ...foundIn(payment, entityKey), pspCode: status ?? 'no_status' };
  switch (status) {
    case 'pending_customer_approval':
    case 'pending_submission':
    case 'submitted':
      return { ...found, outcome: 'pending' };
    case 'confirmed':
    case 'paid_out':
    // It was collected, and taken back: a dispute tells of that.
    case 'charged_back':
      return { ...found, ...done(payment) };
    case 'cancelled':
      return { ...found, outcome: 'canceled' };
    case 'customer_approval_denied':
    case 'failed':
      return { ...found, ...failed(cause ?? status) };
    default:
      return { ...found, outcome: 'unknown' };
  }
}

export function failed(cause: string): Answer {
  return { outcome: 'declined', decline: gocardlessDeclineCategory(cause), pspCode: cause };
}

/** The states of refunds. Accepted counts as done; one that comes back is told by an event. */
const refundStatus: Readonly<Record<string, 'done' | 'failed'>> = {
  created: 'done',
  pending_submission: 'done',
  submitted: 'done',
  paid: 'done',
  cancelled: 'failed',
  bounced: 'failed',
  failed: 'failed',
  funds_returned: 'failed',
};

export function refundAnswer(refund: Json, entityKey: string): Answer {
  const status = text(refund['status']) ?? 'created';
  const found = { ...foundIn(refund, entityKey), pspCode: status };
  const known = Object.hasOwn(refundStatus, status) ? refundStatus[status] : undefined;
  if (known === undefined) return { ...found, outcome: 'unknown' };
  return known === 'done'
    ? { ...found, ...done(refund) }
    : { ...found, outcome: 'declined', decline: 'declined' };
}

function foundIn(object: Json, entityKey: string): Pick<Answer, 'pspReference' | 'isNamed'> {
  const pspReference = text(object['id']);
  return {
    ...(pspReference === undefined ? {} : { pspReference }),
    ...(namesIn(object['metadata']).entityKey === entityKey ? { isNamed: true as const } : {}),
  };
}

function done(object: Json): Answer {
  const money = moneyIn(object);
  return money ? { outcome: 'succeeded', money } : { outcome: 'conflict', pspCode: 'money_unreadable' };
}

function moneyIn({ amount, currency }: Json): Money | null {
  return typeof amount === 'number' ? fromPspUnits(amount, text(currency) ?? '', {}) : null;
}

export function namesIn(metadata: unknown): { readonly entityKey?: string; readonly route?: string } {
  const kept = record(metadata);
  const [entityKey, route] = [text(kept[ENTITY_KEY]), text(kept[ROUTE])];
  return { ...(entityKey ? { entityKey } : {}), ...(route ? { route } : {}) };
}

export function isOfRoute(
  { metadata }: Json,
  { entityKey, route }: Pick<Instruction, 'entityKey' | 'route'>,
): boolean {
  const names = namesIn(metadata);
  return names.entityKey === entityKey && names.route === String(route);
}

/** Why a payment failed, by its events. */
export function causeIn(body: Json | null): string | undefined {
  const failure = records(body?.['events']).find(
    ({ action }) => action === 'failed' || action === 'customer_approval_denied',
  );
  return text(record(failure?.['details'])['cause']);
}

/** The name of a dispute: a payment is charged back once, and GoCardless gives the chargeback no id. */
export function chargebackOf(payment: string): string {
  return `chargeback-${payment}`;
}
