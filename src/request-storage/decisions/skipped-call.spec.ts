import fc from 'fast-check';
import { HOUR, situation, skips, withSkips } from '../../../test/support/arbitrary-history.js';
import { runs } from '../../../test/support/property-runs.js';
import { assessRoute } from './assess-route.js';
import { MAX_CALLS, nextStep } from './next-step.js';
import { type PspAttempt } from '../route.entity.js';
import { wasSkipped } from './skipped-call.js';

type Situation = typeof situation extends fc.Arbitrary<infer Drawn> ? Drawn : never;

describe('a call that our lock kept back', () => {
  it('changes nothing of what the other calls prove, nor of what is done next', () => {
    fc.assert(
      fc.property(situation, skips, ({ route, can, facts }, added) => {
        const story = withSkips(route, added);
        const [before, after] = [assessRoute(route, can, facts), assessRoute(story, can, facts)];
        expect({ ...after, by: null, since: null }).toEqual({ ...before, by: null, since: null });
        expect(nextStep([story], facts).do).toBe(nextStep([route], facts).do);
      }),
      runs(10_000),
    );
  });

  it('is made again where nothing was sent yet, at any PSP, and never fails the operation', () => {
    const times = fc.integer({ min: 1, max: 12 });
    const laterMs = fc.constantFrom(0, 900, 2_000, HOUR);
    fc.assert(
      fc.property(situation, times, laterMs, ({ route, facts }, count, ms) => {
        const kinds = Array.from({ length: count }, () => ({ before: 0, kind: 'execute' as const }));
        const { request, attempts } = withSkips(route, kinds);
        const story = { request, attempts: attempts.filter(wasSkipped) };
        const now = new Date(story.attempts.at(-1)!.endedAt!.getTime() + ms);
        const step = nextStep([story], { ...facts, now, intent: 'finish' });
        if (count < 3) expect(step).toEqual({ do: 'execute' });
        else expect(step).toMatchObject(step.do === 'wait' ? { why: 'lock' } : { do: 'execute' });
        if (ms === HOUR) expect(step.do).toBe('execute');
        const called = nextStep([story], { ...facts, now: new Date(now.getTime() + HOUR), intent: 'cancel' });
        const by = expect.objectContaining({ outcome: 'not_sent' }) as PspAttempt;
        expect(called).toMatchObject({ do: 'fail', evidence: { kind: 'not_sent', advice: 'never', by } });
      }),
      runs(1_000),
    );
  });

  it('gives the route to a person after as many as calls are allowed', () => {
    const [{ route, facts }] = fc.sample(situation, { numRuns: 1, seed: 1 }) as [Situation];
    const kinds = Array.from({ length: MAX_CALLS }, () => ({ before: 0, kind: 'execute' as const }));
    const { request, attempts } = withSkips(route, kinds);
    const now = new Date(facts.now.getTime() + 1_000 * HOUR);
    expect(
      nextStep([{ request, attempts: attempts.filter(wasSkipped) }], { ...facts, now, intent: 'finish' }),
    ).toEqual({
      do: 'stuck',
      why: 'too many calls',
    });
  });
});
