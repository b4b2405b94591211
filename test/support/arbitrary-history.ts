import fc from 'fast-check';
import { type Capabilities, outcomes } from '../../src/psp/contract.js';
import { LOCK_TOO_OLD } from '../../src/psp/network-error.js';
import { type RouteHistory } from '../../src/request-storage/decisions/assess-route.js';
import { type StepFacts } from '../../src/request-storage/decisions/next-step.js';
import { type PspAttempt, type Route } from '../../src/request-storage/route.entity.js';

export const HOUR = 3_600_000;
export const START = Date.UTC(2026, 0, 1);
export const LEASE_MS = 20_000;
const capabilities: fc.Arbitrary<Capabilities> = fc
  .record({
    operations: fc.constant(['charge', 'authorize', 'capture', 'void'] as const),
    currencies: fc.constant(null),
    methods: fc.constant({ card: {} }),
    idempotency: fc.oneof(
      fc.record({
        windowMs: fc.constantFrom(HOUR, 24 * HOUR),
        replays: fc.constantFrom('all' as const, 'id' as const, 'latest' as const, 'success' as const),
      }),
      fc.constant({ windowMs: null, replays: 'none' as const }),
    ),
    lookup: fc.option(
      fc.record({
        by: fc.constantFrom('reference' as const, 'id' as const),
        consistency: fc.constantFrom('strong' as const, 'eventual' as const),
        settlesAfterMs: fc.constantFrom(0, 60_000),
        settlesAfterServerErrorMs: fc.constant(24 * HOUR),
      }),
    ),
    cancel: fc.constantFrom('reference' as const, 'id' as const, null),
    captures: fc.constantFrom('whole' as const, 'one' as const, 'several' as const),
    completion: fc.option(fc.record({ repeatable: fc.boolean() }), { nil: undefined }),
    cancelProvesAfterMs: fc.option(fc.constantFrom(0, 60_000, 2 * HOUR), { nil: undefined }),
  })
  .map(({ completion, cancelProvesAfterMs, ...can }) => ({
    ...can,
    ...(completion ? { completion } : {}),
    ...(can.cancel === 'reference' && cancelProvesAfterMs !== undefined ? { cancelProvesAfterMs } : {}),
  }));

/** What was called, what came back, and how long after the call before it. */
const calls = fc.array(
  fc.record({
    kind: fc.constantFrom(...(['execute', 'execute', 'lookup', 'cancel', 'complete', 'notice'] as const)),
    about: fc.constantFrom('operation' as const, 'cancel' as const),
    outcome: fc.option(fc.constantFrom(...outcomes), { freq: 8 }),
    decline: fc.constantFrom('do_not_honor' as const, 'fraud_suspected' as const),
    isServerError: fc.boolean(),
    gapMs: fc.constantFrom(0, 1_000, 70_000, HOUR, 25 * HOUR),
    tookMs: fc.constantFrom(5, 10_000),
  }),
  { minLength: 1, maxLength: 6 },
);

export function requestOf(psp: string, route: number): Route {
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
    version: 1,
    leasedBy: null,
    leasedUntil: null,
    restsOnRoute: route === 1 ? null : route - 1,
    openedAt: new Date(START),
    decidedAt: null,
    lookAgainAt: null,
  };
}

/** A route's story; its first call is always an execute, as a route is opened. */
export const routeStory: fc.Arbitrary<RouteHistory> = fc.tuple(calls, fc.boolean()).map(([made, knowsId]) => {
  let atMs = START;
  const request = { ...requestOf('first', 1), pspReference: knowsId ? 'pi_1' : null };
  const attempts = made.map((call, i): PspAttempt => {
    atMs += i === 0 ? 0 : call.gapMs;
    const startedAt = new Date(atMs);
    const about = i === 0 || call.kind !== 'notice' ? {} : { about: call.about };
    const outcome = plausible(i === 0 ? 'execute' : call.kind, call.outcome, about);
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
      httpStatus: outcome === 'unknown' && call.isServerError ? 500 : null,
      latencyMs: null,
      traceId: 't',
      request: about,
      response: null,
      startedAt,
      endedAt: outcome === null ? null : new Date(atMs),
    };
  });
  return { request, attempts };
});

/** Calls that our lock kept back, by where in the story each is added; never after more than three in a row. */
export const skips = fc.array(
  fc.record({
    before: fc.integer({ min: 0, max: 6 }),
    kind: fc.constantFrom('execute' as const, 'lookup' as const, 'cancel' as const),
  }),
  { minLength: 1, maxLength: 2 },
);

/** The same story with these calls between the others. */
export function withSkips(
  { request, attempts }: RouteHistory,
  added: readonly { readonly before: number; readonly kind: 'execute' | 'lookup' | 'cancel' }[],
): RouteHistory {
  const first = attempts[0]!;
  const skipped = (kind: PspAttempt['kind'], at: Date): PspAttempt => {
    const nothing = { httpStatus: null, response: null, request: {}, decline: null };
    return {
      ...first,
      ...nothing,
      kind,
      outcome: 'not_sent',
      pspCode: LOCK_TOO_OLD,
      startedAt: at,
      endedAt: at,
    };
  };
  const end = attempts.at(-1)!.endedAt ?? attempts.at(-1)!.startedAt;
  const all = [...attempts.keys(), attempts.length].flatMap((i) => [
    ...added
      .filter(({ before }) => Math.min(before, attempts.length) === i)
      .map(({ kind }) => skipped(kind, attempts[i]?.startedAt ?? end)),
    ...(attempts[i] ? [attempts[i]] : []),
  ]);
  return { request, attempts: all.map((a, i) => ({ ...a, attempt: i + 1 })) };
}

/** Only lookups, cancels and notices say `not_found` or `canceled`; a cancel is not declined. */
function plausible(
  kind: PspAttempt['kind'],
  outcome: PspAttempt['outcome'],
  { about }: { readonly about?: 'operation' | 'cancel' },
): PspAttempt['outcome'] {
  const sends = kind === 'execute' || kind === 'complete';
  if (sends && (outcome === 'not_found' || outcome === 'canceled')) return 'unknown';
  if (kind === 'cancel' && outcome === 'declined') return 'unknown';
  if (kind !== 'notice') return outcome;
  if (about === 'cancel') return outcome === 'canceled' ? 'canceled' : 'declined';
  const isTold =
    outcome !== null && ['succeeded', 'declined', 'pending', 'requires_action', 'canceled'].includes(outcome);
  return isTold ? outcome : 'conflict';
}

export const situation = fc
  .record({
    route: routeStory,
    can: capabilities,
    laterMs: fc.constantFrom(0, 1_500, 30_000, 2 * HOUR, 30 * HOUR, 24 * 40 * HOUR),
    deadline: fc.constantFrom('none', 'passed', 'ahead'),
    asked: fc.boolean(),
    intent: fc.constantFrom('finish' as const, 'cancel' as const),
    alone: fc.boolean(),
    fence: fc.boolean(),
  })
  .map(({ route, can, laterMs, deadline, asked, intent, alone, fence }) => {
    const last = route.attempts.at(-1)!;
    const now = new Date((last.endedAt ?? last.startedAt).getTime() + laterMs);
    const facts: StepFacts = {
      now,
      deadline: deadline === 'none' ? null : new Date(now.getTime() + (deadline === 'ahead' ? 10_000 : -1)),
      capabilities: () => can,
      fingerprintOf: () => undefined,
      mayBeginAt: () => true,
      candidates: alone ? ['first'] : ['first', 'second', 'third'],
      clientWaiting: asked,
      intent,
      cancelBeforeFailover: fence,
      clockTrusted: true,
      hold: 'none',
      leaseMs: LEASE_MS,
    };
    return { route, can, facts };
  });
