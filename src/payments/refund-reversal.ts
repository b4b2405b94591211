import { audit } from '../database/audit.js';
import { type Change, update } from '../core/change.js';
import { type Refund } from '../refunds/refund.entity.js';
import { refunds } from '../refunds/refund.table.js';
import { refundLifecycle } from '../refunds/refund.lifecycle.js';
import { orphanOf } from '../request-storage/entity-key.js';
import { type RuledOut } from '../request-storage/next-step.js';
import { type PspRequest } from '../request-storage/psp-request.entity.js';
import { orphanEffects } from '../request-storage/psp-request.table.js';
import { failureOf } from './failure.js';
import { type NewId, refundMoved } from './payment-events.js';
import { paymentLifecycle } from './payment.lifecycle.js';
import { firstEntityKey, type PaymentState } from './payment-state.js';
import { moveOn } from './settle.js';

/**
 * A refund that the PSP had done has come to nothing: the money is with the merchant again. The route keeps
 * its verdict, for the PSP did what it was asked; the refund, the balance and the payment's status go back.
 */
export function reverseRefund(
  { payment }: PaymentState,
  refund: Refund,
  evidence: RuledOut,
  newId: NewId,
  now: Date,
): readonly Change[] {
  const { merchantId, id, status } = payment;
  const { entityKey: name, amount } = refund;
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
    ...moveOn(payment, set, { event, actor, entityKey: name }, now).changes,
    update(refunds, { merchantId, entityKey: name }, after, { status: 'succeeded' }),
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

/** What gave an orphan effect back has come to nothing: a person looks at that effect again. */
export function reverseCompensation({ payment }: PaymentState, { entityKey: name }: PspRequest): Change {
  const key = { merchantId: payment.merchantId, entityKey: firstEntityKey(payment), ...orphanOf(name) };
  return update(orphanEffects, key, { status: 'failed' }, { status: 'compensated' });
}
