import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { formatMoney } from '../core/money.js';
import { type NonExecutionProof, type PspAttempt, type Route } from '../request-storage/route.entity.js';
import { statedBy } from '../request-storage/decisions/person-statement.js';
import { type AuditRow } from '../audit/audit.view.js';
import { type TimelineEntry, type Tone } from './console-views.js';

/** A line of a history, of a payment or of a payout. */
interface TimelineTransition {
  readonly at: Date;
  readonly event: string;
  readonly fromStatus: string | null;
  readonly toStatus: string;
  readonly actor: string;
}

/** The postings of the ledger for a payment. */
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

/** A request of the merchant under an Idempotency-Key. */
export interface RequestRow {
  /** `POST /v1/payments` */
  readonly operation: string;
  readonly key: string;
  readonly at: Date;
  readonly finishedAt: Date | null;
  /** The status of the stored answer; null until there is one. */
  readonly status: number | null;
  /** The address that its first request came from; null if it is not known. */
  readonly sourceAddress: string | null;
}

/** An event for the merchant, once for each endpoint that it is sent to. */
export interface EventRow {
  readonly type: string;
  readonly at: Date;
  readonly status: string | null;
  readonly tries: number | null;
  readonly triedAt: Date | null;
  readonly url: string | null;
}

/** The records beside the payment's own states and calls. */
interface TimelineExtras {
  readonly requests: readonly RequestRow[];
  readonly events: readonly EventRow[];
  readonly acts: readonly AuditRow[];
  readonly proofs: readonly NonExecutionProof[];
  readonly posted: readonly PostedRow[];
}

/**
 * The events of a payment, the oldest first: requests, states, routes, calls to PSPs, what PSPs notified, proofs,
 * what people did, what the ledger posted and what the merchant was sent. Pure.
 */
export function timelineOf(
  transitions: readonly TimelineTransition[],
  operations: readonly OperationHistory[],
  { requests, acts, proofs, posted, events }: TimelineExtras,
): TimelineEntry[] {
  const routes = operations.flatMap((operation) => operation.routes);
  // One commit writes many of them at one instant: what it rests on comes first, and what follows from it last.
  const entries = [
    ...requests.map((request) => entryOfRequest(request, transitions)),
    ...acts.map(entryOfAct),
    ...proofs.map(entryOfProof),
    ...routes.flatMap(({ request }) => entriesOfDecision(request)),
    ...transitions.map(entryOfTransition),
    ...routes.flatMap(({ request }) => entriesOfOpening(request)),
    ...routes.flatMap(({ request, attempts }) => attempts.map((attempt) => entryOfAttempt(request, attempt))),
    ...posted.map(entryOfPosted),
    ...events.map(entryOfEvent),
  ];
  return entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** When routes were opened and decided. */
export function timesOf(operations: readonly OperationHistory[]): Date[] {
  return operations.flatMap(({ routes }) =>
    routes.flatMap(({ request: { openedAt, decidedAt } }) =>
      decidedAt ? [openedAt, decidedAt] : [openedAt],
    ),
  );
}

function entryOfRequest(
  { operation, key, at, finishedAt, status, sourceAddress }: RequestRow,
  transitions: readonly TimelineTransition[],
): TimelineEntry {
  // The database stamps the key while it writes the commit, and the process what it decided before: a moment earlier.
  const begun = transitions.findLast((state) => state.at <= at && at.getTime() - state.at.getTime() < 2_000);
  return {
    at: (begun?.at ?? at).toISOString(),
    what: 'request',
    title: `${operation}: ${status === null ? 'not answered for good yet' : `answered ${status}`}`,
    detail: `Idempotency-Key ${key}${sourceAddress === null ? '' : `, from ${sourceAddress}`}`,
    tone: 'plain',
    actor: null,
    duration_ms: finishedAt && finishedAt.getTime() - at.getTime(),
    raw: null,
  };
}

function entryOfEvent({ type, at, status, tries, triedAt, url }: EventRow): TimelineEntry {
  return {
    at: (triedAt ?? at).toISOString(),
    what: 'event',
    title: `${type}: ${status ?? 'no endpoint is sent it'}`,
    detail: url && `${url}, ${tries} ${tries === 1 ? 'try' : 'tries'}`,
    tone: status === 'exhausted' ? 'bad' : 'plain',
    actor: null,
    duration_ms: triedAt && triedAt.getTime() - at.getTime(),
    raw: null,
  };
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

function entryOfAttempt({ psp, route, operation }: Route, attempt: PspAttempt): TimelineEntry {
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

/** The first route opens with its operation, which is an entry of its own. */
function entriesOfOpening({ psp, route, operation, openedAt }: Route): TimelineEntry[] {
  if (route === 1) return [];
  const title = `route ${route} at ${psp} opened`;
  return [
    { ...ROUTE, at: openedAt.toISOString(), title, detail: operation, tone: 'plain', duration_ms: null },
  ];
}

/** How it was decided, and how long that took. */
function entriesOfDecision(request: Route): TimelineEntry[] {
  const { psp, route, operation, openedAt, decidedAt, verdict } = request;
  if (decidedAt === null) return [];
  const isDone = verdict === 'effective';
  return [
    {
      ...ROUTE,
      at: decidedAt.toISOString(),
      title: `route ${route} at ${psp}: ${isDone ? 'done' : 'ruled out'}`,
      detail: operation,
      tone: isDone ? 'good' : 'bad',
      duration_ms: decidedAt.getTime() - openedAt.getTime(),
    },
  ];
}

const ROUTE = { what: 'route', actor: null, raw: null } as const;

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
    return `${amount > 0 ? 'debit' : 'credit'} ${account.replaceAll('_', ' ')} ${money}`;
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
