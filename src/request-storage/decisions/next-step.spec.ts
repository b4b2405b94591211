import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { HOUR, LEASE_MS, situation } from '../../../test/support/arbitrary-history.js';
import { type Capabilities } from '../../psp/contract.js';
import { type RouteHistory, assessRoute, WINDOW_MARGIN_MS } from './assess-route.js';
import { completionStep, MAX_CALLS, nextStep, type Step } from './next-step.js';
import { HELD } from './stuck-reason.js';
import { type PspAttempt } from '../route.entity.js';
import { mayResend } from './ways.js';

const most = runs(10_000);

const isUnknown = ({ outcome }: PspAttempt) => outcome === 'unknown' || outcome === null;
const isDoubtful = (a: PspAttempt) => a.kind === 'execute' && isUnknown(a);
const isLostCompletion = (a: PspAttempt) => a.kind === 'complete' && isUnknown(a);
const saysYes = ({ kind, outcome }: PspAttempt) => kind !== 'cancel' && outcome === 'succeeded';
const mayHaveVoided = ({ kind, outcome }: PspAttempt) =>
  kind === 'cancel' && (outcome === null || outcome === 'unknown' || outcome === 'pending');
const saysNotCanceled = (a: PspAttempt) => a.request['about'] === 'cancel' && a.outcome === 'declined';
const isRefusal = (a: PspAttempt) => ['not_sent', 'rejected', 'throttled'].includes(a.outcome ?? '');
/** What was answered with a no is not on its way any more. */
const isUnanswered = (a: PspAttempt) => !isRefusal(a) && a.outcome !== 'declined';
/** The step says that nothing was done here: another route, or the operation has failed. */
const givesUp = (step: Step) => step.do === 'open' || step.do === 'fail';

const goneMs = ({ endedAt, startedAt }: PspAttempt) => endedAt?.getTime() ?? startedAt.getTime() + LEASE_MS;
/** A cancel that is answered alike where nothing was there, while something may still have been on its way. */
const isTooEarly = (a: PspAttempt, gone: number, { cancelProvesAfterMs }: Capabilities) =>
  a.kind === 'cancel' &&
  cancelProvesAfterMs !== undefined &&
  a.startedAt.getTime() < gone + cancelProvesAfterMs;

/** When nothing of this call can still arrive, judged here anew. */
function settledMs(call: PspAttempt, { lookup }: Capabilities): number {
  const gone = goneMs(call);
  const ms = call.httpStatus === 500 ? lookup?.settlesAfterServerErrorMs : lookup?.settlesAfterMs;
  return gone + (ms ?? Infinity);
}

/** The words about an earlier attempt that count, judged here anew and not by the code under test. */
function provesNothingDone(route: RouteHistory, can: Capabilities): boolean {
  const executes = route.attempts.filter((a) => a.kind === 'execute');
  const lastExecute = executes.at(-1)!.attempt;
  // What was refused, or never left, is not on its way.
  const onTheirWay = executes.filter(isUnanswered);
  const settled = Math.max(...onTheirWay.map((a) => settledMs(a, can)));
  const firstSent = executes[0]!.startedAt.getTime();
  const gone = Math.max(...onTheirWay.map((a) => goneMs(a)));
  return route.attempts.some((a) => {
    if (a.outcome === 'canceled') return a.attempt > lastExecute && !isTooEarly(a, gone, can);
    if (a.kind === 'lookup') {
      if (a.outcome === 'declined') return a.attempt > lastExecute;
      const final = can.lookup?.by === 'reference' && can.lookup.consistency === 'strong';
      return a.outcome === 'not_found' && final && a.startedAt.getTime() >= settled;
    }
    if (a.outcome !== 'declined' || a.request['about'] === 'cancel') return false;
    // A notification is about everything that was sent under the key while the PSP remembered it, also if it arrives later.
    // So does the answer to what the customer did.
    const isLater = a.kind === 'notice' || a.kind === 'complete';
    if (isLater && executes.length === 1) return true;
    const sent = isLater ? executes.at(-1)! : a;
    const inWindow = sent.startedAt.getTime() < firstSent + (can.idempotency.windowMs ?? 0);
    return (
      (a.kind === 'execute' || isLater) &&
      ['all', 'id', 'latest'].includes(can.idempotency.replays) &&
      inWindow
    );
  });
}

describe('the next step', () => {
  it('1. never leaves a PSP in doubt, except on its own word that nothing was done', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        if (!route.attempts.some((a) => isDoubtful(a) || isLostCompletion(a))) return;
        if (givesUp(nextStep([route], facts))) expect(provesNothingDone(route, can)).toBe(true);
      }),
      most,
    );
  });

  it('2. takes "not found" for proof only where nothing can still be on its way', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const evidence = assessRoute(route, can, facts);
        if (evidence.verdict !== 'ruled_out' || evidence.by.outcome !== 'not_found') return;
        expect(can.lookup).toMatchObject({ by: 'reference', consistency: 'strong' });
        for (const execute of route.attempts.filter(isDoubtful)) {
          expect(evidence.by.startedAt.getTime()).toBeGreaterThanOrEqual(settledMs(execute, can));
        }
      }),
      most,
    );
  });

  it('2. takes "not found" for no proof while the PSP may still put right what it answered with a server error', () => {
    const isServerError = fc.record({ httpStatus: fc.constantFrom(500, 502, 503, 599) });
    const afterMs = fc.constantFrom(0, 89_000, 91_000, 23 * HOUR, 25 * HOUR);
    fc.assert(
      fc.property(situation, isServerError, afterMs, ({ route, can, facts }, { httpStatus }, laterMs) => {
        if (can.lookup?.by !== 'reference' || can.lookup.consistency !== 'strong') return;
        const settles = { ...can.lookup, settlesAfterMs: 90_000, settlesAfterServerErrorMs: 24 * HOUR };
        const execute = { ...route.attempts[0]!, outcome: 'unknown' as const, httpStatus };
        const endedAt = new Date(execute.startedAt.getTime() + 5);
        const lookup: PspAttempt = {
          ...execute,
          attempt: 2,
          kind: 'lookup',
          outcome: 'not_found',
          httpStatus: 200,
          startedAt: new Date(endedAt.getTime() + laterMs),
        };
        const history = {
          request: { ...route.request, pspReference: null },
          attempts: [{ ...execute, endedAt }, lookup],
        };
        const { verdict } = assessRoute(history, { ...can, lookup: settles }, facts);
        expect(verdict).toBe(laterMs >= 24 * HOUR ? 'ruled_out' : 'open');
      }),
      runs(1_000),
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
        // In doubt, only a PSP that makes nothing twice under a key may be sent the same again.
        if (route.attempts.some(isDoubtful))
          expect(['all', 'id', 'latest']).toContain(can.idempotency.replays);
      }),
      most,
    );
  });

  it('4. keeps an operation with one candidate at its PSP', () => {
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        const step = nextStep([route], { ...facts, candidates: ['first'] });
        if (step.do === 'open') expect(step.psp).toBe('first');
      }),
      most,
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
          const evidence = assessRoute(route, can, facts);
          if (evidence.verdict === 'ruled_out' && facts.candidates.length === 1 && !evidence.untouched) {
            expect(before.do).toBe('fail');
          }
          if (evidence.verdict === 'open' && evidence.why !== 'throttled') expect(givesUp(after)).toBe(false);
          if (before.do === 'stuck' && !facts.clientWaiting) expect(after.do).toBe('stuck');
        },
      ),
      most,
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
      most,
    );
  });

  it('7. believes a yes, whenever it comes and whatever else was said, unless it was called off or is in conflict', () => {
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        if (!route.attempts.some(saysYes)) return;
        if (route.attempts.some(({ outcome }) => outcome === 'conflict')) {
          expect(nextStep([route], facts).do).toBe('stuck');
          return;
        }
        if (route.attempts.some((a) => mayHaveVoided(a) || a.outcome === 'canceled')) return;
        expect(nextStep([route], facts).do).toBe('finish');
      }),
      most,
    );
  });

  it('8. does not take for done what was told to be canceled since; nor is it sent again', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const cancel = route.attempts.findLast((a) => a.kind === 'cancel');
        if (!route.attempts.some(saysYes) || !cancel || !mayHaveVoided(cancel)) return;
        // The PSP answered that it did not carry out the only request.
        const isOnly = route.attempts.filter((a) => a.kind === 'cancel').length === 1;
        if (isOnly && route.attempts.some(saysNotCanceled)) return;
        const step = nextStep([route], facts);
        expect(step.do).not.toBe('execute');
        expect(step.do).not.toBe('open');
        if (step.do !== 'finish') return;
        // Only a lookup that is never late knows, once the cancel can no longer be on its way.
        expect(cancel.outcome).not.toBe('pending');
        expect(can.lookup?.consistency).toBe('strong');
        const since = route.attempts.filter(
          (a) => a.kind === 'lookup' && a.startedAt.getTime() >= settledMs(cancel, can),
        );
        expect(since.some(saysYes)).toBe(true);
      }),
      most,
    );
  });

  it('8. asks a PSP that answers every cancel alike only when its answer proves something, and then lets others try', () => {
    let seen = 0;
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const step = nextStep([route], { ...facts, intent: 'finish' });
        if (step.do !== 'cancel' || can.cancelProvesAfterMs === undefined) return;
        // What the PSP did, or was asked to call off, is called off at any time.
        if (route.attempts.some((a) => saysYes(a) || a.kind === 'cancel')) return;
        seen += 1;
        const sent = route.attempts.filter((a) => a.kind === 'execute' && isUnanswered(a));
        const gone = Math.max(...sent.map((a) => goneMs(a)));
        expect(facts.now.getTime()).toBeGreaterThanOrEqual(gone + can.cancelProvesAfterMs);
        expect(step.beforeFailover).toBe(true);
      }),
      most,
    );
    expect(seen).toBeGreaterThan(0);
  });

  it('9. does nothing elsewhere that was called off', () => {
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        const evidence = assessRoute(route, facts.capabilities('first'), facts);
        if (evidence.verdict !== 'ruled_out' || evidence.kind !== 'cancel_acknowledged') return;
        expect(nextStep([route], facts).do).toBe('fail');
      }),
      most,
    );
  });

  it('10. while the clock is not trusted, calls nobody again and proves nothing by time', () => {
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        const step = nextStep([route], { ...facts, clockTrusted: false });
        if (step.do === 'wait' || step.do === 'finish') return;
        // What is left is the answer to the only call that was made.
        expect(route.attempts).toHaveLength(1);
        expect(route.attempts[0]!.endedAt).not.toBeNull();
        expect(givesUp(step)).toBe(true);
      }),
      most,
    );
  });

  it('11. hands in again what the customer did only where the PSP answers it as before, and sends nothing else', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const step = nextStep([route], facts);
        const lost = route.attempts.findLastIndex(isLostCompletion);
        if (step.do === 'complete') {
          expect(can.completion?.repeatable).toBe(true);
          expect(['all', 'latest']).toContain(can.idempotency.replays);
          const first = route.attempts.find((a) => a.kind === 'complete')!;
          const until = first.startedAt.getTime() + can.idempotency.windowMs! - WINDOW_MARGIN_MS;
          expect(facts.now.getTime()).toBeLessThan(until);
        }
        // The payment's own answer is older than what the customer did: it says nothing about that.
        const answered = route.attempts
          .slice(lost + 1)
          .some((a) => a.outcome !== 'rejected' && !isRefusal(a));
        const wasAsked = route.attempts.slice(0, lost).some((a) => a.outcome === 'requires_action');
        const inDoubt = route.attempts.some(isDoubtful);
        if (lost < 0 || answered || !wasAsked || inDoubt) return;
        expect(step.do).not.toBe('execute');
        if (step.do === 'cancel') expect(step.beforeFailover).toBe(false);
      }),
      most,
    );
  });

  it('12. brings to its end only what waits for its customer, and nothing that is being called off', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const step = completionStep(route, can, facts);
        if (!step) return;
        expect(assessRoute(route, can, facts)).toMatchObject({ verdict: 'open', why: 'requires_action' });
        expect(route.attempts.some(({ kind }) => kind === 'cancel')).toBe(false);
        expect(step.do).toBe(can.completion ? 'complete' : 'lookup');
      }),
      most,
    );
  });

  it('12. takes what customers hand in twenty times, and no more often', () => {
    fc.assert(
      fc.property(situation, fc.integer({ min: 15, max: 25 }), ({ route, can, facts }, times) => {
        if (!can.completion || completionStep(route, can, facts) === null) return;
        const before = route.attempts.filter(({ kind }) => kind === 'complete').length;
        const last = route.attempts.at(-1)!;
        const refused = Array.from({ length: times }, (_, n): PspAttempt => {
          const attempt = last.attempt + 1 + n;
          return { ...last, attempt, kind: 'complete', outcome: 'rejected', decline: null, request: {} };
        });
        const handedIn = { ...route, attempts: [...route.attempts, ...refused] };
        const step = completionStep(handedIn, can, facts);
        expect(step !== null).toBe(before + times < 20);
      }),
      most,
    );
  });

  describe('13. a client that asks', () => {
    /** Calls that clients had made beside the schedule and that taught nothing. */
    const asksOf = fc.array(fc.constantFrom(10, 1_000, 30_000, HOUR), { minLength: 1, maxLength: 80 });

    function withAsks(route: RouteHistory, gaps: readonly number[]): RouteHistory {
      const last = route.attempts.at(-1)!;
      let atMs = (last.endedAt ?? last.startedAt).getTime();
      const asks = gaps.map((gapMs, i): PspAttempt => {
        atMs += gapMs;
        const startedAt = new Date(atMs);
        return {
          ...last,
          attempt: last.attempt + 1 + i,
          kind: 'lookup',
          outcome: 'unknown',
          decline: null,
          request: { off_schedule: true },
          startedAt,
          endedAt: startedAt,
        };
      });
      return { ...route, attempts: [...route.attempts, ...asks] };
    }

    it('uses up nothing of the schedule', () => {
      fc.assert(
        fc.property(situation, asksOf, ({ route, facts }, gaps) => {
          const asked = withAsks(route, gaps);
          const lastEnd = asked.attempts.at(-1)!.endedAt!;
          const later = {
            ...facts,
            clientWaiting: false,
            cancelBeforeFailover: false,
            intent: 'finish',
            now: lastEnd,
          } as const;
          const evidence = assessRoute(route, facts.capabilities('first'), facts);
          if (evidence.verdict === 'open' && evidence.why === 'throttled') return;
          expect(nextStep([asked], later)).toEqual(nextStep([route], later));
        }),
        most,
      );
    });

    it('is never the last that asks: while the schedule lasts there is a next step', () => {
      fc.assert(
        fc.property(situation, asksOf, ({ route, can, facts }, gaps) => {
          const evidence = assessRoute(route, can, facts);
          if (evidence.verdict !== 'open' || evidence.why !== 'doubt' || can.lookup?.by !== 'reference')
            return;
          const step = nextStep([withAsks(route, gaps)], { ...facts, now: evidence.since.startedAt });
          expect(step.do).not.toBe('stuck');
        }),
        most,
      );
    });

    it('has nothing canceled that nobody called off', () => {
      fc.assert(
        fc.property(situation, asksOf, ({ route, can, facts }, gaps) => {
          const evidence = assessRoute(route, can, facts);
          if (evidence.verdict !== 'open' || evidence.why === 'undoing') return;
          const step = nextStep([withAsks(route, gaps)], { ...facts, intent: 'finish' });
          if (step.do !== 'cancel') return;
          // What is left in doubt at a PSP whose cancel proves something is ruled out by it (8).
          expect(step.beforeFailover || route.attempts.some(({ kind }) => kind === 'cancel')).toBe(true);
          expect(facts.cancelBeforeFailover || can.cancelProvesAfterMs !== undefined).toBe(true);
        }),
        most,
      );
    });
  });

  it('13. for an operator who looks up alone asks once, and sends nothing', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        const last = route.attempts.at(-1)!.attempt;
        const stepAfter = (operatorAskedAfter: number) =>
          nextStep([route], { ...facts, operatorAskedAfter, operatorLooksUp: true }).do;
        seen.add(stepAfter(last));
        expect(['execute', 'open', 'cancel', 'complete']).not.toContain(stepAfter(last));
        expect(['execute', 'open', 'cancel', 'complete', 'lookup']).not.toContain(stepAfter(last - 1));
      }),
      most,
    );
    expect([...seen].toSorted()).toEqual(['fail', 'finish', 'lookup', 'stuck', 'wait']);
  });

  it('always has a step, with a time or a person at its end', () => {
    fc.assert(
      fc.property(situation, ({ route, facts }) => {
        const step = nextStep([route], facts);
        if (step.do === 'wait')
          expect(step.until.getTime()).toBeGreaterThanOrEqual(facts.now.getTime() - HOUR);
        if (step.do === 'open') expect(facts.deadline && facts.now < facts.deadline).toBe(true);
        if (route.attempts.length >= MAX_CALLS)
          expect(['finish', 'fail', 'open', 'stuck']).toContain(step.do);
      }),
      most,
    );
  });

  it('fails over to the next candidate that was not asked yet, and not after a hard decline', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const evidence = assessRoute(route, can, facts);
        const step = nextStep([route], facts);
        if (evidence.verdict !== 'ruled_out') return;
        if (evidence.advice !== 'elsewhere') expect(step.do).toBe('fail');
        const open = facts.deadline !== null && facts.now < facts.deadline && facts.intent === 'finish';
        if (evidence.advice === 'elsewhere' && open && facts.candidates.length > 1) {
          expect(step).toMatchObject({ do: 'open', psp: 'second' });
        }
      }),
      most,
    );
  });

  it('opens nothing at an account that no longer takes operations of the merchant, and cancels nothing in favour of it', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const step = nextStep([route], { ...facts, mayBeginAt: (psp) => psp !== 'second' });
        if (step.do === 'open') expect(step.psp).not.toBe('second');
        const alone = nextStep([route], { ...facts, mayBeginAt: () => false });
        if (alone.do === 'open') expect(alone.psp).toBe(route.request.psp);
        if (alone.do === 'cancel' && can.cancelProvesAfterMs === undefined) {
          expect(alone.beforeFailover).toBe(false);
        }
      }),
      most,
    );
  });

  it('after lost commits gives nothing up for what is said of its own request alone, while the PSP knows the key', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        const evidence = assessRoute(route, can, facts);
        const step = nextStep([route], { ...facts, hold: 'failover' });
        if (step.do === 'open') expect(evidence).not.toMatchObject({ kind: 'rejected' });
        if (evidence.verdict !== 'ruled_out' || !mayResend(route, can, facts.now)) return;
        if (!['not_sent', 'not_found'].includes(evidence.by.outcome!)) return;
        expect(['execute', 'lookup', 'wait', 'cancel', 'stuck']).toContain(step.do);
        if (step.do === 'cancel') expect(facts.intent).toBe('cancel');
      }),
      most,
    );
  });

  describe('while operations are held, because a later route may have done it elsewhere', () => {
    const holds = fc.constantFrom('operations' as const, 'unknown' as const);
    const severals = ['first', 'second', 'third'];

    it('sends nothing that several PSPs could carry out, and does not say that none did', () => {
      fc.assert(
        fc.property(situation, holds, ({ route, can, facts }, hold) => {
          const step = nextStep([route], { ...facts, hold, candidates: severals });
          expect(step.do).not.toBe('execute');
          expect(step.do).not.toBe('open');
          if (step.do === 'cancel') expect(step.beforeFailover).toBe(false);
          const evidence = assessRoute(route, can, facts);
          if (step.do === 'fail') expect(evidence).not.toMatchObject({ advice: 'elsewhere' });
          // What the PSP did is believed, and what it is asked is asked.
          if (evidence.verdict === 'effective') expect(step.do).toBe('finish');
        }),
        most,
      );
    });

    it('is stuck for that reason, or waits a moment where it is not known yet', () => {
      fc.assert(
        fc.property(situation, holds, ({ route, facts }, hold) => {
          const heldBack = nextStep([route], { ...facts, hold, candidates: severals });
          if (heldBack.do !== 'stuck' && (heldBack.do !== 'wait' || heldBack.why !== HELD)) return;
          if (heldBack.why !== HELD) return;
          if (hold === 'operations') expect(heldBack).toEqual({ do: 'stuck', why: HELD });
          else expect(heldBack).toMatchObject({ do: 'wait', until: new Date(facts.now.getTime() + 1_000) });
        }),
        most,
      );
    });

    it('goes on with what one PSP alone could carry out, as while failover is held', () => {
      fc.assert(
        fc.property(situation, holds, ({ route, facts }, hold) => {
          const alone = { ...facts, candidates: ['first'] };
          expect(nextStep([route], { ...alone, hold })).toEqual(
            nextStep([route], { ...alone, hold: 'failover' }),
          );
        }),
        most,
      );
    });
  });

  it('takes a fresh key at the same PSP only where the PSP may keep an error under the first, or forgot it', () => {
    const statuses = fc.constantFrom(null, 500);
    fc.assert(
      fc.property(situation, statuses, ({ route, can, facts }, httpStatus) => {
        const execute = { ...route.attempts[0]!, outcome: 'unknown' as const, httpStatus };
        const lookup: PspAttempt = {
          ...execute,
          attempt: 2,
          kind: 'lookup',
          outcome: 'not_found',
          httpStatus: 200,
          startedAt: new Date(execute.startedAt.getTime() + HOUR),
        };
        const history = {
          request: { ...route.request, pspReference: null },
          attempts: [{ ...execute, endedAt: execute.startedAt }, lookup],
        };
        const now = new Date(lookup.startedAt.getTime() + 1_000);
        const deadline = new Date(now.getTime() + 1_000);
        const alone = { ...facts, now, deadline, intent: 'finish', candidates: ['first'] } as const;
        if (assessRoute(history, can, alone).verdict !== 'ruled_out') return;
        const isAfresh = httpStatus !== null || !mayResend(history, can, now);
        expect(nextStep([history], alone).do).toBe(isAfresh ? 'open' : 'execute');
      }),
      most,
    );
  });
});
