import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Problem } from '../core/problem.js';

/** One report that was imported. */
export interface Run {
  readonly psp: string;
  readonly id: string;
  readonly format: string;
  readonly fileName: string;
  readonly periodFrom: Date;
  readonly periodTo: Date;
  readonly lines: number;
  readonly newLines: number;
  readonly importedBy: string;
  readonly importedAt: Date;
}

/** The totals of a currency, in minor units: opening + in - out - fees - settled = closing. */
export interface RunTotals {
  readonly currency: string;
  readonly opening: number;
  readonly in: number;
  readonly out: number;
  readonly fees: number;
  readonly settled: number;
  readonly closing: number;
}

export interface RunBreaks {
  readonly category: string;
  readonly currency: string;
  readonly open: number;
  readonly closed: number;
  /** The reported amount less the ledger's, of the open breaks. */
  readonly difference: number;
}

export interface RunResult {
  readonly run: Run;
  /** The number of its lines that are about something of ours. */
  readonly matched: number;
  readonly unmatched: number;
  readonly totals: readonly RunTotals[];
  readonly breaks: readonly RunBreaks[];
}

/** A line of a report, with the transaction of the ledger that it is about; one row for each where there are several. */
export interface RunLine {
  readonly line: number;
  readonly type: string;
  readonly kind: string;
  readonly pspReference: string | null;
  readonly reference: string | null;
  readonly batch: string | null;
  readonly currency: string;
  readonly gross: number;
  readonly fee: number;
  readonly net: number;
  readonly settled: string;
  readonly occurredAt: Date;
  readonly isMatched: boolean;
  readonly merchantId: string | null;
  readonly source: string | null;
  readonly matchedBy: string | null;
  /** The operation that the line names if no transaction fits. */
  readonly entityKey: string | null;
}

const LINES_AT_ONCE = 1_000;
/** `$3` the place to go on after. Pages of lines, not of rows: a line may have been matched with several transactions. */
const LINES = `
SELECT l.line, l.type, l.kind, l.psp_reference AS "pspReference", l.reference, l.batch, l.currency, l.gross, l.fee, l.net,
       l.settled, l.occurred_at AS "occurredAt", l.is_matched AS "isMatched", coalesce(m.merchant_id, l.merchant_id) AS "merchantId",
       m.source, m.matched_by AS "matchedBy", l.entity_key AS "entityKey", l.key
  FROM (SELECT * FROM report_lines WHERE psp = $1 AND run_id = $2 AND (line, key) > ($3, $4) ORDER BY line, key LIMIT ${LINES_AT_ONCE}) l
  LEFT JOIN reconciliation_matches m ON m.psp = l.psp AND m.line_key = l.key
 ORDER BY l.line, l.key, m.source`;

const RUN = `SELECT psp, id, format, file_name AS "fileName", period_from AS "periodFrom", period_to AS "periodTo", lines,
                    new_lines AS "newLines", imported_by AS "importedBy", imported_at AS "importedAt"
               FROM reconciliation_runs`;

/** A charge in another currency than it is settled in counts as what it was settled as, before fees. */
const TOTALS = `
SELECT settled AS currency,
       coalesce(sum(net) FILTER (WHERE r.imported_at < $2), 0)::bigint AS opening,
       coalesce(sum(net + fee) FILTER (WHERE is_of AND kind NOT IN ('fee', 'settlement') AND net + fee > 0), 0)::bigint AS "in",
       coalesce(-sum(net + fee) FILTER (WHERE is_of AND kind NOT IN ('fee', 'settlement') AND net + fee < 0), 0)::bigint AS out,
       coalesce(sum(CASE kind WHEN 'fee' THEN -net WHEN 'settlement' THEN 0 ELSE fee END) FILTER (WHERE is_of), 0)::bigint AS fees,
       coalesce(-sum(net) FILTER (WHERE is_of AND kind = 'settlement'), 0)::bigint AS settled,
       coalesce(sum(net) FILTER (WHERE is_of OR r.imported_at < $2), 0)::bigint AS closing
  FROM report_lines l JOIN reconciliation_runs r ON r.psp = l.psp AND r.id = l.run_id
 CROSS JOIN LATERAL (SELECT r.id = $3 AS is_of) o
 WHERE l.psp = $1 AND r.imported_at <= $2 GROUP BY l.settled ORDER BY l.settled`;

/** The results of runs, for people and programs. */
@Injectable()
export class Runs {
  constructor(@Inject(Pool) private readonly pool: Pick<Pool, 'query'>) {}

  /** The newest first. */
  async list(limit = 50): Promise<Run[]> {
    return (await this.pool.query<Run>(`${RUN} ORDER BY imported_at DESC LIMIT $1`, [limit])).rows;
  }

  /** Those that no report before had, in their order; page by page, so that a slow reader holds no connection. */
  async *linesOf({ psp, id }: Pick<Run, 'psp' | 'id'>): AsyncGenerator<RunLine> {
    let [line, key] = [0, ''];
    for (;;) {
      const { rows } = await this.pool.query<RunLine & { readonly key: string }>(LINES, [psp, id, line, key]);
      yield* rows;
      const last = rows.at(-1);
      if (!last) return;
      ({ line, key } = last);
    }
  }

  /** @throws Problem `not_found` */
  async show(id: string): Promise<RunResult> {
    const found = await this.pool.query<Run>(`${RUN} WHERE id::text = $1`, [id.toLowerCase()]);
    const [run] = found.rows;
    if (!run) throw new Problem('not_found', `No reconciliation run has the id ${id}.`);
    // One after the other, since it may be one connection.
    const counts = await this.pool.query<{ matched: number; unmatched: number }>(
      `SELECT count(*) FILTER (WHERE is_matched)::int AS matched, count(*) FILTER (WHERE NOT is_matched)::int AS unmatched
         FROM report_lines WHERE psp = $1 AND run_id = $2 AND kind NOT IN ('fee', 'settlement', 'other')`,
      [run.psp, run.id],
    );
    const totals = await this.pool.query<RunTotals>(TOTALS, [run.psp, run.importedAt, run.id]);
    const breaks = await this.pool.query<RunBreaks>(
      `SELECT category, currency, count(*) FILTER (WHERE closed_at IS NULL)::int AS open,
              count(*) FILTER (WHERE closed_at IS NOT NULL)::int AS closed,
              coalesce(sum(reported - expected) FILTER (WHERE closed_at IS NULL), 0)::bigint AS difference
         FROM reconciliation_breaks WHERE psp = $1 AND run_id = $2 GROUP BY category, currency ORDER BY 1, 2`,
      [run.psp, run.id],
    );
    return { run, ...counts.rows[0]!, totals: totals.rows, breaks: breaks.rows };
  }
}
