import { type Answer } from '../../src/psp/contract.js';
import { effectsOf, exerciseMoneyOut, moneyOut } from './exercise-money-out.js';
import { exerciseMoneyOutLookup } from './exercise-money-out-lookup.js';
import { authorized, referenceOf } from './exercise-psp.js';
import { type PspBench } from './psp-under-test.js';

/** Giving back what was taken: in parts, and never more. */
export function exerciseRefund(bench: PspBench): void {
  exerciseMoneyOut(bench, 'refund');
  exerciseMoneyOutLookup(bench, 'refund');

  const refunds = () => effectsOf(bench, 'refund').map(({ amount }) => amount);
  const refund = (parentReference: string, amount: number): Promise<Answer> =>
    bench.execute(
      bench.instruction({ operation: 'refund', parentReference, money: { amount, currency: 'EUR' } }),
    );
  const charged = async (): Promise<string> => referenceOf(await bench.execute(bench.instruction()));

  it('gives back in parts, and never more than was taken', async () => {
    const payment = await charged();
    const ids = [];
    for (const amount of [600, 300]) ids.push(referenceOf(await refund(payment, amount)));
    expect(new Set(ids).size).toBe(2);
    const tooMuch = await refund(payment, 101);
    // Where a refund is only received, the answer cannot tell; the PSP does not carry it out.
    const outcomes = bench.subject.refundsAreReceived ? ['succeeded', 'rejected'] : ['rejected'];
    expect(outcomes).toContain(tooMuch.outcome);
    expect(refunds()).toEqual([600, 300]);
    expect((await refund(payment, 100)).outcome).toBe('succeeded');
    await refund(payment, 1);
    expect(refunds()).toEqual([600, 300, 100]);
  });

  it('gives back what was captured, not what was authorized', async () => {
    if (!bench.can('capture')) return;
    const payment = await authorized(bench);
    await refund(payment, 100);
    expect(refunds()).toEqual([]);
    const captured = bench.capabilities.captures === 'whole' ? 1_000 : 700;
    const money = { amount: captured, currency: 'EUR' };
    const capture = bench.instruction({ operation: 'capture', parentReference: payment, money });
    expect((await bench.execute(capture)).outcome).toBe('succeeded');
    await refund(payment, captured + 1);
    await refund(payment, captured);
    expect(refunds()).toEqual([captured]);
  });

  it('rejected: a payment that does not exist, another currency', async () => {
    expect((await refund('pi_none', 100)).outcome).toBe('rejected');
    expect(refunds()).toEqual([]);
  });

  it('a payment reads as before, whatever was given back of it', async () => {
    if (bench.capabilities.lookup === null) return;
    const charge = bench.instruction();
    const pspReference = referenceOf(await bench.execute(charge));
    await refund(pspReference, 1_000);
    for (const more of bench.findsByReference ? [{}, { pspReference }] : [{ pspReference }]) {
      const found = await bench.lookup({ ...charge, ...more });
      expect(found).toMatchObject({ outcome: 'succeeded', money: charge.money });
    }
  });

  it('is declined by the issuer, where the answer can tell, and gives nothing back', async () => {
    const instruction = await moneyOut(bench, 'refund');
    bench.fault({ fault: 'decline', code: 'lost_or_stolen_card', next: 1 });
    const answer = await bench.execute(instruction);
    expect(answer).toMatchObject(
      bench.subject.refundsAreReceived
        ? { outcome: 'succeeded', pspReference: expect.stringMatching(/^\S+$/) }
        : { outcome: 'declined', decline: 'card_lost_or_stolen', pspCode: 'lost_or_stolen_card' },
    );
    expect(refunds()).toEqual([]);
  });
}
