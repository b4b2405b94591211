import { Problem } from '../kernel/index.js';
import { type CaptureAsk, type PaymentAsk, type PaymentFilter, type RefundAsk } from '../payments/index.js';
import { findCardNumber } from './card-number.js';
import { pointerOf } from './json-body.js';
import {
  CancelRequest,
  CaptureRequest,
  PaymentListQuery,
  PaymentRequest,
  type CaptureRequestBody,
  PageQuery,
  type PageParameters,
  type PaymentListParameters,
  type PaymentRequestBody,
  RefundRequest,
  type RefundRequestBody,
} from './request-schemas.js';
import { checkOf, type Check } from './validation.js';

/** From what came over the wire to what the flows take. Each throws Problem `validation_failed`. */

const checkPayment: Check<PaymentRequestBody> = checkOf(PaymentRequest);
const checkCapture: Check<CaptureRequestBody> = checkOf(CaptureRequest);
const checkRefund: Check<RefundRequestBody> = checkOf(RefundRequest);
const checkCancel: Check<object> = checkOf(CancelRequest);
const checkList: Check<PaymentListParameters> = checkOf(PaymentListQuery);
const checkPage: Check<PageParameters> = checkOf(PageQuery);

export function paymentAsk(value: unknown): PaymentAsk {
  checkPayment(value);
  const { payment_method: method, customer } = value;
  return {
    reference: value.reference,
    amount: value.amount,
    currency: value.currency,
    capture: value.capture ?? 'automatic',
    paymentMethod: {
      type: method.type,
      tokens: method.tokens,
      card: { brand: method.card?.brand ?? null, country: method.card?.country ?? null },
    },
    customer: { reference: customer?.reference ?? null, email: customer?.email ?? null },
    returnUrl: value.return_url ?? null,
    statementDescriptor: value.statement_descriptor ?? null,
    metadata: value.metadata ?? {},
    // Left out where it says nothing, so that it leaves the fingerprints of other requests alone.
    ...(value.allow_duplicate === true ? { allowDuplicate: true } : {}),
  };
}

/** `amount` null = all that is left; an empty body asks for that too. */
export function captureAsk(value: unknown = {}): CaptureAsk {
  checkCapture(value);
  return { amount: value.amount ?? null, reference: value.reference ?? null };
}

/** `amount` null = all that is left; an empty body asks for that too. */
export function refundAsk(value: unknown = {}): RefundAsk {
  checkRefund(value);
  return {
    amount: value.amount ?? null,
    reference: value.reference ?? null,
    reason: value.reason ?? null,
    metadata: value.metadata ?? {},
  };
}

export function cancelAsk(value: unknown = {}): void {
  checkCancel(value);
}

export interface ListAsk {
  readonly filter: PaymentFilter;
  readonly limit: number;
  readonly cursor: string | null;
}

export const DEFAULT_LIMIT = 20;

/** From a parsed query string: every value is a string, or an array where a name came twice. */
export function listAsk(query: Readonly<Record<string, unknown>>): ListAsk {
  const value: unknown = queryOf(query);
  checkList(value);
  const { status, psp, reference, 'created[gte]': from, 'created[lte]': to } = value;
  return {
    filter: {
      ...(status === undefined ? {} : { status }),
      ...(psp === undefined ? {} : { psp }),
      ...(reference === undefined ? {} : { reference }),
      ...(from === undefined ? {} : { createdFrom: new Date(from) }),
      ...(to === undefined ? {} : { createdTo: new Date(to) }),
    },
    limit: value.limit ?? DEFAULT_LIMIT,
    cursor: value.cursor ?? null,
  };
}

/** A page of a list that has no filters. */
export function pageAsk(query: Readonly<Record<string, unknown>>): Pick<ListAsk, 'limit' | 'cursor'> {
  const value: unknown = queryOf(query);
  checkPage(value);
  return { limit: value.limit ?? DEFAULT_LIMIT, cursor: value.cursor ?? null };
}

/** A query string without card numbers, its `limit` as the number that it says. */
export function queryOf(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  refuseCardNumbers(query);
  const { limit } = query;
  return typeof limit === 'string' && /^\d{1,9}$/.test(limit)
    ? { ...query, limit: Number(limit) }
    : { ...query };
}

function refuseCardNumbers(query: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(query)) {
    const pointer = findCardNumber(name) ? '' : findCardNumber(String(value)) ? pointerOf([name]) : null;
    if (pointer === null) continue;
    throw new Problem(
      'card_number_refused',
      'A card number stands in the query. It was not kept or logged.',
      {
        errors: [{ pointer, message: 'holds what looks like a card number' }],
      },
    );
  }
}
