import { type Change, insert, update } from '../../core/change.js';
import { type Capabilities } from '../../psp/contract.js';
import {
  type AnsweredCall,
  type Call,
  type LeaseHolder,
  newAttempt,
  type OperationHistory,
  record,
  sentAtOf,
} from './attempt.js';
import { isFailoverCancel, type RouteHistory, isSuccess } from './assess-route.js';
import { type RuledOut } from './next-step.js';
import { type OrphanEffect, type Route } from '../route.entity.js';
import { orphanEffects, pspAttempts, pspRequests } from '../route.table.js';

/**
 * "Not found" is proof if a PSP promises that nothing can arrive any more. PSPs break promises: one bank's gateway
 * is known to take up to three days. So a route that was ruled out by it, or by a cancel before a failover, is
 * looked up again after these times; an object found then is an orphan effect.
 */
const DELAYED_LOOKUPS_MS: readonly number[] = [
  5 * 60_000,
  60 * 60_000,
  6 * 3_600_000,
  24 * 3_600_000,
  72 * 3_600_000,
];

/** When to look it up first; null if the PSP itself reported the failure, or offers no lookup. */
export function delayedLookupAfter({ kind, by }: RuledOut, { lookup }: Capabilities, now: Date): Date | null {
  const mayBeLate =
    (kind === 'lookup_final' && by.outcome === 'not_found') || kind === 'person' || isFailoverCancel(by);
  if (!mayBeLate || lookup?.by !== 'reference') return null;
  return new Date(now.getTime() + DELAYED_LOOKUPS_MS[0]!);
}

/**
 * A capture and a void have no object of their own: a lookup finds what they act upon, whichever route changed it. Where a
 * later route of the same name stands at the same PSP, it would find what that one did.
 */
export function wouldFindLaterRoute(
  { routes }: Pick<OperationHistory, 'routes'>,
  { request }: RouteHistory,
): boolean {
  const { operation, psp, route } = request;
  if (operation !== 'capture' && operation !== 'void') return false;
  return routes.some(
    ({ request: later }) => later.route > route && later.psp === psp && later.verdict !== 'ruled_out',
  );
}

/** No more lookups of a route that was ruled out. */
export function endLookups({ request }: RouteHistory): Change {
  return write(request, null);
}

/** Another lookup of a route that was ruled out: what to write before it, and the call. */
export function recheck(
  { request, attempts }: RouteHistory,
  holder: LeaseHolder,
  now: Date,
): { readonly changes: readonly Change[]; readonly call: Call } {
  const attempt = newAttempt(request, attempts.at(-1)!.attempt + 1, 'lookup', holder, now);
  return {
    // If the process dies now, another lookup follows once this call can no longer be under way.
    changes: [write(request, new Date(now.getTime() + holder.leaseMs)), insert(pspAttempts, attempt)],
    call: callFor({ request: { ...request, version: request.version + 1 }, attempts }, attempt),
  };
}

function callFor({ request, attempts }: RouteHistory, attempt: Call['attempt']): Call {
  return { request, attempt, sentAt: sentAtOf(attempts), undo: false };
}

/** When to ask again about an orphan effect, if the PSP did not answer. */
const ORPHAN_ASKS_MS: readonly number[] = [60_000, 5 * 60_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000];

/** One lookup of an orphan effect by the PSP's id. Null if it was asked often enough and the PSP gave no answer. */
export function askAbout(
  { request, attempts }: RouteHistory,
  orphan: OrphanEffect,
  holder: LeaseHolder,
  now: Date,
): { readonly orphan: OrphanEffect; readonly changes: readonly Change[]; readonly call: Call } | null {
  const asked = attempts.filter((a) => isAbout(a, orphan)).length;
  if (asked >= ORPHAN_ASKS_MS.length) return null;
  const { merchantId, entityKey, route, version, verdict } = request;
  const { pspReference, object } = orphan;
  const made = newAttempt(request, attempts.at(-1)!.attempt + 1, 'lookup', holder, now);
  const attempt = { ...made, request: { ...made.request, orphan: object } };
  const key = { merchantId, entityKey, route };
  // If the process dies now, another lookup follows once this one can no longer be under way.
  const claim = askLater(orphan, new Date(now.getTime() + holder.leaseMs));
  return {
    orphan: claim.orphan,
    changes: [
      claim.change,
      update(pspRequests, key, { version: version + 1 }, { version, verdict }),
      insert(pspAttempts, attempt),
    ],
    call: callFor({ request: { ...request, pspReference, version: version + 1 }, attempts }, attempt),
  };
}

/** One lookup of the id that a person named as that of a stuck route's object. */
export function askAboutStated(
  { request, attempts }: RouteHistory,
  pspReference: string,
  holder: LeaseHolder,
  now: Date,
): { readonly changes: readonly Change[]; readonly call: Call } {
  const { merchantId, entityKey, route, version, verdict } = request;
  const made = newAttempt(request, attempts.at(-1)!.attempt + 1, 'lookup', holder, now);
  const attempt = { ...made, request: { ...made.request, stated_reference: pspReference } };
  const key = { merchantId, entityKey, route };
  return {
    changes: [
      update(pspRequests, key, { version: version + 1 }, { version, verdict }),
      insert(pspAttempts, attempt),
    ],
    call: callFor({ request: { ...request, pspReference, version: version + 1 }, attempts }, attempt),
  };
}

/** The PSP gave no answer about an orphan effect: when to ask again. */
export function unanswered({ attempts }: RouteHistory, orphan: OrphanEffect, now: Date): Change {
  const asked = attempts.filter((a) => isAbout(a, orphan)).length;
  return askLater(orphan, new Date(now.getTime() + (ORPHAN_ASKS_MS[asked - 1] ?? 0))).change;
}

function askLater(
  orphan: OrphanEffect,
  dueAt: Date,
): { readonly orphan: OrphanEffect; readonly change: Change } {
  const { merchantId, entityKey, route, object, status } = orphan;
  const key = { merchantId, entityKey, route, object };
  return {
    orphan: { ...orphan, dueAt },
    change: update(orphanEffects, key, { dueAt }, { status, dueAt: orphan.dueAt }),
  };
}

function isAbout({ kind, request }: RouteHistory['attempts'][number], { object }: OrphanEffect): boolean {
  return kind === 'lookup' && request['orphan'] === object;
}

/**
 * The result of the lookup, and when the next one is due: none after one that found an object. Lookups of an orphan
 * effect by its id do not count.
 */
export function rechecked(history: OperationHistory, answered: AnsweredCall, now: Date): readonly Change[] {
  const changes: Change[] = [];
  const known = record(history, answered, changes);
  const { request, attempts } = known.routes.find(
    (one) => one.request.route === answered.call.request.route,
  )!;
  const own = attempts.filter((a) => a.kind === 'lookup' && a.request['orphan'] === undefined);
  const looks = own.filter((a) => a.startedAt >= request.decidedAt!).length;
  const afterMs = attempts.some(isSuccess) ? undefined : DELAYED_LOOKUPS_MS[looks];
  const next = afterMs === undefined ? null : new Date(request.decidedAt!.getTime() + afterMs);
  return [write(request, next && next < now ? now : next), ...changes];
}

function write({ merchantId, entityKey, route, version }: Route, lookAgainAt: Date | null): Change {
  const key = { merchantId, entityKey, route };
  return update(pspRequests, key, { lookAgainAt, version: version + 1 }, { version, verdict: 'ruled_out' });
}
