import fc from 'fast-check';
import { type Capabilities, outcomes } from '../psp/index.js';
import { type RouteStory, weigh, WINDOW_MARGIN_MS } from './evidence.js';
import { MOST_ATTEMPTS, nextStep, type Step, type StepFacts } from './next-step.js';
import { type PspAttempt, type PspRequest } from './psp-request.entity.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const LEASE_MS = 20_000;
const runs = { numRuns: 10_000 };

const capabilities: fc.Arbitrary<Capabilities> = fc.record({
  operations: fc.constant(['charge', 'authorize', 'capture', 'void'] as const),
  currencies: fc.constant(null),
  idempotency: fc.oneof(
    fc.record({
      windowMs: fc.constantFrom(HOUR, 24 * HOUR),
      replays: fc.constantFrom('all' as const, 'success' as const),
    }),
    fc.constant({ windowMs: null, replays: 'none' as const }),
  ),
  lookup: fc.option(
    fc.record({
      by: fc.constantFrom('reference' as const, 'id' as const),
      consistency: fc.constantFrom('strong' as const, 'eventual' as const),
      settlesAfterMs: fc.constantFrom(0, 60_000),
    }),
  ),
  cancel: fc.constantFrom('reference' as const, 'id' as const, null),
  captures: fc.constantFrom('whole' as const, 'one' as const, 'several' as const),
});

/** What was called, what came back, and how long after the call before it. */
const calls = fc.array(
  fc.record({
    kind: fc.constantFrom('execute' as const, 'execute' as const, 'lookup' as const, 'cancel' as const),
    outcome: fc.option(fc.constantFrom(...outcomes), { freq: 8 }),
    decline: fc.constantFrom('do_not_honor' as const, 'fraud_suspected' as const),
    gapMs: fc.constantFrom(0, 1_000, 70_000, HOUR, 25 * HOUR),
    tookMs: fc.constantFrom(5, 10_000),
  }),
  { minLength: 1, maxLength: 6 },
);

function requestOf(psp: string, route: number): PspRequest {
  return {
    merchantId: 'm',
    entityKey: 'payment-1-charge',
    route,
    operation: 'charge',
    paymentId: '1',
    payoutId: null,
    psp,
    amount: 100,
    currency: 'EUR',
    pspIdempotencyKey: `key-${route}`,
    pspReference: null,
    verdict: 'open',
    nextStepAt: new Date(START),
    stuckAt: null,
    fence: 1,
    leasedBy: null,
    leasedUntil: null,
    restsOnRoute: route === 1 ? null : route - 1,
    openedAt: new Date(START),
    decidedAt: null,
    lookAgainAt: null,
  };
}

/** A route's story; its first call is always an execute, as a route is opened. */
const routeStory: fc.Arbitrary<RouteStory> = fc.tuple(calls, fc.boolean()).map(([made, knowsId]) => {
  let atMs = START;
  const request = { ...requestOf('first', 1), pspReference: knowsId ? 'pi_1' : null };
  const attempts = made.map((call, i): PspAttempt => {
    atMs += i === 0 ? 0 : call.gapMs;
    const startedAt = new Date(atMs);
    const outcome = plausible(i === 0 ? 'execute' : call.kind, call.outcome);
    atMs += call.tookMs;
    return {
      merchantId: 'm',
      entityKey: request.entityKey,
      route: 1,
      attempt: i + 1,
      kind: i === 0 ? 'execute' : call.kind,
      outcome,
      decline: outcome === 'declined' ? call.decline : null,
      pspCode: null,
      httpStatus: null,
      latencyMs: null,
      traceId: 't',
      request: {},
      response: null,
      startedAt,
      endedAt: outcome === null ? null : new Date(atMs),
    };
  });
  return { request, attempts };
});

/** Only lookups and cancels say `not_found` or `canceled`; a cancel is not declined. */
function plausible(kind: PspAttempt['kind'], outcome: PspAttempt['outcome']): PspAttempt['outcome'] {
  if (kind === 'execute' && (outcome === 'not_found' || outcome === 'canceled')) return 'unknown';
  if (kind === 'cancel' && outcome === 'declined') return 'unknown';
  return outcome;
}

const situation = fc
  .record({
    route: routeStory,
    can: capabilities,
    laterMs: fc.constantFrom(0, 1_500, 30_000, 2 * HOUR, 30 * HOUR, 24 * 40 * HOUR),
    deadline: fc.constantFrom('none', 'passed', 'ahead'),
    asked: fc.boolean(),
    wish: fc.constantFrom('finish' as const, 'cancel' as const),
    alone: fc.boolean(),
    fence: fc.boolean(),
  })
  .map(({ route, can, laterMs, deadline, asked, wish, alone, fence }) => {
    const last = route.attempts.at(-1)!;
    const now = new Date((last.endedAt ?? last.startedAt).getTime() + laterMs);
    const facts: StepFacts = {
      now,
      deadline: deadline === 'none' ? null : new Date(now.getTime() + (deadline === 'ahead' ? 10_000 : -1)),
      capabilities: () => can,
      candidates: alone ? ['first'] : ['first', 'second', 'third'],
      asked,
      wish,
      fence,
      leaseMs: LEASE_MS,
    };
    return { route, can, facts };
  });

const isDoubtful = (a: PspAttempt) => a.kind === 'execute' && (a.outcome === 'unknown' || a.outcome === null);
const saysYes = ({ kind, outcome }: PspAttempt) => kind !== 'cancel' && outcome === 'succeeded';
const mayHaveVoided = ({ kind, outcome }: PspAttempt) =>
  kind === 'cancel' && (outcome === null || outcome === 'unknown' || outcome === 'pending');
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
    const inWindow = a.startedAt.getTime() < firstSent + (can.idempotency.windowMs ?? 0);
    return a.kind === 'execute' && a.outcome === 'declined' && can.idempotency.replays === 'all' && inWindow;
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

describe('the schedule', () => {
  const stripeLike: Capabilities = {
    operations: ['charge'],
    currencies: null,
    idempotency: { windowMs: 24 * HOUR, replays: 'all' },
    lookup: { by: 'reference', consistency: 'eventual', settlesAfterMs: 60_000 },
    cancel: null,
    captures: 'one',
  };

  /** Plays a route for weeks in which every call but the first comes back with `outcome`. */
  function playOn(first: PspAttempt['outcome'], outcome: PspAttempt['outcome'], can: Capabilities) {
    const request = requestOf('first', 1);
    const attempts: PspAttempt[] = [];
    const call = (kind: PspAttempt['kind'], atMs: number, told: PspAttempt['outcome']) =>
      attempts.push({
        ...requestOf('first', 1),
        attempt: attempts.length + 1,
        kind,
        outcome: told,
        decline: null,
        pspCode: null,
        httpStatus: null,
        latencyMs: 1,
        traceId: 't',
        request: {},
        response: null,
        startedAt: new Date(atMs),
        endedAt: new Date(atMs + 1),
      });
    call('execute', START, first);
    let nowMs = START + 1;
    for (let steps = 0; steps < 100; steps++) {
      const step = nextStep([{ request, attempts }], {
        now: new Date(nowMs),
        deadline: null,
        capabilities: () => can,
        candidates: ['first', 'second'],
        asked: false,
        wish: 'finish',
        fence: false,
        leaseMs: LEASE_MS,
      });
      if (step.do === 'wait') nowMs = step.until.getTime();
      else if (step.do === 'lookup' || step.do === 'execute') call(step.do, nowMs++, outcome);
      else return { step, attempts, days: (nowMs - START) / (24 * HOUR) };
    }
    throw new Error('it never ends');
  }

  it('asks in growing pauses for a day and more, then calls a person', () => {
    const { step, attempts } = playOn('unknown', 'unknown', stripeLike);
    expect(step.do).toBe('stuck');
    const lookups = attempts.filter((a) => a.kind === 'lookup');
    expect(lookups).toHaveLength(1 + 10);
    const resends = attempts.filter((a) => a.kind === 'execute').slice(1);
    expect(resends.length).toBeGreaterThan(5);
    for (const { startedAt } of resends) expect(startedAt.getTime()).toBeLessThan(START + 24 * HOUR);
  });

  it('gives a customer who has to act as long as it gives a doubt', () => {
    const { step, attempts } = playOn('requires_action', 'requires_action', stripeLike);
    expect(step.do).toBe('stuck');
    expect(attempts.filter((a) => a.kind === 'lookup')).toHaveLength(10);
  });

  it('is not led astray by an order to void: the payment itself is still in doubt', () => {
    const adyenLike: Capabilities = {
      ...stripeLike,
      idempotency: { windowMs: 7 * 24 * HOUR, replays: 'all' },
      lookup: null,
      cancel: 'reference',
    };
    const [route] = fc.sample(routeStory, 1);
    const doubtful = { ...route!.attempts[0]!, outcome: 'unknown' as const };
    const order = { ...doubtful, attempt: 2, kind: 'cancel' as const, outcome: 'pending' as const };
    const attempts = [doubtful, order];
    expect(weigh({ request: route!.request, attempts }, adyenLike, { leaseMs: LEASE_MS })).toMatchObject({
      verdict: 'open',
      why: 'doubt',
    });
  });
});
