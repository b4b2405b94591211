import { type Change, insert, update } from '../core/change.js';
import { type Refund } from '../refunds/refund.entity.js';
import { refunds } from '../refunds/refund.table.js';
import { refundLifecycle } from '../refunds/refund.lifecycle.js';
import { type Refusal } from './operation-rules.js';
import { type NewId, refundMoved } from './payment-events.js';
import { type PaymentState } from './payment-state.js';

type RefundOf = Pick<PaymentState, 'refund' | 'refundIsStored'>;

/** Its route is opened in the same commit: now it is known at which PSP, and how much. */
export function refundOpened(
  { refund, refundIsStored }: RefundOf,
  { amount, psp }: { readonly amount: number; readonly psp: string },
  now: Date,
): { readonly row: Refund; readonly changes: readonly Change[] } | null {
  if (!refund) return null;
  const status = refund.status === 'failed' ? refundLifecycle.after('failed', 'asked_again') : refund.status;
  const set = { status, amount, psp, failure: null, updatedAt: now };
  const row = { ...refund, ...set };
  return { row, changes: [refundIsStored ? written(refund, set) : insert(refunds, row)] };
}

/** What was to be resolved first has shown that there is nothing to refund. */
export function refundRefused(
  { refund, refundIsStored }: RefundOf,
  { code, detail }: Refusal,
  newId: NewId,
  now: Date,
): readonly Change[] {
  // What was refused at once leaves no refund behind.
  if (refund?.status !== 'pending' || !refundIsStored) return [];
  const failure = { category: 'refused', code, psp_code: null, message: detail };
  const set = { status: refundLifecycle.after('pending', 'failed'), failure, updatedAt: now };
  return [written(refund, set), ...refundMoved(refund, { ...refund, ...set }, newId, now)];
}

function written(refund: Refund, set: Partial<Refund>): Change {
  const { merchantId, entityKey, status } = refund;
  return update(refunds, { merchantId, entityKey }, set, { status });
}
