import fc from 'fast-check';
import { type Capabilities } from '../psp/index.js';
import { HOUR, LEASE_MS, requestOf, routeStory, START } from '../../test/support/arbitrary-story.js';
import { weigh } from './evidence.js';
import { nextStep } from './next-step.js';
import { type PspAttempt } from './psp-request.entity.js';

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
