import { type Money } from '../../core/money.js';
import { minorUnits } from '../../core/decimal.js';
import { type Answer, type Instruction, OTHER_PARAMETERS } from '../contract.js';
import { type ApiRequest, type ApiResponse } from '../json-api.js';
import { bodyOf, type Json, record, records, text, waitOf } from '../json-body.js';
import { fromPspUnits, toPspUnits } from '../minor-units.js';
import { shortName } from '../short-name.js';
import { isDecline, paypalDeclineCategory } from './decline-codes.js';

/**
 * "This currency does not support decimals": PayPal counts these in whole units, where ISO 4217 has hundredths.
 * https://developer.paypal.com/api/rest/reference/currency-codes/
 */
const EXPONENTS = { HUF: 0, TWD: 0 };

/** https://developer.paypal.com/docs/api/orders/v2/#orders_create: the most characters of each. */
const MAX_CUSTOM_ID = 127;
const MAX_NAME = 120;
const MAX_REFERENCE = 256;
const MAX_DESCRIPTOR = 22;

// Ours to PayPal's. Every resend of a route is the same bytes.

/** The names of a route, as `custom_id` holds them: the one word is the entity key, the other the route. */
function nameOf({ entityKey, route }: Pick<Instruction, 'entityKey' | 'route'>): string {
  return `${shortName(entityKey, MAX_NAME)} ${route}`.slice(0, MAX_CUSTOM_ID);
}

/** True if PayPal hands back this name for the operation. */
export function isOwnName(entityKey: string, handedBack: string): boolean {
  return handedBack === shortName(entityKey, MAX_NAME);
}

function headersOf(key: string): Readonly<Record<string, string>> {
  // The whole object in the answer, not its id alone.
  return { 'PayPal-Request-Id': key, Prefer: 'return=representation' };
}

/** null where PayPal cannot represent this amount exactly. */
function amountFor(money: Money): object | null {
  const { currency } = money;
  const units = toPspUnits(money, EXPONENTS);
  if (units === null) return null;
  const decimals = currency in EXPONENTS || currency === 'JPY' ? 0 : 2;
  const digits = String(units).padStart(decimals + 1, '0');
  const value = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return { currency_code: currency, value };
}

export function orderRequest(instruction: Instruction): ApiRequest | null {
  const { operation, money, reference, statementDescriptor, idempotencyKey } = instruction;
  const amount = amountFor(money);
  if (amount === null) return null;
  const unit = {
    reference_id: reference.slice(0, MAX_REFERENCE),
    custom_id: nameOf(instruction),
    amount,
    ...(statementDescriptor ? { soft_descriptor: statementDescriptor.slice(0, MAX_DESCRIPTOR) } : {}),
  };
  const body = {
    intent: operation === 'charge' ? 'CAPTURE' : 'AUTHORIZE',
    purchase_units: [unit],
    payment_source: sourceOf(instruction),
  };
  return post('/v2/checkout/orders', body, headersOf(idempotencyKey));
}

/** A wallet whose customer agrees at PayPal's page, or a card or wallet that PayPal keeps for us (its vault's id). */
function sourceOf({ method, token, returnUrl, initiator }: Instruction): object {
  const pages = returnUrl ? { return_url: returnUrl, cancel_url: returnUrl } : {};
  if (method === 'paypal') {
    const context = { user_action: 'PAY_NOW', shipping_preference: 'NO_SHIPPING', ...pages };
    return token === undefined
      ? { paypal: { experience_context: context } }
      : { paypal: { vault_id: token } };
  }
  const stored = {
    payment_initiator: initiator === 'merchant' ? 'MERCHANT' : 'CUSTOMER',
    payment_type: initiator === 'merchant' ? 'UNSCHEDULED' : 'ONE_TIME',
  };
  return {
    card: {
      vault_id: token,
      stored_credential: stored,
      ...(returnUrl && initiator !== 'merchant' ? { experience_context: pages } : {}),
    },
  };
}

/** Takes the money, or holds it, of an order that its customer agreed to. */
export function completeRequest({ operation, pspReference = '', idempotencyKey }: Instruction): ApiRequest {
  const verb = operation === 'charge' ? 'capture' : 'authorize';
  return post(`${orderPath(pspReference)}/${verb}`, {}, headersOf(`${idempotencyKey.slice(0, 90)}-complete`));
}

/** `part`: the PSP's id of the authorization, or of the capture that is given back. */
export function partRequest(instruction: Instruction, part: string): ApiRequest | null {
  const { operation, money, idempotencyKey } = instruction;
  const headers = headersOf(idempotencyKey);
  const id = encodeURIComponent(part);
  if (operation === 'void') return voidRequest(part, idempotencyKey);
  const amount = amountFor(money);
  if (amount === null) return null;
  return operation === 'capture'
    ? post(`/v2/payments/authorizations/${id}/capture`, { amount, final_capture: true }, headers)
    : post(`/v2/payments/captures/${id}/refund`, { amount, custom_id: nameOf(instruction) }, headers);
}

export function voidRequest(authorization: string, key: string): ApiRequest {
  return post(`/v2/payments/authorizations/${encodeURIComponent(authorization)}/void`, {}, headersOf(key));
}

export function readRequest(order: string): ApiRequest {
  return { method: 'GET', path: orderPath(order) };
}

/** Asks for an access token. https://developer.paypal.com/api/rest/authentication/ */
export function signInRequest(clientId: string, clientSecret: string): ApiRequest {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return {
    method: 'POST',
    path: '/v1/oauth2/token',
    body: 'grant_type=client_credentials',
    headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' },
  };
}

function orderPath(order: string): string {
  return `/v2/checkout/orders/${encodeURIComponent(order)}`;
}

function post(path: string, body: object, headers: Readonly<Record<string, string>>): ApiRequest {
  return { method: 'POST', path, body: JSON.stringify(body), headers };
}

// PayPal's to ours.

/** https://developer.paypal.com/api/rest/responses/ */
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
  return { httpStatus, ...refused(httpStatus, body) };
}

/** Refusals because of the state that an order is in already, which says more than they do. */
const DONE_BEFORE: ReadonlySet<string> = new Set([
  'ORDER_ALREADY_CAPTURED',
  'ORDER_ALREADY_AUTHORIZED',
  'AUTHORIZATION_ALREADY_CAPTURED',
  'PREVIOUSLY_CAPTURED',
  'PREVIOUSLY_VOIDED',
]);

function refused(httpStatus: number, body: Json | null): Answer {
  const said = saidOf(body);
  const { pspCode = '' } = said;
  if (![400, 401, 403, 404, 422].includes(httpStatus) || body === null)
    return { outcome: 'unknown', ...said };
  if (pspCode === 'DUPLICATE_REQUEST_ID') return { ...said, outcome: 'conflict', pspCode: OTHER_PARAMETERS };
  if (DONE_BEFORE.has(pspCode)) return { outcome: 'unknown', ...said };
  return isDecline(pspCode)
    ? { ...said, outcome: 'declined', decline: paypalDeclineCategory(pspCode) }
    : { outcome: 'rejected', ...said };
}

function saidOf(body: Json | null): Pick<Answer, 'pspCode' | 'message'> {
  const [detail] = records(body?.['details']);
  const pspCode = text(detail?.['issue']) ?? text(body?.['name']);
  const message = text(detail?.['description']) ?? text(body?.['message']);
  return { ...(pspCode === undefined ? {} : { pspCode }), ...(message === undefined ? {} : { message }) };
}

/** The payments of an order: one authorization or capture, and refunds. */
export function paymentsIn(order: Json): {
  readonly authorization: Json | undefined;
  readonly capture: Json | undefined;
  readonly refunds: readonly Json[];
} {
  const [unit] = records(order['purchase_units']);
  const payments = record(unit?.['payments']);
  return {
    authorization: records(payments['authorizations']).at(-1),
    capture: records(payments['captures']).at(-1),
    refunds: records(payments['refunds']),
  };
}

/** The answer that an order gives about the operation that made it, or that acts upon it. */
export function orderAnswer(
  order: Json,
  instruction: Pick<Instruction, 'operation' | 'entityKey' | 'route' | 'pspReference'>,
): Answer {
  const { operation, entityKey } = instruction;
  const { authorization, capture, refunds } = paymentsIn(order);
  switch (operation) {
    case 'capture':
      return capture ? partAnswer(capture) : ofAuthorization(authorization, 'capture');
    case 'void':
      return ofAuthorization(authorization, 'void');
    case 'refund':
      return ofRefunds(refunds, instruction);
    default:
      break;
  }
  const pspReference = text(order['id']);
  const [unit] = records(order['purchase_units']);
  const found = {
    ...(pspReference === undefined ? {} : { pspReference }),
    ...(isNamed(unit?.['custom_id'], entityKey) ? { isNamed: true as const } : {}),
  };
  const made = operation === 'charge' ? capture : authorization;
  const { pspReference: _, ...answer } = made ? partAnswer(made) : ofOrder(order);
  return { ...answer, ...found };
}

/** An order of which nothing was taken yet. https://developer.paypal.com/docs/api/orders/v2/#definition-order_status */
function ofOrder(order: Json): Answer {
  const status = text(order['status']) ?? 'no_status';
  switch (status) {
    case 'CREATED':
    case 'PAYER_ACTION_REQUIRED':
    case 'APPROVED': {
      const link = records(order['links']).find(({ rel }) => rel === 'payer-action' || rel === 'approve');
      const url = text(link?.['href']);
      // Its customer has agreed, and has yet to come back; or has to agree.
      if (url === undefined) return { outcome: 'requires_action', pspCode: status };
      const nextAction = { type: 'redirect', url, method: 'GET', fields: {} } as const;
      return { outcome: 'requires_action', pspCode: status, nextAction };
    }
    case 'SAVED':
      return { outcome: 'pending', pspCode: status };
    case 'VOIDED':
      return { outcome: 'canceled', pspCode: status };
    default:
      return { outcome: 'unknown', pspCode: status };
  }
}

/** An authorization, a capture or a refund. https://developer.paypal.com/docs/api/payments/v2/ */
export function partAnswer(part: Json): Answer {
  const status = text(part['status']) ?? 'no_status';
  const pspReference = text(part['id']);
  const found = { ...(pspReference === undefined ? {} : { pspReference }), pspCode: status };
  switch (status) {
    case 'CREATED':
    case 'CAPTURED':
    case 'PARTIALLY_CAPTURED':
    case 'COMPLETED':
    case 'REFUNDED':
    case 'PARTIALLY_REFUNDED':
      return { ...found, ...done(part) };
    case 'PENDING':
      return { ...found, outcome: 'pending' };
    case 'VOIDED':
    case 'EXPIRED':
      return { ...found, outcome: 'canceled' };
    case 'DECLINED':
    case 'DENIED':
    case 'FAILED':
    case 'CANCELLED':
      return { ...found, ...declined(part, status) };
    default:
      return { ...found, outcome: 'unknown' };
  }
}

function declined(part: Json, status: string): Answer {
  const code = text(record(part['processor_response'])['response_code']) ?? status;
  return { outcome: 'declined', decline: paypalDeclineCategory(code), pspCode: code };
}

function ofAuthorization(authorization: Json | undefined, operation: 'capture' | 'void'): Answer {
  const status = text(authorization?.['status']);
  const pspReference = text(authorization?.['id']);
  const found = { ...(pspReference === undefined ? {} : { pspReference }), pspCode: status ?? 'no_status' };
  switch (status) {
    case 'CREATED':
      return { outcome: 'not_found', pspCode: status };
    case 'VOIDED':
      return operation === 'void'
        ? { ...found, outcome: 'succeeded' }
        : { ...found, outcome: 'declined', decline: 'authorization_canceled' };
    case 'CAPTURED':
    case 'PARTIALLY_CAPTURED':
      return operation === 'void'
        ? { ...found, outcome: 'conflict', message: 'To be voided, but captured at the PSP' }
        : { ...found, outcome: 'unknown' };
    default:
      return { ...found, outcome: 'unknown' };
  }
}

function ofRefunds(
  refunds: readonly Json[],
  { entityKey, route, pspReference }: Pick<Instruction, 'entityKey' | 'route' | 'pspReference'>,
): Answer {
  const own = refunds.filter(({ id, custom_id: name }) =>
    pspReference === undefined ? name === nameOf({ entityKey, route }) : id === pspReference,
  );
  const [only, ...others] = own;
  if (!only) return { outcome: 'not_found' };
  if (others.length > 0) {
    return { outcome: 'conflict', pspCode: 'several_found', pspReferences: own.map(({ id }) => String(id)) };
  }
  return refundAnswer(only, entityKey);
}

/** A refund that PayPal has accepted counts as done; one that comes to nothing is told of. */
export function refundAnswer(refund: Json, entityKey: string): Answer {
  const named = isNamed(refund['custom_id'], entityKey) ? { isNamed: true as const } : {};
  const answer = partAnswer(refund);
  return { ...answer, ...(answer.outcome === 'pending' ? done(refund) : {}), ...named };
}

function done(part: Json): Answer {
  const money = moneyIn(part['amount']);
  return money ? { outcome: 'succeeded', money } : { outcome: 'conflict', pspCode: 'money_unreadable' };
}

export function moneyIn(value: unknown): Money | null {
  const [currency, number] = [text(record(value)['currency_code']), text(record(value)['value'])];
  if (currency === undefined || number === undefined) return null;
  if (currency in EXPONENTS) return fromPspUnits(Number(number), currency, EXPONENTS);
  const amount = minorUnits(number, currency);
  return amount === null ? null : { amount, currency };
}

/** The entity key and the route in a `custom_id` of ours. */
export function namesIn(customId: unknown): { readonly entityKey?: string; readonly route?: string } {
  const [entityKey, route, ...others] = (text(customId) ?? '').split(' ');
  return entityKey && route && others.length === 0 ? { entityKey, route } : {};
}

function isNamed(customId: unknown, entityKey: string): boolean {
  const { entityKey: name } = namesIn(customId);
  return name !== undefined && isOwnName(entityKey, name);
}
