import fc from 'fast-check';
import { HOUR, LEASE_MS, situation } from '../../test/support/arbitrary-story.js';
import { type Capabilities } from '../psp/index.js';
import { type RouteStory, weigh, WINDOW_MARGIN_MS } from './evidence.js';
import { MOST_ATTEMPTS, nextStep, type Step } from './next-step.js';
import { type PspAttempt } from './psp-request.entity.js';

const runs = { numRuns: 10_000 };

const isDoubtful = (a: PspAttempt) => a.kind === 'execute' && (a.outcome === 'unknown' || a.outcome === null);
const saysYes = ({ kind, outcome }: PspAttempt) => kind !== 'cancel' && outcome === 'succeeded';
const mayHaveVoided = ({ kind, outcome }: PspAttempt) =>
  kind === 'cancel' && (outcome === null || outcome === 'unknown' || outcome === 'pending');
const saysNotCanceled = (a: PspAttempt) => a.request['about'] === 'cancel' && a.outcome === 'declined';
const isRefusal = (a: PspAttempt) => ['not_sent', 'rejected', 'throttled'].includes(a.outcome ?? '');
/** The step says that nothing was done here: another route, or the operation has failed. */
const givesUp = (step: Step) => step.do === 'open' || step.do === 'fail';

/** The words about an earlier attempt that count, judged here anew and not by the code under test. */
function provesNothingDone(route: RouteStory, can: Capabilities): boolean {
  const executes = route.attempts.filter((a) => a.kind === 'execute');
  const lastExecute = executes.at(-1)!.attempt;
  const gone = Math.max(...executes.map((a) => a.endedAt?.getTime() ?? a.startedAt.getTime() + LEASE_MS));
  const firstSent = executes[0]!.startedAt.getTime();
  return route.attempts.some((a) => {
    if (a.outcome === 'canceled') return a.attempt > lastExecute;
    if (a.kind === 'lookup' && a.attempt > lastExecute) {
      if (a.outcome === 'declined') return true;
      const final = can.lookup?.by === 'reference' && can.lookup.consistency === 'strong';
      return a.outcome === 'not_found' && final && a.startedAt.getTime() >= gone + can.lookup.settlesAfterMs;
    }
    if (a.outcome !== 'declined' || a.request['about'] === 'cancel') return false;
    // A notice speaks of all that was sent under the key while the PSP remembered it, whenever it is told.
    if (a.kind === 'notice' && executes.length === 1) return true;
    const sent = a.kind === 'notice' ? executes.at(-1)! : a;
    const inWindow = sent.startedAt.getTime() < firstSent + (can.idempotency.windowMs ?? 0);
    return (a.kind === 'execute' || a.kind === 'notice') && can.idempotency.replays === 'all' && inWindow;
  });
}

describe('the next step', () => {
  it('1. never leaves a PSP in doubt, except on its own word that nothing was done', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        if (!route.attempts.some(isDoubtful)) return;
        if (givesUp(nextStep([route], facts))) expect(provesNothingDone(route, can)).toBe(true);
      }),
      runs,
    );
  });

  it('2. takes "not found" for proof only where nothing can still be on its way', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const evidence = weigh(route, can, facts);
        if (evidence.verdict !== 'ruled_out' || evidence.by.outcome !== 'not_found') return;
        expect(can.lookup).toMatchObject({ by: 'reference', consistency: 'strong' });
        for (const execute of route.attempts.filter((a) => a.kind === 'execute')) {
          const end = execute.endedAt?.getTime() ?? execute.startedAt.getTime() + LEASE_MS;
          expect(evidence.by.startedAt.getTime()).toBeGreaterThanOrEqual(end + can.lookup!.settlesAfterMs);
        }
      }),
      runs,
    );
  });

  it('3. sends again only inside the window that began with the first execute, and never without keys', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        if (nextStep([route], facts).do !== 'execute') return;
        const { windowMs } = can.idempotency;
        expect(windowMs).not.toBeNull();
        const first = route.attempts[0]!.startedAt.getTime();
        expect(facts.now.getTime()).toBeLessThan(first + windowMs! - WINDOW_MARGIN_MS);
        // In doubt, only a PSP that replays errors too may be sent the same again.
        if (route.attempts.some(isDoubtful)) expect(can.idempotency.replays).toBe('all');
      }),
      runs,
    );
  });

  it('4. keeps an operation with one candidate at its PSP', () => {
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        const step = nextStep([route], { ...facts, candidates: ['first'] });
        if (step.do === 'open') expect(step.psp).toBe('first');
      }),
      runs,
    );
  });

  it('5. fails when the last candidate is ruled out, and never by time alone', () => {
    fc.assert(
      fc.property(
        situation,
        fc.constantFrom(HOUR, 24 * HOUR, 365 * 24 * HOUR),
        ({ route, can, facts }, laterMs) => {
          const before = nextStep([route], facts);
          const after = nextStep([route], { ...facts, now: new Date(facts.now.getTime() + laterMs) });
          const evidence = weigh(route, can, facts);
          if (evidence.verdict === 'ruled_out' && facts.candidates.length === 1 && !evidence.untouched) {
            expect(before.do).toBe('fail');
          }
          if (evidence.verdict === 'open' && evidence.why !== 'throttled') expect(givesUp(after)).toBe(false);
          if (before.do === 'stuck' && !facts.asked) expect(['stuck', 'cancel']).toContain(after.do);
        },
      ),
      runs,
    );
  });

  it('6. lets a refusal of a retry say nothing about an earlier call in doubt', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const doubt = route.attempts.findIndex(isDoubtful);
        const refusedLater = doubt >= 0 && route.attempts.slice(doubt + 1).some(isRefusal);
        if (!refusedLater || provesNothingDone(route, can)) return;
        expect(givesUp(nextStep([route], facts))).toBe(false);
      }),
      runs,
    );
  });

  it('7. believes a yes, whenever it comes and whatever else was said, unless it was called off', () => {
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        if (!route.attempts.some(saysYes)) return;
        if (route.attempts.some((a) => mayHaveVoided(a) || a.outcome === 'canceled')) return;
        expect(nextStep([route], facts).do).toBe('finish');
      }),
      runs,
    );
  });

  it('8. does not take for done what was told to be canceled since; nor is it sent again', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const cancel = route.attempts.findLast((a) => a.kind === 'cancel');
        if (!route.attempts.some(saysYes) || !cancel || !mayHaveVoided(cancel)) return;
        // The PSP told that it did not carry the only one out that there was.
        const isOnly = route.attempts.filter((a) => a.kind === 'cancel').length === 1;
        if (isOnly && route.attempts.some(saysNotCanceled)) return;
        const step = nextStep([route], facts);
        expect(step.do).not.toBe('execute');
        expect(step.do).not.toBe('open');
        if (step.do !== 'finish') return;
        // Only a lookup that is never late knows, once the cancel can no longer be on its way.
        const gone = cancel.endedAt?.getTime() ?? cancel.startedAt.getTime() + LEASE_MS;
        expect(cancel.outcome).not.toBe('pending');
        expect(can.lookup?.consistency).toBe('strong');
        const since = route.attempts.filter(
          (a) => a.kind === 'lookup' && a.startedAt.getTime() >= gone + can.lookup!.settlesAfterMs,
        );
        expect(since.some(saysYes)).toBe(true);
      }),
      runs,
    );
  });

  it('9. does nothing elsewhere that was called off', () => {
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        const evidence = weigh(route, facts.capabilities('first'), facts);
        if (evidence.verdict !== 'ruled_out' || evidence.kind !== 'cancel_acknowledged') return;
        expect(nextStep([route], facts).do).toBe('fail');
      }),
      runs,
    );
  });

  it('always has a step, with a time or a person at its end', () => {
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        const step = nextStep([route], facts);
        if (step.do === 'wait')
          expect(step.until.getTime()).toBeGreaterThanOrEqual(facts.now.getTime() - HOUR);
        if (step.do === 'open') expect(facts.deadline && facts.now < facts.deadline).toBe(true);
        if (route.attempts.length >= MOST_ATTEMPTS)
          expect(['finish', 'fail', 'open', 'stuck']).toContain(step.do);
      }),
      runs,
    );
  });

  it('fails over to the next candidate that was not asked yet, and not after a hard decline', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const evidence = weigh(route, can, facts);
        const step = nextStep([route], facts);
        if (evidence.verdict !== 'ruled_out') return;
        if (evidence.advice !== 'elsewhere') expect(step.do).toBe('fail');
        const open = facts.deadline !== null && facts.now < facts.deadline && facts.wish === 'finish';
        if (evidence.advice === 'elsewhere' && open && facts.candidates.length > 1) {
          expect(step).toMatchObject({ do: 'open', psp: 'second' });
        }
      }),
      runs,
    );
  });
});
