import { type Change, type Store, update } from '../core/change.js';
import { audit } from '../database/audit.js';
import { failureOf } from '../payments/payment-failure.js';
import { type Payment } from '../payments/payment.entity.js';
import { paymentLifecycle } from '../payments/payment.lifecycle.js';
import {
  type OperationStep,
  type NewId,
  type OperationRecord,
  type Recorded,
} from '../payments/payment-operation.js';
import { moveOn } from '../payments/decide-payment.js';
import { type RuledOut } from '../request-storage/decisions/next-step.js';
import { refundMoved } from './refund-events.js';
import { type Refund } from './refund.entity.js';
import { refundLifecycle } from './refund.lifecycle.js';
import { refunds } from './refund.table.js';

/** A refund, and whether its row is written yet. */
export interface KeptRefund {
  readonly row: Refund;
  /** False until the commit that writes the row. */
  readonly isStored: boolean;
}

/** The row of a refund, when its operation is found, decided or reversed. */
export class RefundRecord implements OperationRecord {
  constructor(private readonly store: Store) {}

  async find(merchantId: string, entityKey: string): Promise<KeptRefund | null> {
    const [row] = await this.store.find(refunds, { merchantId, entityKey }, 1);
    return row ? { row, isStored: true } : null;
  }

  recordAfter(record: unknown, { request, step }: OperationStep, newId: NewId, now: Date): Recorded {
    const { row } = record as KeptRefund;
    const { merchantId, entityKey } = row;
    const set = {
      status: refundLifecycle.after('pending', step.do === 'finish' ? 'refunded' : 'failed'),
      pspReference: request.pspReference,
      failure: failureOf(step, request.operation),
      updatedAt: now,
    };
    const after = { ...row, ...set };
    return {
      record: { row: after, isStored: true },
      changes: [
        update(refunds, { merchantId, entityKey }, set, { status: 'pending' }),
        ...refundMoved({ ...row, status: 'pending' }, after, newId, now),
      ],
    };
  }

  /**
   * A refund that the PSP had done failed later: the merchant has the money again. The route keeps its verdict,
   * since the PSP did what the request asked; the refund, the balance and the payment's status are corrected.
   */
  async reverse(
    payment: Payment,
    entityKey: string,
    evidence: RuledOut,
    newId: NewId,
    now: Date,
  ): Promise<readonly Change[]> {
    const { merchantId, id, status } = payment;
    const refund = (await this.find(merchantId, entityKey))?.row;
    if (!refund) throw new RangeError(`a refund without its row: ${entityKey}`);
    const { amount } = refund;
    const amountRefunded = payment.amountRefunded - amount;
    const event = amountRefunded === 0 ? 'refund_reversed' : 'refund_part_reversed';
    const actor = `psp:${refund.psp}`;
    const set = { status: paymentLifecycle.after(status, event), amountRefunded, updatedAt: now };
    const after = {
      status: refundLifecycle.after('succeeded', 'reversed'),
      failure: failureOf({ do: 'fail', evidence }, 'refund'),
      updatedAt: now,
    };
    return [
      ...moveOn(payment, set, { event, actor, entityKey }, now).changes,
      update(refunds, { merchantId, entityKey }, after, { status: 'succeeded' }),
      audit({
        merchantId,
        id: newId(),
        at: now,
        actor,
        action: 'refund.reversed',
        subject: `payment:${id}`,
        detail: { refund_id: refund.id, amount, psp_code: evidence.by.pspCode },
      }),
      ...refundMoved(refund, { ...refund, ...after }, newId, now),
    ];
  }
}
