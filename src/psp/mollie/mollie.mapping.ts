import { decimalOf, type Money } from '../../core/money.js';
import { minorUnits } from '../../core/decimal.js';
import { type Answer, type Instruction, type Operation } from '../contract.js';
import { type ApiRequest, type ApiResponse } from '../json-api.js';
import { bodyOf, type Json, record, text, valueOf, waitOf } from '../json-body.js';
import { type MethodName } from '../payment-method.js';
import { mollieDeclineCategory } from './failure-reasons.js';

/** The names of the metadata by which a route is found; Mollie hands metadata of 1 kB back as they came. */
const ENTITY_KEY = 'payonce_key';
const ROUTE = 'payonce_route';

/** https://docs.mollie.com/reference/create-payment: `description`, at most 255 characters. */
const MAX_DESCRIPTION_LENGTH = 255;
/** The most that Mollie lists at once. */
const PAGE = 250;

/** Our payment methods by Mollie's names. */
const mollieMethods = {
  card: 'creditcard',
  ideal: 'ideal',
  bancontact: 'bancontact',
  paypal: 'paypal',
  apple_pay: 'applepay',
  sepa: 'directdebit',
} as const satisfies Partial<Record<MethodName, string>>;

// Ours to Mollie's. Every resend of a route is the same bytes.

function metadataOf({ entityKey, route }: Pick<Instruction, 'entityKey' | 'route'>): object {
  return { [ENTITY_KEY]: entityKey, [ROUTE]: String(route) };
}

/** The one request of an execute; null where Mollie has no such method. `notifiedAt`: where it tells of changes. */
export function executeRequest(instruction: Instruction, notifiedAt: string | undefined): ApiRequest | null {
  const { operation, parentReference = '', money, idempotencyKey } = instruction;
  const headers = { 'Idempotency-Key': idempotencyKey };
  const parent = pathOf(parentReference);
  const part = { amount: amountFor(money), metadata: metadataOf(instruction) };
  switch (operation) {
    case 'capture':
      return post(`${parent}/captures`, part, headers);
    case 'refund':
      return post(`${parent}/refunds`, { ...part, description: descriptionOf(instruction) }, headers);
    case 'void':
      return releaseRequest(parentReference, idempotencyKey);
    default: {
      const body = paymentBody(instruction, notifiedAt);
      return body && post('/v2/payments', body, headers);
    }
  }
}

function paymentBody(instruction: Instruction, notifiedAt: string | undefined): object | null {
  const { operation, money, method: name = 'card', initiator } = instruction;
  if (!(name in mollieMethods)) return null;
  // A payment that the merchant initiates has no customer to send anywhere.
  const returnUrl = initiator === 'merchant' ? undefined : instruction.returnUrl;
  return {
    amount: amountFor(money),
    description: descriptionOf(instruction),
    method: mollieMethods[name as keyof typeof mollieMethods],
    ...sourceOf(instruction, name),
    ...(returnUrl ? { redirectUrl: returnUrl } : {}),
    ...(notifiedAt === undefined ? {} : { webhookUrl: notifiedAt }),
    ...(operation === 'authorize' ? { captureMode: 'manual' } : {}),
    metadata: metadataOf(instruction),
  };
}

/** A mandate charges the customer's account again; a token of Mollie's components is of a card that was just entered. */
function sourceOf({ token, pspCustomer }: Instruction, method: MethodName): object {
  if (token === undefined) return {};
  if (token.startsWith('mdt_')) {
    return {
      sequenceType: 'recurring',
      mandateId: token,
      ...(pspCustomer ? { customerId: pspCustomer } : {}),
    };
  }
  return method === 'apple_pay' ? { applePayPaymentToken: token } : { cardToken: token };
}

function descriptionOf({ statementDescriptor, reference }: Instruction): string {
  return [statementDescriptor, reference].filter(Boolean).join(' ').slice(0, MAX_DESCRIPTION_LENGTH);
}

function amountFor(money: Money): object {
  return { currency: money.currency, value: decimalOf(money) };
}

export function releaseRequest(payment: string, key: string): ApiRequest {
  return post(`${pathOf(payment)}/release-authorization`, {}, { 'Idempotency-Key': key });
}

export function cancelRequest(payment: string): ApiRequest {
  return { method: 'DELETE', path: pathOf(payment) };
}

export function readRequest(payment: string): ApiRequest {
  return { method: 'GET', path: pathOf(payment) };
}

/** The captures, or the refunds, of a payment. */
export function partsRequest(payment: string, operation: 'capture' | 'refund', from?: string): ApiRequest {
  return { method: 'GET', path: `${pathOf(payment)}/${operation}s?limit=${PAGE}${fromOf(from)}` };
}

export function listRequest(from?: string): ApiRequest {
  return { method: 'GET', path: `/v2/payments?limit=${PAGE}${fromOf(from)}` };
}

function fromOf(from: string | undefined): string {
  return from === undefined ? '' : `&from=${encodeURIComponent(from)}`;
}

function pathOf(payment: string): string {
  return `/v2/payments/${encodeURIComponent(payment)}`;
}

function post(path: string, body: object, headers: Readonly<Record<string, string>>): ApiRequest {
  return { method: 'POST', path, body: JSON.stringify(body), headers };
}

// Mollie's to ours.

/** https://docs.mollie.com/reference/error-handling */
export function answerOf(response: ApiResponse, ofSuccess: (body: Json) => Answer): Answer {
  const { httpStatus } = response;
  const body = bodyOf(response.text);
  if (httpStatus === 429)
    return { httpStatus, outcome: 'throttled', ...saidOf(body), ...waitOf(response.header('retry-after')) };
  if (httpStatus === 200 || httpStatus === 201) {
    return body
      ? { httpStatus, ...ofSuccess(body) }
      : { httpStatus, outcome: 'unknown', pspCode: 'unreadable_answer' };
  }
  // 409: a request under this key runs, or the same refund was asked for a moment ago.
  const isRefused = [400, 401, 403, 404, 405, 410, 415, 422].includes(httpStatus);
  return { httpStatus, outcome: isRefused && body ? 'rejected' : 'unknown', ...saidOf(body) };
}

function saidOf(body: Json | null): Pick<Answer, 'pspCode' | 'message'> {
  const message = text(body?.['detail']);
  const field = text(body?.['field']) ?? text(body?.['title']);
  return {
    ...(field === undefined ? {} : { pspCode: field.replaceAll(/\W/g, '_').toLowerCase() }),
    ...(message === undefined ? {} : { message }),
  };
}

/** The answer that a payment gives about the operation that made it, or about a void. */
export function paymentAnswer(
  payment: Json,
  { operation, entityKey }: Pick<Instruction, 'operation' | 'entityKey'>,
): Answer {
  const status = text(payment['status']);
  const pspReference = text(payment['id']);
  const object = {
    ...(pspReference === undefined ? {} : { pspReference }),
    pspCode: status ?? 'no_status',
  };
  if (operation === 'void') return asVoid(payment, status, object);
  const found = { ...object, ...(isNamed(payment, entityKey) ? { isNamed: true as const } : {}) };
  switch (status) {
    case 'paid':
      return { ...found, ...done(payment['amount']) };
    case 'authorized':
      return { ...found, ...(operation === 'authorize' ? done(payment['amount']) : { outcome: 'pending' }) };
    case 'open': {
      const url = text(record(record(payment['_links'])['checkout'])['href']);
      if (url === undefined) return { ...found, outcome: 'pending' };
      const nextAction = { type: 'redirect', url, method: 'GET', fields: {} } as const;
      return { ...found, outcome: 'requires_action', nextAction };
    }
    case 'pending':
      return { ...found, outcome: 'pending' };
    case 'canceled':
    case 'expired':
      return { ...found, outcome: 'canceled' };
    case 'failed':
      return { ...found, ...failed(payment) };
    default:
      return { ...found, outcome: 'unknown' };
  }
}

/** An authorization that is released is canceled, or paid where a part of it was captured. */
function asVoid(
  payment: Json,
  status: string | undefined,
  found: Pick<Answer, 'pspReference' | 'pspCode'>,
): Answer {
  switch (status) {
    case 'canceled':
      return { ...found, outcome: 'succeeded' };
    case 'authorized':
      return { outcome: 'not_found', ...(found.pspCode === undefined ? {} : { pspCode: found.pspCode }) };
    case 'paid': {
      const [amount, captured] = [moneyIn(payment['amount']), moneyIn(payment['amountCaptured'])];
      const isPart = amount !== null && captured !== null && captured.amount < amount.amount;
      return isPart
        ? { ...found, outcome: 'succeeded' }
        : { ...found, outcome: 'conflict', message: 'To be voided, but captured at the PSP' };
    }
    default:
      return { ...found, outcome: 'unknown' };
  }
}

function failed(payment: Json): Answer {
  const reason =
    text(record(payment['details'])['failureReason']) ??
    text(record(payment['statusReason'])['code']) ??
    'failed';
  const message = text(record(payment['details'])['failureMessage']);
  return {
    outcome: 'declined',
    decline: mollieDeclineCategory(reason),
    pspCode: reason,
    ...(message === undefined ? {} : { message }),
  };
}

/** The states of captures and refunds. Accepted counts as done; a later failure is told by an event. */
const partStatus: Readonly<Record<string, 'done' | 'failed'>> = {
  succeeded: 'done',
  queued: 'done',
  pending: 'done',
  processing: 'done',
  refunded: 'done',
  failed: 'failed',
  canceled: 'failed',
};

export function partAnswer(part: Json, entityKey: string): Answer {
  const status = text(part['status']);
  const pspReference = text(part['id']);
  const found = {
    ...(pspReference === undefined ? {} : { pspReference }),
    ...(isNamed(part, entityKey) ? { isNamed: true as const } : {}),
    pspCode: status ?? 'no_status',
  };
  const known = status !== undefined && Object.hasOwn(partStatus, status) ? partStatus[status] : undefined;
  if (known === undefined) return { ...found, outcome: 'unknown' };
  return known === 'done'
    ? { ...found, ...done(part['amount']) }
    : { ...found, outcome: 'declined', decline: 'declined' };
}

function done(amount: unknown): Answer {
  const money = moneyIn(amount);
  return money ? { outcome: 'succeeded', money } : { outcome: 'conflict', pspCode: 'money_unreadable' };
}

export function moneyIn(value: unknown): Money | null {
  const [currency, number] = [text(record(value)['currency']), text(record(value)['value'])];
  const amount = currency === undefined ? null : minorUnits(number ?? '', currency);
  return amount === null ? null : { amount, currency: currency! };
}

/** The names that an object carries. Metadata may come back as the text of what was sent. */
export function namesIn({ metadata }: Json): { readonly entityKey?: string; readonly route?: string } {
  const kept = record(typeof metadata === 'string' ? valueOf(metadata) : metadata);
  const [entityKey, route] = [text(kept[ENTITY_KEY]), text(kept[ROUTE])];
  return { ...(entityKey ? { entityKey } : {}), ...(route ? { route } : {}) };
}

function isNamed(object: Json, entityKey: string): boolean {
  return namesIn(object).entityKey === entityKey;
}

export function isOfRoute(
  object: Json,
  { entityKey, route }: Pick<Instruction, 'entityKey' | 'route'>,
): boolean {
  return isNamed(object, entityKey) && namesIn(object).route === String(route);
}

/** Whether the operation is of what a payment object represents: of the payment itself. */
export function isOfPayment(operation: Operation): boolean {
  return operation === 'charge' || operation === 'authorize' || operation === 'void';
}
