import { ApiSchema } from '@nestjs/swagger';
import { Field, Id, PageOf, Text, Time, WholeNumber } from '../http/view-fields.js';
import { type BreakNote, type ReconciliationBreak } from './breaks.js';
import { type FetchView } from './report-fetch.view.js';
import { type FetchRecord } from './report-fetches.js';
import { type Run, type RunLine, type RunResult } from './runs.js';

@ApiSchema({ name: 'ReconciliationRun', description: 'A report of a PSP that was imported.' })
export class RunView {
  @Id()
  readonly id: string;

  @Text({ description: 'The PSP account.' })
  readonly psp: string;

  @Text()
  readonly format: string;

  @Text()
  readonly file_name: string;

  @Time({ description: 'From when the report covers everything.' })
  readonly period_from: string;

  @Time()
  readonly period_to: string;

  @WholeNumber({ minimum: 0 })
  readonly lines: number;

  @WholeNumber({ minimum: 0, description: 'Lines that no report before had.' })
  readonly new_lines: number;

  @Text()
  readonly imported_by: string;

  @Time()
  readonly imported_at: string;
}

@ApiSchema({
  name: 'ReconciliationTotals',
  description: 'Minor units; opening + in - out - fees - settled is closing.',
})
class TotalsView {
  @Text()
  readonly currency: string;

  @WholeNumber()
  readonly opening: number;

  @WholeNumber()
  readonly in: number;

  @WholeNumber()
  readonly out: number;

  @WholeNumber()
  readonly fees: number;

  @WholeNumber()
  readonly settled: number;

  @WholeNumber()
  readonly closing: number;
}

@ApiSchema({ name: 'ReconciliationBreakCount' })
class BreakCountView {
  @Text()
  readonly category: string;

  @Text()
  readonly currency: string;

  @WholeNumber({ minimum: 0 })
  readonly open: number;

  @WholeNumber({ minimum: 0 })
  readonly closed: number;

  @WholeNumber({ description: 'What is reported less what the ledger has, of those that are open.' })
  readonly difference: number;
}

@ApiSchema({ name: 'ReconciliationResult' })
export class RunResultView {
  @Field({ type: RunView })
  readonly run: RunView;

  @WholeNumber({ minimum: 0, description: 'Lines that are about something of the ledger.' })
  readonly matched: number;

  @WholeNumber({ minimum: 0 })
  readonly unmatched: number;

  @Field({ type: TotalsView, isArray: true })
  readonly totals: readonly TotalsView[];

  @Field({ type: BreakCountView, isArray: true })
  readonly breaks: readonly BreakCountView[];
}

export function lineViewOf(line: RunLine) {
  return {
    line: line.line,
    type: line.type,
    kind: line.kind,
    psp_reference: line.pspReference,
    reference: line.reference,
    batch: line.batch,
    currency: line.currency,
    gross: line.gross,
    fee: line.fee,
    net: line.net,
    settled_currency: line.settled,
    occurred_at: line.occurredAt.toISOString(),
    is_matched: line.isMatched,
    merchant_id: line.merchantId,
    ledger_source: line.source,
    matched_by: line.matchedBy,
    entity_key: line.entityKey,
  };
}

@ApiSchema({
  name: 'ReconciliationBreak',
  description: 'Where what a PSP says, in a report or a notification, differs from our books.',
})
export class BreakView {
  @Text()
  readonly psp: string;

  @Id({ format: 'uuid', description: 'UUID.' })
  readonly id: string;

  @Text({ description: '`missing_at_psp`, `duplicate_effect` …' })
  readonly category: string;

  @Text({ description: '`open`, `assigned` or `closed`.' })
  readonly state: string;

  @Text({ nullable: true, description: 'The report that it was found by; null: a notification found it.' })
  readonly run_id: string | null;

  @WholeNumber({ nullable: true, description: 'The line of the report; null: it has none.' })
  readonly line: number | null;

  @Text({ nullable: true, description: 'The notification that it was found by.' })
  readonly event_id: string | null;

  @Text({ nullable: true })
  readonly merchant_id: string | null;

  @Text({ nullable: true, description: 'The operation, where it is known.' })
  readonly entity_key: string | null;

  @Text({ nullable: true })
  readonly psp_reference: string | null;

  @Text({ nullable: true, description: 'Null where a notification names no money.' })
  readonly currency: string | null;

  @WholeNumber({ nullable: true, description: 'What the ledger has, in signed minor units.' })
  readonly expected: number | null;

  @WholeNumber({ nullable: true, description: 'What the PSP says.' })
  readonly reported: number | null;

  @Text({ nullable: true })
  readonly owner: string | null;

  @Time()
  readonly occurred_at: string;

  @Time()
  readonly since: string;

  @Time({ nullable: true })
  readonly resolved_at: string | null;

  @Text({ nullable: true, description: 'A run, the task `reconciliation`, or a person.' })
  readonly resolved_by: string | null;

  @Text({ nullable: true })
  readonly resolution: string | null;
}

@ApiSchema({ name: 'ReconciliationBreakNote' })
class NoteView {
  @Id()
  readonly id: string;

  @Time()
  readonly at: string;

  @Text()
  readonly by: string;

  @Text()
  readonly note: string;
}

@ApiSchema({ name: 'ReconciliationBreakWithNotes' })
export class BreakWithNotesView {
  @Field({ type: BreakView })
  readonly found: BreakView;

  @Field({ type: NoteView, isArray: true, description: 'What people found out so far, the oldest first.' })
  readonly notes: readonly NoteView[];
}

export const RunPage = PageOf('ReconciliationRunPage', RunView);
export const BreakPage = PageOf('ReconciliationBreakPage', BreakView);

export function runViewOf(run: Run): RunView {
  return {
    id: run.id,
    psp: run.psp,
    format: run.format,
    file_name: run.fileName,
    period_from: run.periodFrom.toISOString(),
    period_to: run.periodTo.toISOString(),
    lines: run.lines,
    new_lines: run.newLines,
    imported_by: run.importedBy,
    imported_at: run.importedAt.toISOString(),
  };
}

export function runResultViewOf({ run, ...result }: RunResult): RunResultView {
  return { run: runViewOf(run), ...result };
}

export function breakViewOf(found: ReconciliationBreak): BreakView {
  const { psp, id, category, line, currency, expected, reported, owner, resolution } = found;
  return {
    psp,
    id,
    category,
    state: stateOf(found),
    run_id: found.runId,
    line,
    event_id: found.notification?.eventId ?? null,
    merchant_id: found.merchantId,
    entity_key: found.entityKey,
    psp_reference: found.pspReference,
    currency,
    expected,
    reported,
    owner,
    occurred_at: found.occurredAt.toISOString(),
    since: found.openedAt.toISOString(),
    resolved_at: found.closedAt?.toISOString() ?? null,
    resolved_by: found.closedBy,
    resolution,
  };
}

function stateOf({ closedAt, owner }: ReconciliationBreak): string {
  if (closedAt !== null) return 'closed';
  return owner === null ? 'open' : 'assigned';
}

export function noteViewOf({ id, at, by, note }: BreakNote): NoteView {
  return { id, at: at.toISOString(), by, note };
}

export function fetchViewOf({
  psp,
  id,
  periodFrom,
  dueAt,
  state,
  tries,
  nextAt,
  fault,
  runId,
}: FetchRecord): FetchView {
  const times = {
    period_from: periodFrom?.toISOString() ?? null,
    due_at: dueAt.toISOString(),
    next_at: nextAt?.toISOString() ?? null,
  };
  return { psp, id, ...times, state, tries, fault, run_id: runId };
}
