import { type Change, update } from '../kernel/index.js';
import {
  type Driven,
  type Driver,
  entityKey,
  open,
  type OrphanEffect,
  orphanEffects,
  reopen,
} from '../request-storage/index.js';
import { firstEntityKey, type PaymentState } from './payment-state.js';

/**
 * Opens the operation that gives an orphan effect back: under an entity key of its own, at the PSP
 * that did it and at no other, once. null where it cannot be undone by itself: what a capture or a
 * refund did too much is for a person.
 */
export function openCompensation(
  { payment, stories }: PaymentState,
  orphan: OrphanEffect,
  driver: Driver,
  now: Date,
): Driven | null {
  const operation = ({ charge: 'refund', authorize: 'void' } as const)[orphan.operation as 'charge'];
  const isCharge = orphan.entityKey === firstEntityKey(payment);
  if (!isCharge || operation === undefined || orphan.pspReference === null) return null;
  const { merchantId, amount, currency, psp, status } = orphan;
  const opening = {
    merchantId,
    paymentId: payment.id,
    payoutId: null,
    entityKey: entityKey.orphan(payment.id, orphan.route),
    operation,
    amount,
    currency,
  };
  // One that was tried before and refused goes on under the same name.
  const before = stories.get(opening.entityKey);
  const driven = before ? reopen(before, opening, psp, driver, now) : open(opening, psp, driver, now);
  const claim = update(orphanEffects, keyOf(orphan), { status: 'compensating' }, { status });
  return { ...driven, changes: [claim, ...driven.changes] };
}

/** What cannot be given back by itself waits for a person. */
export function leaveToPerson(orphan: OrphanEffect): readonly Change[] {
  return [update(orphanEffects, keyOf(orphan), { status: 'failed' }, { status: orphan.status })];
}

/** What the compensation has come to, on the orphan's own row. Written with what decides its route. */
export function orphanAfter({ payment, stories }: PaymentState, { story, step }: Driven): readonly Change[] {
  if (step.do !== 'finish' && step.do !== 'fail') return [];
  const before = stories.get(story.entityKey)?.routes.at(-1)?.request;
  if (before?.verdict !== 'open') return [];
  const route = Number(story.entityKey.slice(entityKey.orphan(payment.id, 0).length - 1));
  const key = { merchantId: payment.merchantId, entityKey: firstEntityKey(payment), route };
  const status = step.do === 'finish' ? 'compensated' : 'failed';
  return [update(orphanEffects, key, { status }, { status: 'compensating' })];
}

function keyOf({ merchantId, entityKey: name, route }: OrphanEffect): Partial<OrphanEffect> {
  return { merchantId, entityKey: name, route };
}
