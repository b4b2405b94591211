import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { subjectOf } from '../request-storage/entity-key.js';
import { type BreakPageView, type BreakRow } from './books-views.js';

const FOUND = `
SELECT b.psp, b.id, b.category, b.run_id, l.line, b.event_id, b.entity_key,
       CASE WHEN b.closed_at IS NOT NULL THEN 'closed' WHEN b.owner IS NULL THEN 'open' ELSE 'assigned' END AS state, b.psp_reference, b.currency, b.expected, b.reported,
       b.owner, b.opened_at AS since, b.closed_at AS resolved_at, b.resolution,
       b.line_key, b.source, r.file_name, coalesce(b.merchant_id, l.merchant_id) AS merchant_id,
       coalesce(b.entity_key, l.entity_key) AS named, to_jsonb(l) AS whole_line, l.occurred_at AS line_at
  FROM reconciliation_breaks b
  LEFT JOIN reconciliation_runs r ON r.psp = b.psp AND r.id = b.run_id
  LEFT JOIN report_lines l ON l.psp = b.psp AND l.key = b.line_key
 WHERE b.psp = $1 AND b.id = $2`;

/** The ledger's side of a break: the postings that its line was matched with, and those that the break names. */
const ENTRIES = `
SELECT t.source, t.kind, e.currency, e.amount, t.occurred_at, m.matched_by
  FROM ledger_transactions t
  JOIN ledger_entries e ON e.merchant_id = t.merchant_id AND e.source = t.source AND e.account = 'psp_clearing'
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

const NOTES = 'SELECT id, at, by, note FROM break_notes WHERE psp = $1 AND break_id = $2 ORDER BY at, id';

interface Found extends BreakRow {
  readonly line_key: string | null;
  readonly source: string | null;
  readonly file_name: string | null;
  readonly merchant_id: string | null;
  readonly named: string | null;
  readonly whole_line: NonNullable<BreakPageView['line']> | null;
  readonly line_at: Date | null;
}

/** A break beside the line of the report and the attempts that it is about. */
@Injectable()
export class BreakPages {
  constructor(@Inject(Pool) private readonly pool: Pool) {}

  /** @throws Problem `not_found` */
  async show(psp: string, id: string): Promise<BreakPageView> {
    const [row] = await this.rows<Found>(FOUND, [psp, id]);
    if (row === undefined) throw new Problem('not_found', 'No break of this PSP has this id.');
    const { line_key, source, file_name, merchant_id, named, whole_line, line_at, ...found } = row;
    const [notes, entries, attempts] = await Promise.all([
      this.rows<BreakPageView['notes'][number]>(NOTES, [psp, id]),
      this.rows<BreakPageView['entries'][number]>(ENTRIES, [psp, line_key, merchant_id, source]),
      this.rows<BreakPageView['attempts'][number]>(ATTEMPTS, [merchant_id, named]),
    ]);
    return {
      found,
      notes,
      file_name,
      line: whole_line && lineOf(whole_line, line_at!),
      entries,
      subject: subjectOf(named ?? source ?? ''),
      attempts,
    };
  }

  private async rows<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await translateOutage(this.pool.query<Row>(sql, [...values]))).rows;
  }
}

function lineOf(row: NonNullable<BreakPageView['line']>, at: Date): NonNullable<BreakPageView['line']> {
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
