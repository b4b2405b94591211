import { type Change, insert, update } from '../core/change.js';
import { type Decision, type KeyedRun } from '../idempotency/operation.js';
import { audit } from '../database/audit.js';
import { moveOn } from '../payments/decide-payment.js';
import { ModificationFlow, type ModifyPayment } from '../payments/modify-payment.js';
import { type Payment } from '../payments/payment.entity.js';
import { type Refusal, refuse } from '../payments/refusal.js';
import { failureOf } from '../request-storage/decisions/route-failure.js';
import { type PaymentEvent, paymentLifecycle } from '../payments/payment.lifecycle.js';
import { type OperationStep, type NewId, type Recorded } from '../payments/payment-operation.js';
import { type PaymentState, undecidedOperation } from '../payments/payment-state.js';
import { type RuledOut } from '../request-storage/decisions/next-step.js';
import { type Route } from '../request-storage/route.entity.js';
import { refundMoved } from './refund-events.js';
import { type Refund } from './refund.entity.js';
import { refundLifecycle } from './refund.lifecycle.js';
import { leftToRefund, refundRefusal, reversedRefusal } from './refund-rules.js';
import { refunds } from './refund.table.js';
import { refundJson, refundViewOf } from './refund.view.js';

/** A refund, and whether its row is written yet. */
interface KeptRefund {
  readonly row: Refund;
  /** False until the commit that writes the row. */
  readonly isStored: boolean;
}

/**
 * Refunds a captured amount. Its name identifies a refund, `payment-<id>-refund[-<reference>]`: every request for
 * it, under any Idempotency-Key, gets the same one.
 */
export class RefundFlow extends ModificationFlow {
  readonly name = 'POST /v1/payments/:id/refunds';
  readonly operation = 'refund';

  async findRecord(merchantId: string, entityKey: string): Promise<KeptRefund | null> {
    const [row] = await this.tools.store.find(refunds, { merchantId, entityKey }, 1);
    return row ? { row, isStored: true } : null;
  }

  /** begin: a refund that has to wait for another operation is stored meanwhile. */
  protected override beginWith(
    found: PaymentState,
    input: ModifyPayment,
    run: KeyedRun,
  ): { readonly params?: Record<string, unknown>; readonly decision: Decision<PaymentState> } {
    const stored = refundOf(found);
    if (stored) {
      const differs = differenceFrom(stored.row, input);
      return { decision: differs ? refuse(differs) : this.next(found, run) };
    }
    const row = this.newRefund(found, input);
    const wanted = { ...found.wanted, isNew: true };
    const waits = undecidedOperation(found) !== null;
    const decision = this.next(withRefund({ ...found, wanted }, { row, isStored: waits }), run);
    return {
      params: { is_new: true },
      decision: waits ? { ...decision, changes: [...decision.changes, insert(refunds, row)] } : decision,
    };
  }

  /** A refund as requested. The amount of "the rest" is known once it is opened. */
  private newRefund(state: PaymentState, input: ModifyPayment): Refund {
    const { payment } = state;
    const now = this.tools.clock.now();
    return {
      merchantId: payment.merchantId,
      entityKey: state.requestedKey,
      id: this.tools.ids.uuid(),
      paymentId: payment.id,
      reference: input.reference,
      status: 'pending',
      amount: input.amount ?? (leftToRefund(payment) || payment.amount),
      currency: payment.currency,
      reason: input.reason,
      metadata: { ...input.metadata },
      psp: null,
      pspReference: null,
      failure: null,
      ...(payment.isTest ? { isTest: true } : {}),
      createdAt: now,
      updatedAt: now,
    };
  }

  protected override isAlreadySatisfied(state: PaymentState): boolean {
    return refundOf(state)?.row.status === 'succeeded';
  }

  protected refusal(state: PaymentState): Refusal | null {
    const row = refundOf(state)?.row;
    return (row && reversedRefusal(row, state)) ?? refundRefusal(state.payment, state.wanted);
  }

  protected amountOf({ payment, wanted }: PaymentState): number {
    return wanted.amount ?? leftToRefund(payment);
  }

  protected reserve({ refundReserved }: Payment, amount: number): Partial<Payment> {
    return { refundReserved: refundReserved + amount };
  }

  /** Its route is opened in the same commit: now its PSP and amount are known. */
  protected override opened(
    state: PaymentState,
    { amount, psp }: { readonly amount: number; readonly psp: string },
    now: Date,
  ) {
    const { row, isStored } = refundOf(state)!;
    const status = row.status === 'failed' ? refundLifecycle.after('failed', 'asked_again') : row.status;
    const set = { status, amount, psp, failure: null, updatedAt: now };
    const after = { ...row, ...set };
    return {
      records: withRefund(state, { row: after, isStored: true }).records,
      changes: [isStored ? changed(row, set) : insert(refunds, after)],
    };
  }

  /** The operation that had to be resolved first has shown that there is nothing to refund. */
  protected override refused(state: PaymentState, { code, detail }: Refusal, now: Date): readonly Change[] {
    const { row, isStored } = refundOf(state)!;
    // A refund that is refused at once is not stored.
    if (row.status !== 'pending' || !isStored) return [];
    const failure = { category: 'refused', code, psp_code: null, message: detail };
    const set = { status: refundLifecycle.after('pending', 'failed'), failure, updatedAt: now };
    return [changed(row, set), ...refundMoved(row, { ...row, ...set }, () => this.tools.ids.uuid(), now)];
  }

  /** settle: the whole captured amount was refunded, or a part of it. */
  done({ payment, request }: OperationStep): PaymentEvent {
    const isAll =
      payment.amountRefunded + request.amount >= payment.amountCaptured && payment.status !== 'authorized';
    return isAll ? 'refunded' : 'part_refunded';
  }

  failed(): PaymentEvent {
    return 'refund_failed';
  }

  effect(event: PaymentEvent, { payment, request }: OperationStep): Partial<Payment> {
    const refundReserved = payment.refundReserved - request.amount;
    return event === 'refund_failed'
      ? { refundReserved }
      : { refundReserved, amountRefunded: payment.amountRefunded + request.amount };
  }

  /** settle: the refund's row, and the event for its merchant. */
  recordAfter(record: unknown, { request, step }: OperationStep, newId: NewId, now: Date): Recorded {
    const row: Refund = { ...(record as KeptRefund).row, status: 'pending' };
    const set = {
      status: refundLifecycle.after('pending', step.do === 'finish' ? 'refunded' : 'failed'),
      pspReference: request.pspReference,
      failure: failureOf(step, request.operation),
      updatedAt: now,
    };
    const after = { ...row, ...set };
    return {
      record: { row: after, isStored: true },
      changes: [changed(row, set), ...refundMoved(row, after, newId, now)],
    };
  }

  /**
   * A refund that the PSP had done failed later: the merchant has the money again. The route keeps its verdict,
   * since the PSP did what the request asked; the refund, the balance and the payment's status are corrected.
   */
  async reverse(
    state: PaymentState,
    { entityKey }: Route,
    evidence: RuledOut,
    newId: NewId,
    now: Date,
  ): Promise<readonly Change[]> {
    const { payment } = state;
    const { merchantId, id, status } = payment;
    const stored = (await this.findRecord(merchantId, entityKey))?.row;
    if (!stored) throw new RangeError(`a refund without its row: ${entityKey}`);
    const refund: Refund = { ...stored, status: 'succeeded' };
    const { amount, psp } = refund;
    const amountRefunded = payment.amountRefunded - amount;
    const event = amountRefunded === 0 ? 'refund_reversed' : 'refund_part_reversed';
    const actor = `psp:${psp}`;
    const set = { status: paymentLifecycle.after(status, event), amountRefunded, updatedAt: now };
    const after = {
      status: refundLifecycle.after('succeeded', 'reversed'),
      failure: failureOf({ do: 'fail', evidence }, 'refund'),
      updatedAt: now,
    };
    return [
      ...moveOn(state, set, { event, actor, entityKey }, newId, now).changes,
      changed(refund, after),
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

  /** 201 if this request made the refund, 200 if it existed. */
  protected override statusOf({ wanted }: PaymentState): number {
    return wanted.isNew ? 201 : 200;
  }

  protected override bodyOf(state: PaymentState): string {
    const { row } = refundOf(state)!;
    if (state.wanted.isNew) return refundJson(row).text;
    return JSON.stringify({ ...refundViewOf(row), existing: true });
  }
}

/** The refund that is requested. */
function refundOf({ records, requestedKey }: PaymentState): KeptRefund | undefined {
  return records.get(requestedKey) as KeptRefund | undefined;
}

function withRefund(state: PaymentState, refund: KeptRefund): PaymentState {
  return { ...state, records: new Map(state.records).set(state.requestedKey, refund) };
}

/** Only the amount distinguishes two refunds of one name; a request without an amount means the existing one. */
function differenceFrom(refund: Refund, { amount }: ModifyPayment): Refusal | null {
  // A failed refund moved nothing: it may be tried again with another amount.
  if (refund.status === 'failed' || amount === null || amount === refund.amount) return null;
  return {
    code: 'refund_exists',
    detail: `The refund ${refund.entityKey} is of ${refund.amount} ${refund.currency} (minor units). Give another one a \`reference\` of its own.`,
    members: { refund_id: refund.id },
  };
}

function changed({ merchantId, entityKey, status }: Refund, set: Partial<Refund>): Change {
  return update(refunds, { merchantId, entityKey }, set, { status });
}
