import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { translateOutage } from '../database/store-unavailable.js';
import { Breaks } from '../reconciliation/breaks.js';
import { type BreakWithNotesView, breakViewOf, noteViewOf } from '../reconciliation/reconciliation.view.js';
import { subjectOf } from '../request-storage/entity-key.js';
import { type BreakSidesView } from './break-page.view.js';

const SIDES = `
SELECT b.line_key, b.source, r.file_name, coalesce(b.merchant_id, l.merchant_id) AS merchant_id,
       coalesce(b.entity_key, l.entity_key) AS entity_key, to_jsonb(l) AS line, l.occurred_at AS line_at
  FROM reconciliation_breaks b
  LEFT JOIN reconciliation_runs r ON r.psp = b.psp AND r.id = b.run_id
  LEFT JOIN report_lines l ON l.psp = b.psp AND l.key = b.line_key
 WHERE b.psp = $1 AND b.id = $2`;

/** The ledger's side of a break: the postings that its line was matched with, and those that the break names. */
const ENTRIES = `
SELECT t.source, t.kind, t.currency, t.amount, t.occurred_at, m.matched_by
  FROM ledger_effects t
  LEFT JOIN reconciliation_matches m
         ON m.psp = $1 AND m.line_key = $2 AND m.merchant_id = t.merchant_id AND m.source = t.source
 WHERE (t.merchant_id, t.source) IN (
   SELECT merchant_id, source FROM reconciliation_matches WHERE psp = $1 AND line_key = $2
   UNION SELECT $3::uuid, $4::text)
 ORDER BY t.occurred_at, t.source LIMIT 100`;

const ATTEMPTS = `
SELECT r.route, a.attempt, r.psp, r.verdict, a.kind, a.outcome, r.psp_reference, a.http_status, a.started_at
  FROM psp_requests r JOIN psp_attempts a USING (merchant_id, entity_key, route)
 WHERE r.merchant_id = $1 AND r.entity_key = $2 ORDER BY r.route, a.attempt LIMIT 200`;

type Line = NonNullable<BreakSidesView['line']>;

interface Sides {
  readonly line_key: string | null;
  readonly source: string | null;
  readonly file_name: string | null;
  readonly merchant_id: string | null;
  readonly entity_key: string | null;
  readonly line: Line | null;
  readonly line_at: Date | null;
}

/** A break beside the line of the report and the attempts that it is about. */
@Injectable()
export class BreakPages {
  constructor(
    private readonly breaks: Breaks,
    private readonly pool: Pool,
  ) {}

  /** @throws Problem `not_found` */
  async show(psp: string, id: string): Promise<BreakWithNotesView & BreakSidesView> {
    const { found, notes } = await this.breaks.show({ psp, id });
    const [{ line_key, source, file_name, merchant_id, entity_key, line, line_at }] = (await this.rows<Sides>(
      SIDES,
      [psp, id],
    )) as [Sides];
    const [entries, attempts] = await Promise.all([
      this.rows<BreakSidesView['entries'][number]>(ENTRIES, [psp, line_key, merchant_id, source]),
      this.rows<BreakSidesView['attempts'][number]>(ATTEMPTS, [merchant_id, entity_key]),
    ]);
    return {
      found: breakViewOf(found),
      notes: notes.map(noteViewOf),
      file_name,
      line: line && lineOf(line, line_at!),
      entries,
      subject: subjectOf(entity_key ?? source ?? ''),
      attempts,
    };
  }

  private async rows<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await translateOutage(this.pool.query<Row>(sql, [...values]))).rows;
  }
}

function lineOf(row: Line, at: Date): Line {
  const { line, type, kind, psp_reference, reference, currency, gross, fee, net, settled, batch } = row;
  return {
    line,
    type,
    kind,
    psp_reference,
    reference,
    currency,
    gross,
    fee,
    net,
    settled,
    batch,
    occurred_at: at.toISOString(),
  };
}
