import { exerciseMoneyOut, effectsOf, moneyOut } from './exercise-money-out.js';
import { exerciseMoneyOutLookup } from './exercise-money-out-lookup.js';
import { type PspBench } from './psp-under-test.js';

/** Sending money to a recipient's bank account. */
export function exercisePayout(bench: PspBench): void {
  exerciseMoneyOut(bench, 'payout');
  exerciseMoneyOutLookup(bench, 'payout');

  it('is declined for an account that is closed', async () => {
    const { closed } = bench.subject.bankAccounts!;
    const answer = await bench.execute(await moneyOut(bench, 'payout', { token: closed }));
    expect(answer).toMatchObject({ outcome: 'declined', decline: 'account_invalid' });
    expect(answer.pspCode).toMatch(/^\w+$/);
    expect(effectsOf(bench, 'payout')).toEqual([]);
  });

  it('is refused, one way or the other, where the balance does not cover it', async () => {
    const { uncovered } = bench.subject.bankAccounts!;
    const answer = await bench.execute(await moneyOut(bench, 'payout', { token: uncovered }));
    expect(['declined', 'rejected']).toContain(answer.outcome);
    if (answer.outcome === 'declined') expect(answer.decline).toBe('insufficient_funds');
    else expect(answer.pspCode).toBe('balance_insufficient');
    expect(effectsOf(bench, 'payout')).toEqual([]);
  });

  it('names what is longer than the PSP takes so that no two become one', async () => {
    const long = `payout-${'x'.repeat(90)}`;
    for (const entityKey of [`${long}-a`, `${long}-b`]) {
      const answer = await bench.execute(await moneyOut(bench, 'payout', { entityKey }));
      expect(answer.outcome).toBe('succeeded');
    }
    const names = effectsOf(bench, 'payout').map(({ reference }) => reference);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name?.startsWith('payout-xxx')).toBe(true);
  });
}
