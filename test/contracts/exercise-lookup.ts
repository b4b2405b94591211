import { type Instruction } from '../../src/psp/contract.js';
import { authorized, referenceOf } from './exercise-psp.js';
import { type PspBench } from './psp-under-test.js';

/** Looking back and calling back, as far as the PSP declares that it can. */
export function exerciseLookup(bench: PspBench): void {
  const canLookUp = () => bench.capabilities.lookup !== null;

  it('says that it does not know where it cannot be asked', async () => {
    const charge = bench.instruction();
    await bench.execute(charge);
    const requests = bench.requests();
    if (!canLookUp()) {
      expect((await bench.lookup(charge)).outcome).toBe('unknown');
      expect(bench.requests()).toBe(requests);
    }
    if (bench.capabilities.cancel === null) expect((await bench.cancel(charge)).outcome).toBe('unknown');
  });

  it.each(['charge', 'authorize'] as const)(
    'finds a %s by our reference, and by its id',
    async (operation) => {
      if (!canLookUp() || !bench.can(operation)) return;
      const asked = bench.instruction({ operation });
      const answer = await bench.execute(asked);
      const found = { outcome: 'succeeded', money: asked.money, pspReference: referenceOf(answer) };
      if (bench.findsByReference) expect(await bench.lookup(asked)).toMatchObject(found);
      else expect((await bench.lookup(asked)).outcome).toBe('unknown');
      expect(await bench.lookup({ ...asked, pspReference: referenceOf(answer) })).toMatchObject(found);
      expect(bench.effects()).toHaveLength(1);
    },
  );

  it('finds at once what search does not know yet, and says not found when there is nothing', async () => {
    if (!bench.findsByReference) return;
    const LAG_MS = 60_000;
    bench.searchLag(LAG_MS);
    const charge = bench.instruction();
    await bench.execute(charge);
    // A list that may be late proves nothing by what it does not show.
    const isLate = bench.capabilities.lookup?.consistency === 'eventual';
    expect((await bench.lookup(charge)).outcome).toBe(isLate ? 'not_found' : 'succeeded');
    if (isLate) bench.advance(LAG_MS);
    expect((await bench.lookup(charge)).outcome).toBe('succeeded');
    expect((await bench.lookup({ ...charge, sentAt: [new Date(), new Date()] })).outcome).toBe('succeeded');
    expect((await bench.lookup(bench.instruction())).outcome).toBe('not_found');
  });

  it('does not take another route, or another order, for the one it was asked about', async () => {
    if (!bench.findsByReference) return;
    const charge = bench.instruction();
    await bench.execute(charge);
    expect((await bench.lookup({ ...charge, route: 2 })).outcome).toBe('not_found');
    expect((await bench.lookup({ ...charge, entityKey: `${charge.entityKey}-x` })).outcome).toBe('not_found');
  });

  it('finds what was declined, what waits for the customer, and how that ended', async () => {
    if (!canLookUp()) return;
    const { hardDecline, asksCustomer } = bench.subject.tokens;
    const declined = bench.instruction({ token: hardDecline });
    const { decline, pspReference: id } = await bench.declined(declined);
    const known = (instruction: Instruction, pspReference = '') =>
      bench.findsByReference ? instruction : { ...instruction, pspReference };
    expect(await bench.lookup(known(declined, id))).toMatchObject({ outcome: 'declined', decline });
    if (asksCustomer === undefined) return;
    for (const result of ['succeeded', 'failed'] as const) {
      const asked = bench.instruction({ token: asksCustomer });
      const { nextAction, pspReference = '' } = await bench.execute(asked);
      const found = known(asked, pspReference);
      expect(await bench.lookup(found)).toMatchObject({ outcome: 'requires_action', nextAction });
      await bench.customerReturns(asked, pspReference, result);
      const failure = bench.subject.staysOpenAfterDecline ? 'requires_action' : 'declined';
      expect(await bench.lookup(found)).toMatchObject({
        outcome: result === 'succeeded' ? 'succeeded' : failure,
      });
    }
  });

  it.each(['capture', 'void'] as const)('finds out whether a %s happened', async (operation) => {
    if (!canLookUp() || !bench.can(operation)) return;
    const asked = bench.instruction({ operation, parentReference: await authorized(bench) });
    expect((await bench.lookup(asked)).outcome).toBe('not_found');
    bench.fault({ fault: 'reset_after', next: 1 });
    expect((await bench.execute(asked)).outcome).toBe('unknown');
    expect((await bench.lookup(asked)).outcome).toBe('succeeded');
  });

  it('does not say not found of a capture or void when it is not told of what', async () => {
    if (!canLookUp()) return;
    for (const operation of ['capture', 'void'] as const) {
      expect((await bench.lookup(bench.instruction({ operation }))).outcome).toBe('unknown');
    }
  });

  it('sees that another amount was captured than was asked for', async () => {
    if (!canLookUp() || !bench.can('capture')) return;
    const parentReference = await authorized(bench);
    const capture: Instruction = bench.instruction({ operation: 'capture', parentReference });
    await bench.execute(capture);
    const other = { ...capture, money: { amount: 999, currency: 'EUR' } };
    expect((await bench.lookup(other)).outcome).toBe('conflict');
  });

  it('says not found about what arrives later, which is why it must settle first', async () => {
    const { lookup } = bench.capabilities;
    if (lookup?.by !== 'reference') return;
    const charge = bench.instruction();
    bench.fault({ fault: 'late_effect', next: 1, delay_ms: lookup.settlesAfterMs - 1_000 });
    expect((await bench.execute(charge)).outcome).toBe('unknown');
    expect((await bench.lookup(charge)).outcome).toBe('not_found');
    bench.advance(lookup.settlesAfterMs);
    expect((await bench.lookup(charge)).outcome).toBe('succeeded');
    expect(bench.effects()).toHaveLength(1);
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
    const asked = bench.instruction();
    const charge = { ...asked, pspReference: referenceOf(await bench.execute(asked)) };
    bench.fault({ fault, on: 'lookup', rate: 1 });
    expect(['unknown', 'throttled']).toContain((await bench.lookup(charge)).outcome);
    await bench.clearFaults();
    bench.fault({ fault: 'refuse' });
    expect(['unknown', 'not_sent']).toContain((await bench.lookup(charge)).outcome);
  });

  it('calls back an authorization whose answer was lost', async () => {
    const { cancel } = bench.capabilities;
    if (cancel === null || !bench.can('authorize') || (cancel === 'id' && !bench.findsByReference)) return;
    const asked = bench.instruction({ operation: 'authorize' });
    bench.fault({ fault: 'reset_after', next: 1 });
    expect((await bench.execute(asked)).outcome).toBe('unknown');
    const known = cancel === 'id' ? { pspReference: (await bench.lookup(asked)).pspReference } : {};
    const answer = await bench.cancel({ ...asked, ...known });
    // Where a cancel is only accepted, whether it worked is told later.
    expect(answer.outcome).toBe(bench.capabilities.cancelIsOrder ? 'pending' : 'canceled');
    expect(bench.effects().map(({ operation }) => operation)).toEqual(['authorize', 'void']);
    if (canLookUp()) expect((await bench.lookup({ ...asked, ...known })).outcome).toBe('canceled');
  });

  it('proves nothing by a cancel of what may still arrive, where every cancel is answered alike', async () => {
    const { cancelProvesAfterMs } = bench.capabilities;
    if (cancelProvesAfterMs === undefined) return;
    const charge = bench.instruction();
    bench.fault({ fault: 'late_effect', next: 1, delay_ms: cancelProvesAfterMs - 1_000 });
    expect((await bench.execute(charge)).outcome).toBe('unknown');
    expect((await bench.cancel(charge)).outcome).toBe('canceled');
    expect(bench.effects()).toEqual([]);
    bench.advance(cancelProvesAfterMs);
    expect(bench.effects()).toHaveLength(1);
    expect((await bench.cancel(charge)).outcome).toBe('succeeded');
  });

  it('does not claim to have called back what was charged', async () => {
    if (bench.capabilities.cancel === null) return;
    const charge = bench.instruction();
    const { pspReference = '' } = await bench.execute(charge);
    const answer = await bench.cancel({ ...charge, pspReference });
    expect(answer.outcome).not.toBe('canceled');
    expect(answer.outcome).not.toBe('not_found');
    expect(bench.effects()).toHaveLength(1);
  });

  it.each(['authorize', 'charge'] as const)(
    'undoes a %s that it has said yes to, once, or says that it stands',
    async (operation) => {
      if (bench.capabilities.cancel === null || !bench.can(operation)) return;
      const asked = bench.instruction({ operation });
      const undo = { ...asked, pspReference: referenceOf(await bench.execute(asked)), undo: true as const };
      const answer = await bench.cancel(undo);
      const stands = answer.outcome === 'succeeded';
      expect(stands ? operation : answer.outcome).toBe(stands ? 'charge' : 'canceled');
      expect((await bench.cancel(undo)).outcome).toBe(answer.outcome);
      const undone = { authorize: 'void', charge: 'refund' }[operation];
      const operations = bench.effects().map((effect) => effect.operation);
      expect(operations).toEqual(stands ? [operation] : [operation, undone]);
    },
  );

  it('never undoes an authorization because a capture of it is in doubt', async () => {
    if (!bench.can('capture')) return;
    const parentReference = await authorized(bench);
    const capture = bench.instruction({ operation: 'capture', parentReference });
    const answer = await bench.cancel({ ...capture, pspReference: parentReference });
    expect(answer.outcome).toBe('unknown');
    expect(bench.effects()).toHaveLength(1);
  });

  it('says not sent of a cancel that was refused, and unknown of one that was lost', async () => {
    if (bench.capabilities.cancel === null) return;
    const operation = bench.can('authorize') ? 'authorize' : 'charge';
    const asked = bench.instruction({ operation });
    const { pspReference = '' } = await bench.execute(asked);
    bench.fault({ fault: 'reset_after', next: 1, on: 'cancel' });
    expect((await bench.cancel({ ...asked, pspReference })).outcome).toBe('unknown');
    bench.fault({ fault: 'refuse' });
    expect(['not_sent', 'unknown']).toContain((await bench.cancel({ ...asked, pspReference })).outcome);
  });
}
