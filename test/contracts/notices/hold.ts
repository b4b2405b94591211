import { type Effect } from '../../../simulator/index.js';
import { type Fact } from '../../../src/psp/index.js';

/** Every effect is told, and every yes about money has its effect: no more, no less, no other amount. */
export function hold(facts: readonly Fact[], effects: readonly Effect[]): void {
  const yes = facts.filter(({ about, answer }) => about === 'operation' && answer.outcome === 'succeeded');
  for (const effect of effects) expect(yes.filter((fact) => tells(fact, effect)).length).toBeGreaterThan(0);
  for (const fact of yes) expect(effects.filter((effect) => tells(fact, effect))).toHaveLength(1);
  for (const { about, answer, pspReference, operation } of facts) {
    if (about !== 'operation' || answer.outcome !== 'declined') continue;
    const made = effects.filter((effect) => effect.psp_reference === pspReference);
    expect(made.filter((effect) => effect.operation === (operation ?? effect.operation))).toEqual([]);
  }
}

function tells({ operation, pspReference, parentReference, answer }: Fact, effect: Effect): boolean {
  const byId = pspReference !== null && pspReference === effect.psp_reference;
  const byPayment =
    pspReference === null && parentReference !== null && parentReference === effect.parent_reference;
  const { money } = answer;
  return (
    (operation ?? effect.operation) === effect.operation &&
    (byId || byPayment) &&
    (money === undefined || (money.amount === effect.amount && money.currency === effect.currency))
  );
}
