import { audit } from '../database/audit.js';
import { type Clock } from '../core/clock.js';
import { type Change, gatedByFirst, type Store } from '../core/change.js';
import { type EventTypeOf } from '../core/event-types.js';
import { event } from '../database/event.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type NotificationItem } from '../psp/notification.js';
import { subjectOf } from '../request-storage/entity-key.js';
import { type NotificationOutcome } from '../request-storage/decisions/record-notification.js';
import { type Dispute } from './dispute.js';
import { disputeViewOf } from './dispute.view.js';
import { type Payment } from './payment.entity.js';
import { payments } from './payment.table.js';
import { paymentLifecycle } from './payment.lifecycle.js';
import { type NewId } from './payment-operation.js';
import { firstEntityKey } from './payment-state.js';
import { moveOn } from './decide-payment.js';

/** A payment usually has one dispute, or some for each of its captures. More are ignored. */
const MAX_DISPUTES = 20;
const MAX_REFUSALS = 4;

/**
 * Applies a fact about a dispute: the payment's next version, or why there is none. The status of the payment
 * stays: captured and refunded amounts do not change, and the withheld amount is counted separately.
 */
export function dispute(
  payment: Payment,
  { dispute: news, answer }: NotificationItem,
  newId: NewId,
  now: Date,
): 'known' | 'contradiction' | readonly Change[] {
  // A PSP that names no amount means the whole payment.
  const { money = { amount: payment.amount, currency: payment.currency } } = answer;
  const { merchantId, id, psp, status } = payment;
  const all = payment.disputes ?? [];
  if (!news || money.currency !== payment.currency || money.amount <= 0) return 'contradiction';
  const before = all.find(({ pspReference }) => pspReference === news.reference);
  if (before && news.stage <= before.stage) return 'known';
  const isDisputable = paymentLifecycle.allows(status, 'disputed') && payment.amountCaptured > 0;
  if (!isDisputable || (!before && all.length >= MAX_DISPUTES)) return 'contradiction';

  const after: Dispute = {
    id: before?.id ?? newId(),
    pspReference: news.reference,
    status: news.status,
    reason: answer.pspCode ?? before?.reason ?? null,
    amount: money.amount,
    amountWithheld: news.withheld ? money.amount : 0,
    stage: news.stage,
    respondBy: news.respondBy ?? before?.respondBy ?? null,
    openedAt: before?.openedAt ?? now.toISOString(),
    closedAt: news.status === 'open' ? null : now.toISOString(),
  };
  const disputes = before ? all.map((one) => (one === before ? after : one)) : [...all, after];
  const actor = `psp:${psp}`;
  const moved = moveOn(
    // The order stays paid: a PSP withholds what was paid of it.
    { payment, order: null },
    { disputes, updatedAt: now },
    { event: 'disputed', actor, entityKey: firstEntityKey(payment) },
    newId,
    now,
  );
  const eventOf = (one: Dispute) => {
    const type: EventTypeOf<'dispute'> = `dispute.${one.status === 'open' ? 'opened' : one.status}`;
    const data = { ...disputeViewOf(payment, one) };
    return event({ merchantId, id: newId(), type, subject: `dispute:${one.id}`, data, at: now });
  };
  const opened: Dispute = { ...after, status: 'open', closedAt: null };
  return [
    ...moved.changes,
    audit({
      merchantId,
      id: newId(),
      at: now,
      actor,
      action: `dispute.${news.status === 'open' ? 'opened' : news.status}`,
      subject: `payment:${id}`,
      detail: { dispute_id: after.id, amount: after.amount, withheld: after.amountWithheld },
    }),
    // Each dispute gets its `opened` event first, even if its end is the first fact about it.
    ...(before ? [] : [eventOf(opened)]),
    ...(after.status === (before?.status ?? 'open') ? [] : [eventOf(after)]),
  ];
}

interface PaymentKey {
  readonly merchantId: string;
  readonly id: string;
}

interface PaymentDisputesDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The payment with this PSP id; null if there is none. */
  readonly ofReference: (psp: string, pspReference: string) => Promise<PaymentKey | null>;
  readonly merchantOf: (id: string) => Promise<string | null>;
}

/** Records facts about disputes on their payments, by the PSP's id of the payment, or by our name of it. */
export class PaymentDisputes {
  constructor(private readonly deps: PaymentDisputesDeps) {}

  /** May be called twice with the same fact. @throws StoreUnavailable */
  async record(psp: string, fact: NotificationItem): Promise<NotificationOutcome> {
    const { store, clock, ids } = this.deps;
    const key = await this.keyOf(psp, fact);
    if (key === null) return 'unknown';
    for (let refusals = 0; refusals < MAX_REFUSALS; refusals++) {
      const [payment] = await store.find(payments, key, 1);
      if (payment?.psp !== psp) return 'unknown';
      if (fact.parentReference !== null && payment.pspReference !== fact.parentReference) return 'unknown';
      const decided = dispute(payment, fact, () => ids.uuid(), clock.now());
      if (typeof decided === 'string') return decided;
      if ((await store.commit(gatedByFirst(decided))).done) return 'applied';
    }
    throw new Problem('overloaded', 'The payment changes too fast.', { retryAfterS: 1 });
  }

  private async keyOf(psp: string, fact: NotificationItem): Promise<PaymentKey | null> {
    const { parentReference, ofPayment } = fact;
    if (parentReference !== null) return this.deps.ofReference(psp, parentReference);
    const named = ofPayment === null ? null : subjectOf(ofPayment);
    if (named?.kind !== 'payment') return null;
    const merchantId = await this.deps.merchantOf(named.id);
    return merchantId === null ? null : { merchantId, id: named.id };
  }
}
