import { type Effect } from '@payonce/simulator';
import { type NotificationItem } from '../../../src/psp/notification.js';

/** Every effect is told, and every yes about money has its effect: no more, no less, no other amount. */
export function hold(facts: readonly NotificationItem[], effects: readonly Effect[]): void {
  const yes = facts.filter(({ about, answer }) => about === 'operation' && answer.outcome === 'succeeded');
  for (const effect of effects) expect(yes.filter((fact) => tells(fact, effect)).length).toBeGreaterThan(0);
  for (const fact of yes) expect(effects.filter((effect) => tells(fact, effect))).toHaveLength(1);
  for (const { about, answer, pspReference, operation } of facts) {
    if (about !== 'operation' || answer.outcome !== 'declined') continue;
    const made = effects.filter((effect) => effect.psp_reference === pspReference);
    expect(made.filter((effect) => effect.operation === (operation ?? effect.operation))).toEqual([]);
  }
}

function tells(
  { operation, pspReference, parentReference, answer }: NotificationItem,
  effect: Effect,
): boolean {
  const byId = pspReference !== null && pspReference === effect.psp_reference;
  // What makes no object of its own is told by the id of the payment.
  const isPayment = pspReference === null || pspReference === parentReference;
  const byPayment = isPayment && parentReference !== null && parentReference === effect.parent_reference;
  const { money } = answer;
  return (
    (operation ?? effect.operation) === effect.operation &&
    (byId || byPayment) &&
    (money === undefined || (money.amount === effect.amount && money.currency === effect.currency))
  );
}
