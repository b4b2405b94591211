import { createHash } from 'node:crypto';
import { type Money } from '../../core/money.js';
import { type Answer, type Instruction, type NextAction } from '../contract.js';
import { waitOf } from '../json-body.js';
import { fromPspUnits, toPspUnits } from '../minor-units.js';
import { returnedIn } from '../return-query.js';
import { shortName } from '../short-name.js';
import { adyenDeclineCategory, adyenRefusalCode } from './refusal-reasons.js';

/**
 * "For CLP, CVE, IDR, and ISK the standard has a different number of decimals": Adyen's are leading.
 * Source: https://docs.adyen.com/development-resources/currency-codes (read 2026-11).
 */
const EXPONENTS = { CLP: 2, CVE: 0, IDR: 0, ISK: 2 };

/** One POST below the base URL. `body` is final: every resend of a route is the same bytes. */
export interface AdyenRequest {
  readonly path: string;
  readonly body: string;
  readonly idempotencyKey: string;
}

// Ours to Adyen's.

/** The one request of an execute; null where Adyen cannot represent this amount exactly. */
export function executeRequest(instruction: Instruction, merchantAccount: string): AdyenRequest | null {
  const { operation, idempotencyKey, parentReference = '' } = instruction;
  const parent = `/payments/${encodeURIComponent(parentReference)}`;
  const reference = referenceFor(instruction.entityKey);
  const amount = amountOf(instruction.money);
  if (operation === 'void') {
    return request(`${parent}/cancels`, { merchantAccount, reference }, idempotencyKey);
  }
  if (!amount) return null;
  if (operation === 'capture' || operation === 'refund') {
    return request(`${parent}/${operation}s`, { merchantAccount, amount, reference }, idempotencyKey);
  }
  return request('/payments', paymentBody(instruction, merchantAccount, amount), idempotencyKey);
}

/**
 * Calls back what we sent. What Adyen said yes to is reversed by Adyen's own id: voided, or refunded
 * where it was captured. Of what we do not know to be there, the payments under our reference are
 * voided: the "technical cancel".
 * https://docs.adyen.com/online-payments/reversal
 * https://docs.adyen.com/api-explorer/Checkout/71/post/cancels
 */
export function cancelRequest(instruction: Instruction, merchantAccount: string): AdyenRequest {
  const { entityKey, idempotencyKey, pspReference, undo } = instruction;
  if (undo && pspReference !== undefined) {
    const path = `/payments/${encodeURIComponent(pspReference)}/reversals`;
    const reference = referenceFor(`${entityKey}${REVERSAL}`);
    return request(path, { merchantAccount, reference }, keyFor('reversal', idempotencyKey));
  }
  const paymentReference = referenceFor(entityKey);
  const reference = referenceFor(`${entityKey}${CANCEL}`);
  return request(
    '/cancels',
    { merchantAccount, paymentReference, reference },
    keyFor('cancel', idempotencyKey),
  );
}

/**
 * Hands in what the customer's return handed over. The key follows from the details: handed in again they
 * are answered as before, and those of the next step (a challenge after a fingerprint) are news.
 * https://docs.adyen.com/api-explorer/Checkout/71/post/payments/details
 */
export function completionRequest({ details = {}, idempotencyKey }: Instruction): AdyenRequest {
  const body = JSON.stringify({ details: detailsIn(details) });
  return {
    path: '/payments/details',
    body,
    idempotencyKey: keyFor(`details:${body}`, idempotencyKey),
  };
}

/** The details for Adyen that the customer returns with; anything else in its query is the shop's own, and Adyen would refuse it. */
const OF_RETURN = ['redirectResult', 'payload', 'MD', 'PaRes'];

function detailsIn(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const given = returnedIn(details);
  if (given === details) return details;
  return Object.fromEntries(OF_RETURN.filter((name) => name in given).map((name) => [name, given[name]]));
}

const CANCEL = '-cancel';
const REVERSAL = '-reversal';

/** The operation that a cancel of ours was to call back; null for every other name. */
export function calledBack(reference: string): string | null {
  const suffix = [CANCEL, REVERSAL].find((each) => reference.endsWith(each));
  return suffix === undefined ? null : reference.slice(0, -suffix.length);
}

/** "Maximum length: 80 characters": https://docs.adyen.com/api-explorer/Checkout/71/post/payments */
const MAX_REFERENCE_LENGTH = 80;

/** A name of ours as Adyen takes it; a colon separates what it signs in its notifications. */
export function referenceFor(name: string): string {
  return shortName(name, MAX_REFERENCE_LENGTH, ':');
}

/** True if Adyen hands back this name for the operation: the entity key, as it is or shortened. */
export function isOwnName(entityKey: string, handedBack: string): boolean {
  return handedBack === entityKey || handedBack === referenceFor(entityKey);
}

/** Another request needs another key, and a key has at most 64 characters. */
function keyFor(what: string, idempotencyKey: string): string {
  return createHash('sha256').update(`${idempotencyKey}:${what}`).digest('base64url');
}

function paymentBody(instruction: Instruction, merchantAccount: string, amount: AdyenAmount): object {
  const { operation, entityKey, route, method, customer, statementDescriptor, pspCustomer } = instruction;
  const byMerchant = instruction.initiator === 'merchant';
  // A charge that the merchant initiates has no customer to send anywhere.
  const returnUrl = byMerchant ? undefined : instruction.returnUrl;
  const shopperReference = pspCustomer ?? customer?.reference;
  return {
    merchantAccount,
    amount,
    // Cancels and webhooks find the payment by it.
    reference: referenceFor(entityKey),
    paymentMethod: methodOf(instruction),
    ...(shopperReference ? { shopperReference } : {}),
    ...(customer?.email ? { shopperEmail: customer.email } : {}),
    ...(method === undefined || method === 'sepa'
      ? storedBy(byMerchant)
      : { shopperInteraction: 'Ecommerce' }),
    channel: 'Web',
    // Required by the API. Without a page to come back to no authentication is started at all.
    returnUrl: returnUrl ?? 'https://no-return-url.invalid/',
    authenticationData: returnUrl
      ? { threeDSRequestData: { nativeThreeDS: 'disabled' } }
      : { attemptAuthentication: 'never' },
    ...(statementDescriptor ? { shopperStatement: statementOf(statementDescriptor) } : {}),
    // Said with every payment, so that no setting of the account decides when money moves.
    ...(operation === 'authorize' ? { additionalData: { manualCapture: 'true' } } : { captureDelayHours: 0 }),
    metadata: { payonce_route: String(route), reference: instruction.reference.slice(0, 80) },
  };
}

/**
 * The card or bank account is stored, whether the customer or the merchant starts the payment:
 * https://docs.adyen.com/online-payments/tokenization/make-token-payments
 */
function storedBy(byMerchant: boolean): object {
  return {
    shopperInteraction: 'ContAuth',
    recurringProcessingModel: byMerchant ? 'UnscheduledCardOnFile' : 'CardOnFile',
  };
}

/** https://docs.adyen.com/payment-methods (read 2026-11): the pages "API only" of each. */
function methodOf({ method, token }: Instruction): object {
  switch (method) {
    case undefined:
      return { type: 'scheme', storedPaymentMethodId: token };
    case 'sepa':
      return { type: 'sepadirectdebit', storedPaymentMethodId: token };
    case 'apple_pay':
      return { type: 'applepay', applePayToken: token };
    case 'google_pay':
      return { type: 'googlepay', googlePayToken: token };
    case 'bancontact':
      return { type: 'bcmc_mobile' };
    default:
      return { type: method };
  }
}

/**
 * "Allowed characters: a-z, A-Z, 0-9, spaces, and special characters . , ' _ - ? + * /", 22 of them at most:
 * https://docs.adyen.com/api-explorer/Checkout/71/post/payments#request-shopperStatement
 */
function statementOf(descriptor: string): string {
  return descriptor
    .replaceAll('&', '+')
    .replaceAll(/[:;|]/g, ',')
    .replaceAll(/[^A-Za-z0-9 .,'_\-?+*/]/g, ' ')
    .slice(0, 22);
}

export function request(path: string, body: object, idempotencyKey: string): AdyenRequest {
  return { path, body: JSON.stringify(body), idempotencyKey };
}

interface AdyenAmount {
  readonly currency: string;
  readonly value: number;
}

export function amountOf(money: Money): AdyenAmount | null {
  const value = toPspUnits(money, EXPONENTS);
  return value === null ? null : { currency: money.currency, value };
}

// Adyen's to ours.

/** A response of the PSP, not checked yet. */
export interface AdyenResponse {
  readonly httpStatus: number;
  readonly text: string;
  readonly retryAfter?: string | undefined;
  /** The `transient-error` header: the same request may be sent again under the same key. */
  readonly transient: boolean;
}

/** The fields of Adyen's answers that are read; all of them may be missing or of another type. */
export interface AdyenBody {
  readonly pspReference?: unknown;
  readonly merchantReference?: unknown;
  readonly reference?: unknown;
  readonly resultCode?: unknown;
  readonly refusalReason?: unknown;
  readonly refusalReasonCode?: unknown;
  readonly amount?: unknown;
  readonly action?: unknown;
  readonly status?: unknown;
  readonly errorCode?: unknown;
  readonly message?: unknown;
  readonly additionalData?: unknown;
  /** Transfers alone. */
  readonly id?: unknown;
  readonly reason?: unknown;
  /** Transfers word their refusals as problem documents (RFC 9457). */
  readonly detail?: unknown;
}

export function answerOfExecute(response: AdyenResponse, instruction: Instruction): Answer {
  const { operation } = instruction;
  const modifies = operation === 'capture' || operation === 'void' || operation === 'refund';
  return answerOf(response, (body) => ({
    ...named(body, instruction),
    ...(modifies ? modificationOf(body) : paymentOf(body)),
  }));
}

/**
 * A technical cancel that was received has not been done, and whether there was anything to cancel is
 * reported by webhook (TECHNICAL_CANCEL): it proves nothing, so the route waits. A reversal that was
 * received counts as done, as a capture does: what it acts upon is known to be there.
 */
export function answerOfCancel(response: AdyenResponse, { undo }: Pick<Instruction, 'undo'>): Answer {
  return answerOf(response, (body) => {
    if (body.status !== 'received') return unknownWord(body.status);
    return { outcome: undo ? 'canceled' : 'pending', pspCode: 'received' };
  });
}

/** The payment as it stands after the details, like the answer to the payment itself. */
export function answerOfCompletion(response: AdyenResponse): Answer {
  return answerOf(response, paymentOf);
}

/** https://docs.adyen.com/development-resources/response-handling */
export function answerOf(response: AdyenResponse, ofSuccess: (body: AdyenBody) => Answer): Answer {
  const { httpStatus } = response;
  const body = parsed(response.text);
  if (httpStatus === 429)
    return { httpStatus, outcome: 'throttled', ...saidOf(body), ...waitOf(response.retryAfter) };
  if (!body) return { httpStatus, outcome: 'unknown', pspCode: 'unreadable_answer' };
  if (httpStatus >= 200 && httpStatus <= 202) {
    return { httpStatus, ...referenceOf(body), ...ofSuccess(body) };
  }
  return { httpStatus, ...saidOf(body), outcome: refusalOutcome(response, body) };
}

/** Another request under our key was processed or is in progress: no word about its outcome. */
const KEY_IN_USE = '704';

function refusalOutcome({ httpStatus, transient }: AdyenResponse, body: AdyenBody): 'rejected' | 'unknown' {
  // https://docs.adyen.com/development-resources/api-idempotency#error-handling
  if (body.errorCode === KEY_IN_USE || transient) return 'unknown';
  return [400, 401, 403, 404, 422].includes(httpStatus) ? 'rejected' : 'unknown';
}

/** https://docs.adyen.com/online-payments/build-your-integration/payment-result-codes */
export function paymentOf(body: AdyenBody): Answer {
  const { resultCode } = body;
  switch (resultCode) {
    case 'Authorised':
      return succeeded(body);
    case 'Refused':
    case 'Cancelled':
      return declined(body);
    case 'Error':
      // Final only where it says why; without a reason it is not known how far it went.
      return refusalCodeOf(body) ? declined(body) : { outcome: 'unknown', pspCode: 'Error' };
    case 'RedirectShopper':
    case 'ChallengeShopper':
    case 'IdentifyShopper':
      return { outcome: 'requires_action', pspCode: resultCode, ...actionOf(body) };
    case 'Pending':
    case 'Received':
    case 'PresentToShopper': {
      // With an action (`await`, `qrCode`, `voucher`, `sdk`) it is the customer that it waits for.
      const action = actionOf(body);
      return action.nextAction
        ? { outcome: 'requires_action', pspCode: resultCode, ...action }
        : { outcome: 'pending', pspCode: resultCode };
    }
    default:
      return unknownWord(resultCode);
  }
}

/**
 * A capture, refund or cancel by Adyen's own id is answered with `received` alone: accepted for processing.
 * That counts as done, because Adyen carries it out unless the scheme objects later, which comes
 * by webhook (CAPTURE_FAILED, REFUND_FAILED, CANCELLATION with success false) and is booked then.
 */
function modificationOf(body: AdyenBody): Answer {
  return body.status === 'received' ? succeeded(body) : unknownWord(body.status);
}

export function succeeded(body: AdyenBody): Answer {
  const { value, currency } = record(body.amount);
  if (value === undefined && currency === undefined) return { outcome: 'succeeded' };
  const amount = wholeNumber(value);
  const money =
    amount !== null && typeof currency === 'string' ? fromPspUnits(amount, currency, EXPONENTS) : null;
  return money ? { outcome: 'succeeded', money } : { outcome: 'conflict', pspCode: 'money_unreadable' };
}

/** Some notifications write the number as a string; only digits count as a number. */
function wholeNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^(?:0|[1-9]\d{0,15})$/.test(value) ? Number(value) : null;
}

/** The words give the reason if the code is missing. */
function refusalCodeOf({ refusalReasonCode, refusalReason, additionalData }: AdyenBody): string | undefined {
  const raw = text(record(additionalData)['refusalReasonRaw']);
  return text(refusalReasonCode) ?? adyenRefusalCode(text(refusalReason), raw);
}

export function declined(body: AdyenBody): Answer {
  const code = refusalCodeOf(body);
  const advice = text(record(body.additionalData)['merchantAdviceCode']);
  const reason = text(body.refusalReason);
  return {
    outcome: 'declined',
    decline: adyenDeclineCategory(code, advice),
    pspCode: code ?? text(body.resultCode) ?? 'declined',
    ...(reason ? { message: reason } : {}),
  };
}

/**
 * A page, by GET or with a form by POST; or an action that Adyen's library carries out (threeDS2, sdk, await,
 * qrCode, voucher and what there may be besides).
 * https://docs.adyen.com/online-payments/build-your-integration/additional-references/action-types
 */
function actionOf({ action }: AdyenBody): { readonly nextAction?: NextAction } {
  const { type, url, method = 'GET', data } = record(action);
  if (typeof type !== 'string') return {};
  const fields = formOf(data);
  if (type === 'redirect' && typeof url === 'string' && fields && (method === 'GET' || method === 'POST')) {
    return { nextAction: { type: 'redirect', url, method, fields } };
  }
  return { nextAction: { type: 'psp_sdk', data: record(action) } };
}

/** The fields of a form; null where they are none. */
function formOf(data: unknown): Record<string, string> | null {
  if (data === undefined || data === null) return {};
  const fields = Object.entries(record(data));
  const isForm = fields.every((field): field is [string, string] => typeof field[1] === 'string');
  return isForm ? Object.fromEntries(fields) : null;
}

/** `merchantReference` is a payment's, `reference` a modification's or a transfer's. */
export function named(
  { merchantReference, reference }: AdyenBody,
  { entityKey }: Pick<Instruction, 'entityKey'>,
): { isNamed?: true } {
  const name = text(merchantReference) ?? text(reference);
  return name !== undefined && isOwnName(entityKey, name) ? { isNamed: true } : {};
}

export function unknownWord(word: unknown): Answer {
  return { outcome: 'unknown', pspCode: text(word) ?? 'no_result' };
}

function saidOf(body: AdyenBody | null): Pick<Answer, 'pspCode' | 'message' | 'pspReference'> {
  const message = text(body?.message) ?? text(body?.detail);
  const code = text(body?.errorCode);
  return { ...(code ? { pspCode: code } : {}), ...(message ? { message } : {}), ...referenceOf(body) };
}

function referenceOf(body: AdyenBody | null): Pick<Answer, 'pspReference'> {
  const pspReference = text(body?.pspReference);
  return pspReference ? { pspReference } : {};
}

function parsed(json: string): AdyenBody | null {
  try {
    const body: unknown = JSON.parse(json);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : null;
  } catch {
    return null;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
