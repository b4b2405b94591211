import fc from 'fast-check';
import { type Capabilities } from '../../psp/contract.js';
import { HOUR, LEASE_MS, requestOf, routeStory, START } from '../../../test/support/arbitrary-history.js';
import { assessRoute } from './assess-route.js';
import { nextStep } from './next-step.js';
import { type PspAttempt } from '../route.entity.js';

/** Every run plays them but Stryker's, which would repeat their thousands of looks for each of two thousand mutants. */
const itPlayedOut = process.env['STRYKER_MUTATOR_WORKER'] === undefined ? it : it.skip;

describe('the schedule', () => {
  const stripeLike: Capabilities = {
    operations: ['charge'],
    currencies: null,
    methods: { card: {} },
    idempotency: { windowMs: 24 * HOUR, replays: 'all' },
    lookup: { by: 'reference', consistency: 'eventual', settlesAfterMs: 60_000 },
    cancel: null,
    captures: 'one',
  };

  const adyenLike: Capabilities = {
    ...stripeLike,
    idempotency: { windowMs: 7 * 24 * HOUR, replays: 'all' },
    lookup: null,
    cancel: 'reference',
    cancelIsOrder: true,
  };

  interface Playing {
    /** A client waits, and asks again so long after each answer. */
    readonly asksEveryMs?: number;
    /** From so long after the start on the PSP answers with a yes. */
    readonly outageMs?: number;
    readonly untilMs?: number;
    readonly tookMs?: number;
    /** So long after the start the PSP is heard of again, elsewhere. */
    readonly backMs?: number;
  }

  /** Plays a route in which every call but the first comes back with `outcome`, until it has no next step. */
  function playOn(
    first: PspAttempt['outcome'],
    outcome: PspAttempt['outcome'],
    can: Capabilities,
    { asksEveryMs, outageMs = Infinity, untilMs = 21 * 24 * HOUR, tookMs = 1, backMs }: Playing = {},
  ) {
    const request = requestOf('first', 1);
    const attempts: PspAttempt[] = [];
    let nowMs = START;
    const call = (kind: PspAttempt['kind'], answer: PspAttempt['outcome'], offSchedule = false) => {
      const startedAt = new Date(nowMs);
      nowMs += tookMs;
      attempts.push({
        ...requestOf('first', 1),
        attempt: attempts.length + 1,
        kind,
        outcome: answer,
        decline: null,
        pspCode: null,
        httpStatus: null,
        latencyMs: 1,
        traceId: 't',
        request: offSchedule ? { off_schedule: true } : {},
        response: null,
        startedAt,
        endedAt: new Date(nowMs),
      });
    };
    call('execute', first);
    let asksAtMs = asksEveryMs === undefined ? Infinity : nowMs + asksEveryMs;
    for (let steps = 0; steps < 100_000 && nowMs - START < untilMs; steps++) {
      const asked = nowMs >= asksAtMs;
      const step = nextStep([{ request, attempts }], {
        now: new Date(nowMs),
        deadline: asked ? new Date(nowMs + 25_000) : null,
        capabilities: () => can,
        fingerprintOf: () => undefined,
        mayBeginAt: () => true,
        candidates: ['first', 'second'],
        clientWaiting: asked,
        backAt: () => (backMs === undefined || nowMs < START + backMs ? null : new Date(START + backMs)),
        intent: 'finish',
        cancelBeforeFailover: false,
        clockTrusted: true,
        hold: 'none',
        leaseMs: LEASE_MS,
      });
      if (step.do === 'lookup' || step.do === 'execute') {
        call(step.do, nowMs - START >= outageMs ? 'succeeded' : outcome, step.offSchedule);
      } else if (step.do === 'wait' || (step.do === 'stuck' && asksEveryMs !== undefined)) {
        if (asked) asksAtMs = nowMs + asksEveryMs!;
        // A PSP that comes back makes its routes due, and each has its turn.
        const wokenMs = backMs !== undefined && nowMs < START + backMs ? START + backMs : Infinity;
        nowMs = Math.min(step.do === 'wait' ? step.until.getTime() : Infinity, asksAtMs, wokenMs);
      } else return { step, attempts, afterMs: nowMs - START };
    }
    return { step: null, attempts, afterMs: nowMs - START };
  }

  it('asks in growing pauses for a day and more, then calls a person', () => {
    const { step, attempts } = playOn('unknown', 'unknown', stripeLike);
    expect(step?.do).toBe('stuck');
    const lookups = attempts.filter((a) => a.kind === 'lookup');
    expect(lookups).toHaveLength(1 + 10);
    const resends = attempts.filter((a) => a.kind === 'execute').slice(1);
    expect(resends.length).toBeGreaterThan(5);
    for (const { startedAt } of resends) expect(startedAt.getTime()).toBeLessThan(START + 24 * HOUR);
  });

  it('asks within a minute of the moment at which the PSP is back, once, and goes on as before', () => {
    for (const can of [stripeLike, adyenLike]) {
      const backMs = 20 * 60_000;
      const before = playOn('unknown', 'unknown', can);
      const after = playOn('unknown', 'unknown', can, { backMs });
      const times = ({ attempts }: typeof after) =>
        attempts.map(({ startedAt }) => startedAt.getTime() - START);
      const own = new Set(times(before));
      const more = times(after).filter((at) => !own.has(at));
      // A lookup, where the PSP has one, and the same again.
      expect(more.length).toBe(can.lookup ? 2 : 1);
      for (const at of more) {
        expect(at).toBeGreaterThanOrEqual(backMs);
        expect(at).toBeLessThanOrEqual(backMs + 61_000);
      }
      expect(after.step?.do).toBe('stuck');
    }
  });

  it('gives a customer who has to act as long as it gives a doubt', () => {
    const { step, attempts } = playOn('requires_action', 'requires_action', stripeLike);
    expect(step?.do).toBe('stuck');
    expect(attempts.filter((a) => a.kind === 'lookup')).toHaveLength(10);
  });

  it('asks a PSP that has a term for its results until then, once a day, and then calls a person', () => {
    const bankLike = { ...stripeLike, answersWithinMs: 5 * 24 * HOUR };
    const { step, attempts, afterMs } = playOn('pending', 'pending', bankLike);
    expect(step?.do).toBe('stuck');
    expect(afterMs).toBeGreaterThanOrEqual(5 * 24 * HOUR);
    expect(afterMs).toBeLessThan(5 * 24 * HOUR + 60_000);
    const lookups = attempts.filter(({ kind }) => kind === 'lookup').map((a) => a.startedAt.getTime());
    for (const [at, time] of lookups.entries()) {
      expect(time - (lookups[at - 1] ?? START)).toBeLessThanOrEqual(24 * HOUR + 1_000);
    }
    const short = playOn('pending', 'pending', { ...stripeLike, answersWithinMs: HOUR });
    expect(short.step?.do).toBe('stuck');
    expect(short.afterMs).toBeLessThan(HOUR + 60_000);
  });

  describe.each([
    ['Stripe', stripeLike],
    ['Adyen', adyenLike],
  ] as const)('of a PSP like %s', (_, can) => {
    it.each([1_000, 10_000, 60_000])('ends soon after an outage, asked every %i ms', (asksEveryMs) => {
      const { step, afterMs } = playOn('unknown', 'unknown', can, { asksEveryMs, outageMs: 14_000 });
      expect(step?.do).toBe('finish');
      expect(afterMs).toBeLessThan(14_000 + 31_000);
    });

    itPlayedOut('is the same to the end of a long outage, however often a client asks', () => {
      for (const asksEveryMs of [17_000, 60_000]) {
        const { step, afterMs } = playOn('unknown', 'unknown', can, { asksEveryMs, outageMs: 20 * HOUR });
        expect(step?.do).toBe('finish');
        expect(afterMs).toBeLessThan(21.1 * HOUR);
      }
    });

    itPlayedOut('asks a PSP for clients at most every 30 s, and after two hundred times once an hour', () => {
      const { attempts } = playOn('unknown', 'unknown', can, { asksEveryMs: 200, untilMs: 10 * 60_000 });
      const extra = attempts.filter((a) => a.request['off_schedule'] === true);
      expect(extra.length).toBeGreaterThan(15);
      expect(extra.length).toBeLessThan(40);
      const all = playOn('unknown', 'unknown', can, { asksEveryMs: 15_000, untilMs: 24 * HOUR }).attempts;
      expect(all.length).toBeLessThan(300);
    });

    it('asks seldom where a call takes long', () => {
      const { attempts } = playOn('unknown', 'unknown', can, { tookMs: 10_000, untilMs: 5 * 60_000 });
      expect(attempts.length).toBeLessThan(1 + 2 * 5);
    });
  });

  it('asks for a customer who comes back from the bank within seconds', () => {
    const outageMs = 4 * 60_000;
    const { step, afterMs } = playOn('requires_action', 'requires_action', stripeLike, {
      asksEveryMs: 1_000,
      outageMs,
    });
    expect(step?.do).toBe('finish');
    expect(afterMs).toBeLessThan(outageMs + 6_100);
  });

  it('is not led astray by an order to void: the payment itself is still in doubt', () => {
    const [route] = fc.sample(routeStory, 1);
    const doubtful = { ...route!.attempts[0]!, outcome: 'unknown' as const };
    const order = { ...doubtful, attempt: 2, kind: 'cancel' as const, outcome: 'pending' as const };
    const attempts = [doubtful, order];
    expect(
      assessRoute({ request: route!.request, attempts }, adyenLike, { leaseMs: LEASE_MS }),
    ).toMatchObject({
      verdict: 'open',
      why: 'doubt',
    });
  });
});
