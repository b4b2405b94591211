import { type Change, insert, update } from '../kernel/index.js';
import { type Capabilities } from '../psp/index.js';
import { type Answered, type Call, type Driver, newAttempt, type OperationStory, record } from './attempt.js';
import { isFence, type RouteStory, saysDone } from './evidence.js';
import { type RuledOut } from './next-step.js';
import { pspAttempts, type PspRequest, pspRequests } from './psp-request.entity.js';

/**
 * "Not found" is believed when a PSP promises that nothing can arrive any more. PSPs break promises:
 * one bank's gateway is known to take up to three days. So a route that was ruled out by it, or by
 * a fence, is looked at again after so long; what is found is an orphan effect.
 */
export const LATE_LOOKS_MS: readonly number[] = [
  5 * 60_000,
  60 * 60_000,
  6 * 3_600_000,
  24 * 3_600_000,
  72 * 3_600_000,
];

/** When to look for the first time; null where the proof is the PSP's own no, or nobody can be asked. */
export function lateLookAfter({ kind, by }: RuledOut, { lookup }: Capabilities, now: Date): Date | null {
  const mayBeLate = (kind === 'lookup_final' && by.outcome === 'not_found') || isFence(by);
  if (!mayBeLate || lookup?.by !== 'reference') return null;
  return new Date(now.getTime() + LATE_LOOKS_MS[0]!);
}

/** One more look at a route that was ruled out: what to write before it, and the call. */
export function lookAgain(
  { request, attempts }: RouteStory,
  driver: Driver,
  now: Date,
): { readonly changes: readonly Change[]; readonly call: Call } {
  const attempt = newAttempt(request, attempts.at(-1)!.attempt + 1, 'lookup', driver, now);
  const sent = attempts.filter(({ kind }) => kind === 'execute').map(({ startedAt }) => startedAt);
  const held = { ...request, fence: request.fence + 1 };
  return {
    // Whoever dies now is followed by another look, once its call can no longer be under way.
    changes: [write(request, new Date(now.getTime() + driver.leaseMs)), insert(pspAttempts, attempt)],
    call: { request: held, attempt, firstSentAt: sent[0]!, lastSentAt: sent.at(-1)!, undo: false },
  };
}

/** What the look came back with, and when to look next: not any more once it has found something. */
export function lookedAgain(story: OperationStory, answered: Answered, now: Date): readonly Change[] {
  const changes: Change[] = [];
  const known = record(story, answered, changes);
  const { request, attempts } = known.routes.find(
    (one) => one.request.route === answered.call.request.route,
  )!;
  const looks = attempts.filter((a) => a.kind === 'lookup' && a.startedAt >= request.decidedAt!).length;
  const afterMs = attempts.some(saysDone) ? undefined : LATE_LOOKS_MS[looks];
  const next = afterMs === undefined ? null : new Date(request.decidedAt!.getTime() + afterMs);
  return [write(request, next && next < now ? now : next), ...changes];
}

function write({ merchantId, entityKey, route, fence }: PspRequest, lookAgainAt: Date | null): Change {
  const key = { merchantId, entityKey, route };
  return update(pspRequests, key, { lookAgainAt, fence: fence + 1 }, { fence, verdict: 'ruled_out' });
}
