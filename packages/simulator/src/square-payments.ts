import { type PaidOut } from './books.js';
import { type Created } from './objects.js';
import { feeOf, type Row } from './settlement-report.js';

type SquareStatus = 'APPROVED' | 'PENDING' | 'COMPLETED' | 'CANCELED' | 'FAILED';

/** Never changed, only replaced. */
export interface SquarePayment extends Created {
  readonly amount: number;
  readonly currency: string;
  readonly status: SquareStatus;
  /** Completed as soon as it is approved. */
  readonly atOnce: boolean;
  readonly captured: number;
  readonly refunded: number;
  readonly refundIds: readonly string[];
  readonly key: string;
  readonly referenceId: string | null;
  readonly note: string | null;
  readonly locationId: string;
  readonly error: string | null;
  readonly updatedMs: number;
}

export interface SquareRefund extends Created {
  readonly paymentId: string;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string | null;
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED';
  readonly locationId: string;
  readonly updatedMs: number;
}

const time = (ms: number): string => new Date(ms).toISOString();
const money = (amount: number, currency: string): object => ({ amount, currency });

export function squareError(category: string, code: string, detail: string): object {
  return { errors: [{ category, code, detail }] };
}

const declines = (code: string) => ({
  category: 'PAYMENT_METHOD_ERROR',
  code,
  detail: `Authorization error: '${code}'`,
});

export function renderSquarePayment(payment: SquarePayment): object {
  const { id, amount, currency, status, refunded, refundIds, referenceId, note, locationId, error } = payment;
  const card = { APPROVED: 'AUTHORIZED', COMPLETED: 'CAPTURED', CANCELED: 'VOIDED', FAILED: 'FAILED' };
  return {
    id,
    created_at: time(payment.createdMs),
    updated_at: time(payment.updatedMs),
    amount_money: money(amount, currency),
    total_money: money(amount, currency),
    ...(status === 'FAILED' ? {} : { approved_money: money(amount, currency) }),
    ...(refunded > 0 ? { refunded_money: money(refunded, currency) } : {}),
    status,
    ...(status === 'PENDING'
      ? { source_type: 'BANK_ACCOUNT' }
      : {
          source_type: 'CARD',
          card_details: {
            status: card[status],
            card: { card_brand: 'VISA', last_4: '1111', exp_month: 11, exp_year: 2030 },
            entry_method: 'KEYED',
            ...(error === null ? {} : { errors: [declines(error)] }),
          },
        }),
    location_id: locationId,
    order_id: `order-of-${id}`,
    ...(refundIds.length > 0 ? { refund_ids: refundIds } : {}),
    ...(referenceId === null ? {} : { reference_id: referenceId }),
    ...(note === null ? {} : { note }),
  };
}

/** The answer to a payment that was declined: the error, and the payment all the same. */
export function renderSquareDecline(payment: SquarePayment): object {
  return { errors: [declines(payment.error ?? 'GENERIC_DECLINE')], payment: renderSquarePayment(payment) };
}

export function renderSquareRefund(refund: SquareRefund): object {
  const { id, paymentId, amount, currency, reason, status, locationId, createdMs, updatedMs } = refund;
  return {
    id,
    status,
    amount_money: money(amount, currency),
    payment_id: paymentId,
    order_id: `order-of-${id}`,
    created_at: time(createdMs),
    updated_at: time(updatedMs),
    location_id: locationId,
    ...(reason === null ? {} : { reason }),
  };
}

/** A transfer to the seller's bank. */
export function renderSquarePayout({ id, createdMs, currency, rows }: PaidOut, locationId: string): object {
  const amount = rows.reduce((sum, row) => sum + row.gross - feeOf(row), 0);
  return {
    id,
    status: 'PAID',
    type: 'BATCH',
    location_id: locationId,
    created_at: time(createdMs),
    updated_at: time(createdMs),
    amount_money: money(amount, currency),
  };
}

export function renderSquareEntry(payout: string, row: Row): object {
  const { effect, gross, at } = row;
  const { psp_reference: own, parent_reference: parent, currency } = effect;
  const type = row.type.replace(/_reversed$/, '').toUpperCase();
  const kind = type === 'PAYMENT' ? 'CHARGE' : type;
  const part = { REFUND: { refund_id: own }, DISPUTE: { dispute_id: own } }[kind];
  return {
    id: `poe_${row.id}`,
    payout_id: payout,
    effective_at: at,
    type: kind,
    gross_amount_money: money(gross, currency),
    fee_amount_money: money(feeOf(row), currency),
    net_amount_money: money(gross - feeOf(row), currency),
    [`type_${kind.toLowerCase()}_details`]: {
      payment_id: part === undefined ? own : (parent ?? own),
      ...part,
    },
  };
}
