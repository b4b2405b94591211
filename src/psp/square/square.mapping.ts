import { type Money } from '../../core/money.js';
import { type Answer, type Instruction, type Operation, OTHER_PARAMETERS } from '../contract.js';
import { type ApiRequest, type ApiResponse } from '../json-api.js';
import { bodyOf, type Json, record, records, text, waitOf } from '../json-body.js';
import { type PageRequest } from '../listing.js';
import { fromPspUnits } from '../minor-units.js';
import { shortName } from '../short-name.js';
import { squareDeclineCategory } from './error-codes.js';

/** https://developer.squareup.com/reference/square/payments-api/create-payment: the most characters of each. */
const MAX_KEY_LENGTH = 45;
const MAX_REFERENCE_LENGTH = 40;
const MAX_NAME_LENGTH = 150;
const MAX_DESCRIPTION_LENGTH = 20;

const PAGE = 100;

// Ours to Square's. Every resend of a route is the same bytes.

/**
 * The names of a route, as a payment's `note` (500 characters) and a refund's `reason` (192) hold them: the one word is the
 * entity key, the other the route. `reference_id` is too short for them, and holds the merchant's reference.
 */
function nameOf({ entityKey, route }: Pick<Instruction, 'entityKey' | 'route'>): string {
  return `${shortName(entityKey, MAX_NAME_LENGTH)} ${route}`;
}

/** True if Square hands back this name for the operation. */
export function isOwnName(entityKey: string, handedBack: string): boolean {
  return handedBack === shortName(entityKey, MAX_NAME_LENGTH);
}

function keyOf({ idempotencyKey }: Pick<Instruction, 'idempotencyKey'>): string {
  return shortName(idempotencyKey, MAX_KEY_LENGTH);
}

/** The one request of an execute. Square counts in the units of ISO 4217, as we do. */
export function executeRequest(instruction: Instruction, locationId: string): ApiRequest {
  const { operation, parentReference = '', money } = instruction;
  switch (operation) {
    case 'capture':
      return post(`${pathOf(parentReference)}/complete`, {});
    case 'void':
      return cancelRequest(parentReference);
    case 'refund':
      return post('/v2/refunds', {
        idempotency_key: keyOf(instruction),
        payment_id: parentReference,
        amount_money: moneyFor(money),
        reason: nameOf(instruction),
      });
    default:
      return post('/v2/payments', paymentBody(instruction, locationId));
  }
}

function paymentBody(instruction: Instruction, locationId: string): object {
  const { operation, money, token, reference, customer, pspCustomer, statementDescriptor } = instruction;
  return {
    source_id: token,
    idempotency_key: keyOf(instruction),
    amount_money: moneyFor(money),
    autocomplete: operation === 'charge',
    location_id: locationId,
    reference_id: reference.slice(0, MAX_REFERENCE_LENGTH),
    note: nameOf(instruction),
    ...(pspCustomer ? { customer_id: pspCustomer } : {}),
    ...(customer?.email ? { buyer_email_address: customer.email } : {}),
    ...(statementDescriptor
      ? { statement_description_identifier: statementDescriptor.slice(0, MAX_DESCRIPTION_LENGTH) }
      : {}),
  };
}

function moneyFor({ amount, currency }: Money): object {
  return { amount, currency };
}

export function cancelRequest(payment: string): ApiRequest {
  return post(`${pathOf(payment)}/cancel`, {});
}

export function cancelByKeyRequest(instruction: Instruction): ApiRequest {
  return post('/v2/payments/cancel', { idempotency_key: keyOf(instruction) });
}

export function readRequest(kind: 'payments' | 'refunds', id: string): ApiRequest {
  return { method: 'GET', path: `/v2/${kind}/${encodeURIComponent(id)}` };
}

/** Payments of a stretch of time, newest first. */
export function listRequest({ created, after }: PageRequest, locationId: string): ApiRequest {
  const query = new URLSearchParams({ location_id: locationId, limit: String(PAGE), sort_order: 'DESC' });
  if (created) {
    query.set('begin_time', new Date(created.fromMs).toISOString());
    query.set('end_time', new Date(created.toMs).toISOString());
  }
  if (after !== undefined) query.set('cursor', after);
  return { method: 'GET', path: `/v2/payments?${query.toString()}` };
}

function pathOf(payment: string): string {
  return `/v2/payments/${encodeURIComponent(payment)}`;
}

function post(path: string, body: object): ApiRequest {
  return { method: 'POST', path, body: JSON.stringify(body) };
}

// Square's to ours.

/** https://developer.squareup.com/docs/build-basics/general-considerations/handling-errors */
export function answerOf(response: ApiResponse, ofSuccess: (body: Json) => Answer): Answer {
  const { httpStatus } = response;
  const body = bodyOf(response.text);
  const [error] = records(body?.['errors']);
  if (httpStatus === 429)
    return { httpStatus, outcome: 'throttled', ...saidOf(error), ...waitOf(response.header('retry-after')) };
  if (httpStatus === 200) {
    if (!body) return { httpStatus, outcome: 'unknown', pspCode: 'unreadable_answer' };
    return { httpStatus, ...ofSuccess(body) };
  }
  return { httpStatus, ...answerOfError(httpStatus, error, record(body?.['payment'])) };
}

function answerOfError(httpStatus: number, error: Json | undefined, payment: Json): Answer {
  const code = text(error?.['code']);
  const pspReference = text(payment['id']);
  const isRefused = httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408 && httpStatus !== 409;
  if (!isRefused || code === undefined) return { outcome: 'unknown', ...saidOf(error) };
  switch (error?.['category']) {
    case 'PAYMENT_METHOD_ERROR':
      return { ...declined(code), ...(pspReference === undefined ? {} : { pspReference }) };
    case 'API_ERROR':
      return { outcome: 'unknown', ...saidOf(error) };
    default:
      return code === 'IDEMPOTENCY_KEY_REUSED'
        ? { outcome: 'conflict', pspCode: OTHER_PARAMETERS }
        : { outcome: 'rejected', ...saidOf(error) };
  }
}

function declined(code: string): Answer {
  return { outcome: 'declined', decline: squareDeclineCategory(code), pspCode: code };
}

function saidOf(error: Json | undefined): Pick<Answer, 'pspCode' | 'message'> {
  const pspCode = text(error?.['code']);
  const message = text(error?.['detail']);
  return { ...(pspCode === undefined ? {} : { pspCode }), ...(message === undefined ? {} : { message }) };
}

/** The answer that a payment gives about the operation that made it, or that acts upon it. */
export function paymentAnswer(
  payment: Json,
  instruction: Pick<Instruction, 'operation' | 'entityKey'>,
): Answer {
  const { operation, entityKey } = instruction;
  const status = text(payment['status']);
  const pspReference = text(payment['id']);
  const found = {
    ...(pspReference === undefined ? {} : { pspReference }),
    pspCode: status ?? 'no_status',
  };
  if (operation === 'capture' || operation === 'void') {
    const answer = actedUpon(payment, status, operation);
    return answer.outcome === 'not_found'
      ? { outcome: 'not_found', pspCode: found.pspCode }
      : { ...found, ...answer };
  }
  const named = isNamed(payment['note'], entityKey) ? { isNamed: true as const } : {};
  return { ...found, ...named, ...opened(payment, status, operation) };
}

/** https://developer.squareup.com/reference/square/objects/Payment: `status`. */
function opened(payment: Json, status: string | undefined, operation: Operation): Answer {
  switch (status) {
    case 'COMPLETED':
      return done(payment['amount_money']);
    case 'APPROVED':
      return operation === 'authorize' ? done(payment['amount_money']) : { outcome: 'pending' };
    case 'PENDING':
      return { outcome: 'pending' };
    case 'CANCELED':
      return { outcome: 'canceled' };
    case 'FAILED':
      return declined(errorIn(payment));
    default:
      return { outcome: 'unknown' };
  }
}

function actedUpon(payment: Json, status: string | undefined, operation: 'capture' | 'void'): Answer {
  switch (status) {
    case 'APPROVED':
      return { outcome: 'not_found' };
    case 'COMPLETED':
      return operation === 'capture'
        ? done(payment['amount_money'])
        : { outcome: 'conflict', message: 'To be voided, but captured at the PSP' };
    case 'CANCELED':
      return operation === 'void'
        ? { outcome: 'succeeded' }
        : { outcome: 'declined', decline: 'authorization_canceled' };
    default:
      return { outcome: 'unknown' };
  }
}

/** A card's payment names the reason; the payment itself does not. */
function errorIn(payment: Json): string {
  const [error] = records(record(payment['card_details'])['errors']);
  return text(error?.['code']) ?? 'GENERIC_DECLINE';
}

/**
 * A refund that Square has accepted counts as done; one that comes to nothing is `FAILED` or `REJECTED` later.
 * https://developer.squareup.com/reference/square/objects/PaymentRefund
 */
export function refundAnswer(refund: Json, entityKey: string): Answer {
  const status = text(refund['status']);
  const pspReference = text(refund['id']);
  const found = {
    ...(pspReference === undefined ? {} : { pspReference }),
    ...(isNamed(refund['reason'], entityKey) ? { isNamed: true as const } : {}),
    pspCode: status ?? 'no_status',
  };
  switch (status) {
    case 'PENDING':
    case 'COMPLETED':
      return { ...found, ...done(refund['amount_money']) };
    case 'FAILED':
    case 'REJECTED':
      return { ...found, outcome: 'declined', decline: 'declined' };
    default:
      return { ...found, outcome: 'unknown' };
  }
}

function done(amountMoney: unknown): Answer {
  const money = moneyIn(amountMoney);
  return money ? { outcome: 'succeeded', money } : { outcome: 'conflict', pspCode: 'money_unreadable' };
}

export function moneyIn(value: unknown): Money | null {
  const { amount, currency } = record(value);
  return typeof amount === 'number' ? fromPspUnits(amount, text(currency) ?? '', {}) : null;
}

/** The entity key and the route in a note or reason of ours. */
export function namesIn(note: unknown): { readonly entityKey?: string; readonly route?: string } {
  const [entityKey, route, ...others] = (text(note) ?? '').split(' ');
  return entityKey && route && others.length === 0 ? { entityKey, route } : {};
}

function isNamed(note: unknown, entityKey: string): boolean {
  const { entityKey: name } = namesIn(note);
  return name !== undefined && isOwnName(entityKey, name);
}

/** Whether the names that Square keeps with an object are those of this route. */
export function isOfRoute(note: unknown, instruction: Instruction): boolean {
  return text(note) === nameOf(instruction);
}
