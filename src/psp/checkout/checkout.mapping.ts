import { type Money } from '../../core/money.js';
import { type Answer, type Instruction, type Operation } from '../contract.js';
import { type ApiRequest, type ApiResponse } from '../json-api.js';
import { bodyOf, type Json, record, text, valueOf, waitOf } from '../json-body.js';
import { fromPspUnits, toPspUnits } from '../minor-units.js';
import { answerToQuestion } from '../question.js';
import { shortName } from '../short-name.js';
import { checkoutDeclineCategory } from './response-codes.js';

/**
 * "For CLP […] the last two digits must be 00": Checkout.com counts pesos in hundredths.
 * https://www.checkout.com/docs/payments/accept-payments/format-the-amount-value (read 2026-11)
 */
const EXPONENTS = { CLP: 2 };

/** https://api-reference.checkout.com/#operation/requestAPaymentOrPayout: `reference`, at most 80 characters. */
const MAX_REFERENCE_LENGTH = 80;

/** The names of the metadata by which a route is found. */
const ROUTE = 'payonce_route';
const OPERATION = 'payonce_operation';

// Ours to Checkout.com's. Every resend of a route is the same bytes.

/** A name of ours as Checkout.com takes it. */
export function referenceFor(name: string): string {
  return shortName(name, MAX_REFERENCE_LENGTH);
}

/** True if Checkout.com hands back this name for the operation. */
export function isOwnName(entityKey: string, handedBack: string): boolean {
  return handedBack === entityKey || handedBack === referenceFor(entityKey);
}

/** The one request of an execute; null where Checkout.com cannot represent this amount exactly. */
export function executeRequest(instruction: Instruction, channel: string | undefined): ApiRequest | null {
  const { operation, parentReference = '', idempotencyKey } = instruction;
  const headers = { 'Cko-Idempotency-Key': idempotencyKey };
  const parent = `/payments/${encodeURIComponent(parentReference)}`;
  const reference = referenceFor(instruction.entityKey);
  const metadata = { [ROUTE]: String(instruction.route) };
  const amount = toPspUnits(instruction.money, EXPONENTS);
  if (operation === 'void') return post(`${parent}/voids`, { reference, metadata }, headers);
  if (amount === null) return null;
  switch (operation) {
    case 'capture':
      // Further captures are ours to ask for; what is left lapses with the authorization.
      return post(`${parent}/captures`, { amount, capture_type: 'NonFinal', reference, metadata }, headers);
    case 'refund':
      return post(`${parent}/refunds`, { amount, reference, metadata }, headers);
    default:
      return post('/payments', paymentBody(instruction, amount, channel), headers);
  }
}

function paymentBody(instruction: Instruction, amount: number, channel: string | undefined): object {
  const { operation, money, token = '', route, customer, pspCustomer, statementDescriptor } = instruction;
  const byMerchant = instruction.initiator === 'merchant';
  // A charge that the merchant initiates has no customer to send anywhere.
  const returnUrl = byMerchant ? undefined : instruction.returnUrl;
  return {
    source: token.startsWith('tok_') ? { type: 'token', token } : { type: 'id', id: token },
    amount,
    currency: money.currency,
    reference: referenceFor(instruction.entityKey),
    capture: operation === 'charge',
    payment_type: byMerchant ? 'Unscheduled' : 'Regular',
    ...(byMerchant ? { merchant_initiated: true } : {}),
    ...(pspCustomer
      ? { customer: { id: pspCustomer } }
      : customer?.email
        ? { customer: { email: customer.email } }
        : {}),
    '3ds': returnUrl ? { enabled: true, attempt_n3d: true } : { enabled: false },
    ...(returnUrl ? { success_url: returnUrl, failure_url: returnUrl } : {}),
    ...(statementDescriptor ? { billing_descriptor: { name: statementDescriptor.slice(0, 25) } } : {}),
    ...(channel === undefined ? {} : { processing_channel_id: channel }),
    metadata: {
      [ROUTE]: String(route),
      [OPERATION]: operation,
      reference: instruction.reference.slice(0, 100),
    },
  };
}

const CANCEL = '-cancel';

/** The operation that a cancel of ours was to call back; null for every other name. */
export function calledBack(reference: string | undefined): string | null {
  return reference?.endsWith(CANCEL) ? reference.slice(0, -CANCEL.length) : null;
}

export function voidRequest({ pspReference = '', entityKey, idempotencyKey }: Instruction): ApiRequest {
  const reference = referenceFor(`${entityKey}${CANCEL}`);
  const headers = { 'Cko-Idempotency-Key': shortName(`${idempotencyKey}${CANCEL}`, 64) };
  return post(`/payments/${encodeURIComponent(pspReference)}/voids`, { reference }, headers);
}

/** The question about a charge, or about what was done to a payment; null where it is not known to which. */
export function lookupRequest({
  operation,
  entityKey,
  pspReference,
  parentReference,
}: Instruction): ApiRequest | null {
  const get = (path: string): ApiRequest => ({ method: 'GET', path });
  if (operation === 'charge' || operation === 'authorize') {
    return pspReference === undefined
      ? get(`/payments?limit=${MAX_FOUND}&reference=${encodeURIComponent(referenceFor(entityKey))}`)
      : get(`/payments/${encodeURIComponent(pspReference)}`);
  }
  return parentReference ? get(`/payments/${encodeURIComponent(parentReference)}/actions`) : null;
}

/** More routes than one operation has. */
const MAX_FOUND = 50;

function post(path: string, body: object, headers: Readonly<Record<string, string>>): ApiRequest {
  return { method: 'POST', path, body: JSON.stringify(body), headers };
}

// Checkout.com's to ours.

/** https://www.checkout.com/docs/developer-resources/codes/http-status-codes */
export function answerOf(response: ApiResponse, ofSuccess: (body: Json) => Answer): Answer {
  const { httpStatus } = response;
  const body = bodyOf(response.text);
  if (httpStatus === 429)
    return { httpStatus, outcome: 'throttled', ...saidOf(body), ...waitOf(response.header('retry-after')) };
  if (httpStatus >= 200 && httpStatus <= 202) {
    return body
      ? { httpStatus, ...ofSuccess(body) }
      : { httpStatus, outcome: 'unknown', pspCode: 'unreadable_answer' };
  }
  const isRefused = [400, 401, 403, 404, 422].includes(httpStatus);
  return { httpStatus, outcome: isRefused ? 'rejected' : 'unknown', ...saidOf(body) };
}

export function answerOfExecute(response: ApiResponse, instruction: Instruction): Answer {
  const { operation, money } = instruction;
  return answerOf(response, (body) => {
    if (operation === 'charge' || operation === 'authorize') return paymentOf(body, instruction);
    const pspReference = text(body['action_id']);
    const name = text(body['reference']);
    const named =
      name !== undefined && isOwnName(instruction.entityKey, name) ? { isNamed: true as const } : {};
    if (pspReference === undefined) return { outcome: 'unknown', pspCode: 'no_action_id' };
    // Checkout.com carries an accepted action out, or declines it by a notification (payment_capture_declined, say).
    return { outcome: 'succeeded', pspReference, ...named, ...(operation === 'void' ? {} : { money }) };
  });
}

/** https://www.checkout.com/docs/payments/manage-payments/get-payment-details#Payment_statuses */
export function paymentOf(body: Json, { entityKey }: Pick<Instruction, 'entityKey'>): Answer {
  const status = text(body['status']);
  const pspReference = text(body['id']);
  const name = text(body['reference']);
  const found = {
    ...(pspReference === undefined ? {} : { pspReference }),
    ...(name !== undefined && isOwnName(entityKey, name) ? { isNamed: true as const } : {}),
    pspCode: status ?? 'no_status',
  };
  switch (status) {
    case 'Authorized':
    case 'Captured':
    case 'Partially Captured':
    case 'Deferred Capture':
    case 'Refunded':
    case 'Partially Refunded': {
      const money = moneyOf(body);
      return money
        ? { ...found, outcome: 'succeeded', money }
        : { ...found, outcome: 'conflict', pspCode: 'money_unreadable' };
    }
    case 'Pending': {
      const url = text(record(record(body['_links'])['redirect'])['href']);
      if (url === undefined) return { ...found, outcome: 'pending' };
      const nextAction = { type: 'redirect', url, method: 'GET', fields: {} } as const;
      return { ...found, outcome: 'requires_action', nextAction };
    }
    case 'Declined':
      return { ...found, ...declined(body) };
    case 'Voided':
    case 'Canceled':
    case 'Expired':
      return { ...found, outcome: 'canceled' };
    case undefined:
      // Some declines hold no status, and a code all the same; those of what is approved begin with 1.
      return /^[234]/.test(text(body['response_code']) ?? '')
        ? { ...found, ...declined(body) }
        : { ...found, outcome: 'unknown' };
    default:
      return { ...found, outcome: 'unknown' };
  }
}

/** A payment keeps the reason with the action that was declined. */
export function declined(body: Json): Pick<Answer, 'outcome' | 'decline' | 'pspCode' | 'message'> {
  const actions = Array.isArray(body['actions']) ? body['actions'].map(record) : [];
  const said = [body, ...actions].find((one) => text(one['response_code']) !== undefined) ?? body;
  const code = text(said['response_code']);
  const message = text(said['response_summary']);
  return {
    outcome: 'declined',
    decline: checkoutDeclineCategory(code),
    pspCode: code ?? 'declined',
    ...(message === undefined ? {} : { message }),
  };
}

/** The payment of this route among those under our reference. */
export function answerOfList(response: ApiResponse, instruction: Instruction): Answer {
  return answerOf(response, (body) => {
    const { data } = body;
    if (!Array.isArray(data)) return { outcome: 'unknown', pspCode: 'unreadable_answer' };
    const own = data.map(record).filter((payment) => isOfRoute(payment, instruction));
    if (own.length > 1) return severalFound(own);
    return own[0] ? paymentOf(own[0], instruction) : { outcome: 'not_found' };
  });
}

function severalFound(own: readonly Json[]): Answer {
  return { outcome: 'conflict', pspCode: 'several_found', pspReferences: own.map(({ id }) => String(id)) };
}

function isOfRoute(object: Json, { entityKey, route }: Instruction): boolean {
  const name = text(object['reference']);
  const at = record(object['metadata'])[ROUTE];
  return name !== undefined && isOwnName(entityKey, name) && at === String(route);
}

const ACTIONS: Readonly<Partial<Record<Operation, string>>> = {
  capture: 'Capture',
  void: 'Void',
  refund: 'Refund',
};

/** The action of this route among those of its payment. */
export function answerOfActions(response: ApiResponse, instruction: Instruction): Answer {
  const { operation, money } = instruction;
  const actions = valueOf(response.text);
  if (response.httpStatus !== 200 || !Array.isArray(actions)) {
    const answer = answerOf(response, () => ({ outcome: 'unknown', pspCode: 'unreadable_answer' }));
    return answerToQuestion(answer);
  }
  const [own, ...others] = actions
    .map(record)
    .filter((action) => action['type'] === ACTIONS[operation] && isOfRoute(action, instruction));
  if (!own) return { httpStatus: 200, outcome: 'not_found' };
  if (others.length > 0) return { httpStatus: 200, ...severalFound([own, ...others]) };
  const pspReference = text(own['id']);
  const found = {
    httpStatus: 200,
    ...(pspReference === undefined ? {} : { pspReference }),
    isNamed: true as const,
  };
  if (own['approved'] === false) return { ...found, ...declined(own) };
  const amount = amountIn(own['amount'], money.currency);
  if (operation !== 'void' && amount === null)
    return { ...found, outcome: 'conflict', pspCode: 'money_unreadable' };
  return { ...found, outcome: 'succeeded', ...(operation === 'void' || !amount ? {} : { money: amount }) };
}

/** `currency` stands with the payment alone. */
function moneyOf(body: Json): Money | null {
  return amountIn(body['amount'], text(body['currency']) ?? '');
}

export function amountIn(amount: unknown, currency: string): Money | null {
  return typeof amount === 'number' ? fromPspUnits(amount, currency, EXPONENTS) : null;
}

/** Our operation that the payment was made for, as its metadata says. */
export function operationIn(metadata: unknown): 'charge' | 'authorize' | undefined {
  const name = record(metadata)[OPERATION];
  return name === 'charge' || name === 'authorize' ? name : undefined;
}

export function routeIn(metadata: unknown): string | undefined {
  return text(record(metadata)[ROUTE]);
}

function saidOf(body: Json | null): Pick<Answer, 'pspCode' | 'message'> {
  const codes = body?.['error_codes'];
  const [code] = Array.isArray(codes) ? (codes as unknown[]) : [];
  const pspCode = text(code) ?? text(body?.['error_type']);
  return pspCode === undefined ? {} : { pspCode, message: pspCode };
}
