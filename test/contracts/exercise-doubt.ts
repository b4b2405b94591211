import { type FaultRequest } from '@payonce/simulator';
import { type Outcome } from '../../src/psp/contract.js';
import { authorized } from './exercise-psp.js';
import { type PspBench, TIMEOUT_MS } from './psp-under-test.js';

/** A fault, what the call must come out as, and how many effects there are then. */
export const faults: readonly [FaultRequest['fault'], Outcome, effects: number][] = [
  ['close_before', 'unknown', 0],
  ['reset_before', 'unknown', 0],
  ['hang_before', 'unknown', 0],
  ['error_500_before', 'unknown', 0],
  ['close_after', 'unknown', 1],
  ['reset_after', 'unknown', 1],
  ['hang_after', 'unknown', 1],
  ['error_500_after', 'unknown', 1],
  ['html_502_after', 'unknown', 1],
  ['truncate', 'unknown', 1],
  ['delay_after', 'unknown', 1],
];

export const faultOf = (fault: FaultRequest['fault']): FaultRequest => ({
  fault,
  next: 1,
  ...(fault === 'delay_after' ? { delay_ms: 2 * TIMEOUT_MS } : {}),
});

/** A PSP that keeps only successes does it again after an error, which is why nothing is sent to it twice. */
export function effectsUnderOneKey({ capabilities }: PspBench, fault: FaultRequest['fault']): number {
  return capabilities.idempotency.replays === 'success' && fault === 'error_500_after' ? 2 : 1;
}

/** What a failure on the way means: nothing is known, unless no byte left. */
export function exerciseDoubt(bench: PspBench): void {
  it('refused: not sent', async () => {
    bench.fault({ fault: 'refuse' });
    expect((await bench.execute(bench.instruction())).outcome).toBe('not_sent');
    expect(bench.requests()).toBe(0);
    expect(bench.effects()).toEqual([]);
  });

  it('refused on connections that were kept: not sent', async () => {
    await bench.execute(bench.instruction());
    bench.fault({ fault: 'refuse' });
    // The kept connection may be closed under the first one's request: doubt then, but no claim.
    const outcomes = [];
    for (let call = 0; call < 2; call++) outcomes.push((await bench.execute(bench.instruction())).outcome);
    expect(outcomes[1]).toBe('not_sent');
    expect(bench.effects()).toHaveLength(1);
  });

  describe.each(['fresh', 'kept'] as const)('over a %s connection', (connection) => {
    it.each(faults)('%s: %s, and the ledger holds %d', async (fault, outcome, effects) => {
      await bench.hurry(fault);
      if (connection === 'kept') await bench.execute(bench.instruction());
      const before = { effects: bench.effects().length, requests: bench.requests() };
      bench.fault(faultOf(fault));
      expect((await bench.execute(bench.instruction())).outcome).toBe(outcome);
      expect(bench.requests() - before.requests).toBe(1);
      expect(bench.effects().length - before.effects).toBe(effects);
    });
  });

  it.each(faults)('%s, then the same key again: at most one effect where keys are known', async (fault) => {
    if (bench.capabilities.idempotency.windowMs === null) return;
    const charge = bench.instruction();
    await bench.hurry(fault);
    bench.fault(faultOf(fault));
    await bench.execute(charge);
    await bench.calmDown();
    const again = await bench.execute(charge);
    // A PSP that replays a stored 500 never tells; everything else has come to its end.
    const told = bench.capabilities.idempotency.replays === 'id' ? 'pending' : 'succeeded';
    expect(['succeeded', told, 'unknown']).toContain(again.outcome);
    expect(bench.effects().length).toBeLessThanOrEqual(effectsUnderOneKey(bench, fault));
  });

  it.each(['capture', 'void'] as const)('%s: an answer that is lost is unknown', async (operation) => {
    if (!bench.can(operation)) return;
    const parentReference = await authorized(bench);
    bench.fault(faultOf('reset_after'));
    const answer = await bench.execute(bench.instruction({ operation, parentReference }));
    expect(answer.outcome).toBe('unknown');
    expect(bench.effects().map((effect) => effect.operation)).toEqual(['authorize', operation]);
  });
}
