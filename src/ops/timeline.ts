import { type OperationHistory } from '../request-storage/attempt.js';
import { formatMoney } from '../core/money.js';
import {
  type NonExecutionProof,
  type PspAttempt,
  type PspRequest,
} from '../request-storage/psp-request.entity.js';
import { statedBy } from '../request-storage/statement.js';
import { type AuditRow, type TimelineEntry, type Tone } from './console-views.js';

/** A line of a history, of a payment or of a payout. */
export interface TimelineTransition {
  readonly at: Date;
  readonly event: string;
  readonly fromStatus: string | null;
  readonly toStatus: string;
  readonly actor: string;
}

/** What the ledger posted of a payment. */
export interface PostedRow {
  readonly kind: string;
  readonly psp: string;
  readonly at: Date;
  /** Debits above zero, credits below; in minor units. */
  readonly entries: readonly {
    readonly account: string;
    readonly amount: number;
    readonly currency: string;
  }[];
}

/** What there is beside the payment's own states and calls. */
export interface TimelineExtras {
  readonly acts: readonly AuditRow[];
  readonly proofs: readonly NonExecutionProof[];
  readonly posted: readonly PostedRow[];
}

/**
 * What a payment went through, the oldest first: states, routes, calls to PSPs, what PSPs notified, proofs, what people
 * did and what the ledger posted. Pure.
 */
export function timelineOf(
  transitions: readonly TimelineTransition[],
  operations: readonly OperationHistory[],
  { acts, proofs, posted }: TimelineExtras,
): TimelineEntry[] {
  const entries = [
    ...transitions.map(entryOfTransition),
    ...operations.flatMap(({ routes }) =>
      routes.flatMap(({ request, attempts }) => [
        ...attempts.map((attempt) => entryOfAttempt(request, attempt)),
        ...entriesOfRoute(request),
      ]),
    ),
    ...acts.map(entryOfAct),
    ...proofs.map(entryOfProof),
    ...posted.map(entryOfPosted),
  ];
  return entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function entryOfTransition({ at, event, fromStatus, toStatus, actor }: TimelineTransition): TimelineEntry {
  return {
    at: at.toISOString(),
    what: 'state',
    title: fromStatus === toStatus || fromStatus === null ? toStatus : `${fromStatus} → ${toStatus}`,
    detail: event,
    tone: toneOfStatus(toStatus),
    actor,
    duration_ms: null,
    raw: null,
  };
}

function toneOfStatus(status: string): Tone {
  if (status === 'failed') return 'bad';
  if (status === 'processing' || status === 'requires_action') return 'doubt';
  return status === 'canceled' ? 'plain' : 'good';
}

function entryOfAttempt({ psp, route, operation }: PspRequest, attempt: PspAttempt): TimelineEntry {
  const { kind, outcome, pspCode, httpStatus, latencyMs, startedAt, request, response } = attempt;
  const person = statedBy(attempt);
  const codes = [pspCode, httpStatus === null ? null : `HTTP ${httpStatus}`].filter((part) => part !== null);
  const title =
    person !== null
      ? `stated: ${outcome === 'succeeded' ? 'done' : 'not done'}`
      : kind === 'notice'
        ? `${psp} notified: ${outcome ?? 'nothing'}`
        : `${kind} at ${psp}: ${outcome ?? 'no answer yet'}`;
  return {
    at: startedAt.toISOString(),
    what: person !== null ? 'person' : kind === 'notice' ? 'notice' : 'call',
    title,
    detail: [`${operation}, route ${route}`, ...codes].join(', '),
    tone: toneOfOutcome(outcome),
    actor: person,
    duration_ms: latencyMs,
    raw: { request, response },
  };
}

/** That it was opened, where another one was before it, and how it was decided and how long that took. */
function entriesOfRoute(request: PspRequest): TimelineEntry[] {
  const { psp, route, operation, openedAt, decidedAt, verdict } = request;
  const entry = { what: 'route', detail: operation, actor: null, raw: null } as const;
  const opened: TimelineEntry = {
    ...entry,
    at: openedAt.toISOString(),
    title: `route ${route} at ${psp} opened`,
    tone: 'plain',
    duration_ms: null,
  };
  const decided = decidedAt && {
    ...entry,
    at: decidedAt.toISOString(),
    title: `route ${route} at ${psp}: ${verdict === 'effective' ? 'done' : 'ruled out'}`,
    tone: verdict === 'effective' ? ('good' as const) : ('bad' as const),
    duration_ms: decidedAt.getTime() - openedAt.getTime(),
  };
  return [...(route > 1 ? [opened] : []), ...(decided ? [decided] : [])];
}

function entryOfProof({ entityKey, route, attempt, kind, provedAt }: NonExecutionProof): TimelineEntry {
  return {
    at: provedAt.toISOString(),
    what: 'proof',
    title: `proved that route ${route} did nothing: ${kind}`,
    detail: `by attempt ${attempt} of ${entityKey}`,
    tone: 'plain',
    actor: null,
    duration_ms: null,
    raw: null,
  };
}

function entryOfPosted({ kind, psp, at, entries }: PostedRow): TimelineEntry {
  const sides = entries.map(({ account, amount, currency }) => {
    const money = formatMoney({ amount: Math.abs(amount), currency });
    return `${amount > 0 ? 'debit' : 'credit'} ${account} ${money}`;
  });
  return {
    at: at.toISOString(),
    what: 'ledger',
    title: `${kind} posted to the ledger`,
    detail: [psp, ...sides].join(', '),
    tone: 'plain',
    actor: null,
    duration_ms: null,
    raw: null,
  };
}

function toneOfOutcome(outcome: string | null): Tone {
  switch (outcome) {
    case 'succeeded':
      return 'good';
    case 'declined':
    case 'rejected':
    case 'conflict':
      return 'bad';
    case null:
    case 'unknown':
    case 'pending':
    case 'requires_action':
    case 'throttled':
      return 'doubt';
    default:
      return 'plain';
  }
}

function entryOfAct({ at, action, actor, detail }: AuditRow): TimelineEntry {
  return {
    at: new Date(at).toISOString(),
    what: 'person',
    title: action,
    detail: typeof detail['note'] === 'string' ? detail['note'] : null,
    tone: 'plain',
    actor,
    duration_ms: null,
    raw: Object.keys(detail).length === 0 ? null : detail,
  };
}
