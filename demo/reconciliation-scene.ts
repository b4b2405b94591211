import { money, takesMoney } from './books.js';
import { type Scene } from './story.js';

/** What the PSPs report, held against the ledger of Payonce: one difference is planted, and one is found. */
export const reconciled: Scene = {
  title: 'What the PSPs report is held against the ledger, to the cent',
  async play(scene) {
    const { environment } = scene;
    const effects = await environment.psps.effects();
    const changed = effects.find((effect) => effect.psp === 'adyen' && takesMoney(effect))!;
    const { seq, amount, currency, psp_reference: reference } = changed;
    scene.request('npx payonce reconcile, with the settlement report of stripe and of adyen');
    scene.trouble(
      `adyen reports ${money(amount + 7, currency)} for ${reference}, and took ${money(amount, currency)}`,
    );
    const right = await environment.reconcile('stripe');
    const wrong = await environment.reconcile('adyen', `amount:${seq}`);
    const matched = right.matched + wrong.matched;
    const found = [...right.breaks, ...wrong.breaks];
    scene.payonce(
      `${matched} lines are matched with what was posted to the ledger; fees and transfers to the bank are posted from ` +
        'the reports. Everything else would be a difference by category, on the list that a person works through.',
    );
    const differences = found.map(
      ({ category, difference }) => `${category} of ${money(difference, currency)}`,
    );
    scene.differences(differences.join(', ') || 'none');
    const [only, ...others] = found;
    const isPlanted = only?.category === 'amount_mismatch' && only.open === 1 && only.difference === 7;
    scene.expect(
      isPlanted && others.length === 0,
      `the reports differ in ${differences.join(', ') || 'nothing'}`,
    );
    scene.expect(right.unmatched + wrong.unmatched === 0, 'not every line was matched');
  },
};
