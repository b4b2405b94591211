import { type PaymentTransition } from '../payments/payment.entity.js';
import { type OperationHistory } from '../request-storage/attempt.js';
import { type PspAttempt, type PspRequest } from '../request-storage/psp-request.entity.js';
import { statedBy } from '../request-storage/statement.js';
import { type AuditRow, type TimelineEntry, type Tone } from './console-views.js';

/** What a payment went through, the oldest first: states, calls to PSPs, what PSPs notified, what people did. Pure. */
export function timelineOf(
  transitions: readonly PaymentTransition[],
  operations: readonly OperationHistory[],
  acts: readonly AuditRow[],
): TimelineEntry[] {
  const entries = [
    ...transitions.map(entryOfTransition),
    ...operations.flatMap(({ routes }) =>
      routes.flatMap(({ request, attempts }) => attempts.map((attempt) => entryOfAttempt(request, attempt))),
    ),
    ...acts.map(entryOfAct),
  ];
  return entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function entryOfTransition({ at, event, fromStatus, toStatus, actor }: PaymentTransition): TimelineEntry {
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
    detail: null,
    tone: 'plain',
    actor,
    duration_ms: null,
    raw: Object.keys(detail).length === 0 ? null : detail,
  };
}
