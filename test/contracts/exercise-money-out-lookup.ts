import { effectsOf, moneyOut } from './exercise-money-out.js';
import { referenceOf } from './exercise-psp.js';
import { type PspBench } from './psp-under-test.js';

/** Looking back at a refund or a payout, as far as the PSP declares that it can be asked. */
export function exerciseMoneyOutLookup(bench: PspBench, operation: 'refund' | 'payout'): void {
  const canLookUp = () => bench.capabilities.lookup !== null;
  const asked = () => moneyOut(bench, operation);
  const done = () => effectsOf(bench, operation);

  it('says that it does not know where it cannot be asked', async () => {
    if (canLookUp()) return;
    const instruction = await asked();
    await bench.execute(instruction);
    expect((await bench.lookup(instruction)).outcome).toBe('unknown');
  });

  it('finds what was done and whose answer was lost, by our reference and by its id', async () => {
    if (!canLookUp()) return;
    const instruction = await asked();
    expect((await bench.lookup(instruction)).outcome).toBe('not_found');
    bench.fault({ fault: 'reset_after', next: 1 });
    expect((await bench.execute(instruction)).outcome).toBe('unknown');
    const [effect] = done();
    const found = { outcome: 'succeeded', money: instruction.money, pspReference: effect?.psp_reference };
    expect(await bench.lookup(instruction)).toMatchObject(found);
    expect(await bench.lookup({ ...instruction, sentAt: [new Date(), new Date()] })).toMatchObject(found);
    expect(await bench.lookup({ ...instruction, pspReference: effect?.psp_reference })).toMatchObject(found);
    expect(done()).toHaveLength(1);
  });

  it('does not take another route, another name or another payment for the one it was asked about', async () => {
    if (!canLookUp()) return;
    const instruction = await asked();
    await bench.execute(instruction);
    const others = [{ route: 2 }, { entityKey: `${instruction.entityKey}-x` }];
    for (const other of others) {
      expect((await bench.lookup({ ...instruction, ...other })).outcome).toBe('not_found');
    }
    if (operation === 'payout') return;
    const { parentReference } = await asked();
    expect((await bench.lookup({ ...instruction, parentReference })).outcome).toBe('not_found');
    const { parentReference: _, ...ofWhat } = instruction;
    expect((await bench.lookup(ofWhat)).outcome).toBe('unknown');
  });

  it('sees two for one route as a conflict, and another amount too', async () => {
    if (!canLookUp()) return;
    const instruction = await asked();
    await bench.execute(instruction);
    const other = { ...instruction, money: { amount: 399, currency: 'EUR' } };
    expect((await bench.lookup(other)).outcome).toBe('conflict');
    await bench.execute({ ...instruction, idempotencyKey: 'another-key' });
    expect(await bench.lookup(instruction)).toMatchObject({ outcome: 'conflict', pspCode: 'several_found' });
  });

  it('reads more than one page', async () => {
    if (!canLookUp()) return;
    const instruction = await asked();
    const oldest = { ...instruction, money: { amount: 4, currency: 'EUR' } };
    await bench.execute(oldest);
    const others = bench.subject.readsEachRefund ? 15 : 105;
    for (let other = 0; other < others; other += 1) {
      const name = `${instruction.entityKey}-${other}`;
      await bench.execute({ ...oldest, entityKey: name, idempotencyKey: name });
    }
    const requests = bench.requests();
    expect((await bench.lookup(oldest)).outcome).toBe('succeeded');
    // One request for each page of a hundred, where there are pages.
    const most = bench.subject.readsEachRefund ? others + 2 : 2;
    expect(bench.requests() - requests).toBeLessThanOrEqual(most);
  });

  it('says not found about what arrives later, which is why it must settle first', async () => {
    const { lookup } = bench.capabilities;
    if (!lookup) return;
    const instruction = await asked();
    bench.fault({ fault: 'late_effect', next: 1, delay_ms: lookup.settlesAfterMs - 1_000 });
    expect((await bench.execute(instruction)).outcome).toBe('unknown');
    expect((await bench.lookup(instruction)).outcome).toBe('not_found');
    bench.advance(lookup.settlesAfterMs);
    expect((await bench.lookup(instruction)).outcome).toBe('succeeded');
    expect(done()).toHaveLength(1);
  });

  it.each([
    'reset_before',
    'hang_before',
    'error_500_before',
    'html_502_after',
    'truncate',
    'throttle',
  ] as const)('never says not found when the lookup itself fails (%s)', async (fault) => {
    if (!canLookUp()) return;
    await bench.hurry(fault);
    const instruction = await asked();
    await bench.execute(instruction);
    bench.fault({ fault, on: 'lookup', rate: 1 });
    for (const more of [{}, { pspReference: done()[0]?.psp_reference }]) {
      expect(['unknown', 'throttled']).toContain((await bench.lookup({ ...instruction, ...more })).outcome);
    }
  });

  it('finds what was declined', async () => {
    if (!canLookUp()) return;
    const instruction = await asked();
    bench.fault({ fault: 'decline', code: 'declined', next: 1 });
    const answer = await bench.execute(instruction);
    const { decline, pspCode } = answer;
    expect(answer.outcome).toBe(bench.subject.refundsAreReceived ? 'succeeded' : 'declined');
    const again = await bench.lookup({ ...instruction, pspReference: referenceOf(answer) });
    expect(again.outcome).toBe('declined');
    if (!bench.subject.refundsAreReceived) expect(again).toMatchObject({ decline, pspCode });
    expect((await bench.lookup(instruction)).outcome).toBe('declined');
    expect(done()).toEqual([]);
  });
}
