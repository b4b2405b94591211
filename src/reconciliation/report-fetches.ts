import { Inject, Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { translateOutage } from '../database/store-unavailable.js';
import { type AnnouncedReport, type Period } from '../psp/psp-reports.js';

/** A report that is to be fetched. */
export interface ReportFetch {
  readonly psp: string;
  readonly id: string;
  /** Null for a report that was announced. */
  readonly period: Period | null;
  readonly announced: AnnouncedReport | null;
  readonly tries: number;
}

/** How an account stands with its reports. */
export interface FetchFigures {
  readonly psp: string;
  readonly due: number;
  /** How long the one that is due for longest has waited. */
  readonly lateS: number;
  readonly refused: number;
}

/** The state of a report, for people. */
export interface FetchRecord {
  readonly psp: string;
  readonly id: string;
  /** The beginning of the time that it is of; null for one that was announced. */
  readonly periodFrom: Date | null;
  readonly dueAt: Date;
  readonly state: 'due' | 'done' | 'refused';
  readonly tries: number;
  readonly nextAt: Date | null;
  readonly fault: string | null;
  readonly runId: string | null;
}

interface Row {
  readonly psp: string;
  readonly id: string;
  readonly periodFrom: Date | null;
  readonly periodTo: Date | null;
  readonly url: string | null;
  readonly tries: number;
}

const COLUMNS = `psp, id, period_from AS "periodFrom", period_to AS "periodTo", url, tries`;
const MAX_FAULT = 2_000;

/** Which reports are due, in the table that all processes share: each is imported once. */
@Injectable()
export class ReportFetches {
  constructor(@Inject(Pool) private readonly pool: Pick<Pool, 'query'>) {}

  /** The time until which reports of this schedule are planned; null: none ever was. */
  async plannedUntil(psp: string): Promise<Date | null> {
    const { rows } = await this.pool.query<{ until: Date | null }>(
      'SELECT max(period_to) AS until FROM report_fetches WHERE psp = $1 AND url IS NULL',
      [psp],
    );
    return rows[0]?.until ?? null;
  }

  /** A report of each of these times is due at its end. What is planned already stays as it is. */
  async plan(psp: string, periods: readonly Period[]): Promise<void> {
    for (const { from, to } of periods) {
      await this.pool.query(
        `INSERT INTO report_fetches (psp, id, period_from, period_to, due_at, next_at)
         VALUES ($1, $2, $3, $4, $4, $4) ON CONFLICT DO NOTHING`,
        [psp, `schedule:${to.toISOString()}`, from, to],
      );
    }
  }

  /** A PSP says that a report is ready; it may say so again. @throws StoreUnavailable */
  async announce(psp: string, { name, url }: AnnouncedReport, dueAt: Date): Promise<void> {
    await translateOutage(
      this.pool.query(
        `INSERT INTO report_fetches (psp, id, url, due_at, next_at) VALUES ($1, $2, $3, $4, $4)
         ON CONFLICT DO NOTHING`,
        [psp, name, url, dueAt],
      ),
    );
  }

  /** The one that is due for longest. */
  async due(psp: string, now: Date): Promise<ReportFetch | null> {
    const { rows } = await this.pool.query<Row>(
      `SELECT ${COLUMNS} FROM report_fetches WHERE psp = $1 AND state = 'due' AND next_at <= $2
        ORDER BY due_at, id LIMIT 1`,
      [psp, now],
    );
    return rows[0] ? fetchOf(rows[0]) : null;
  }

  /** Announced and not imported, whose time is within this one. */
  async announcedIn(psp: string, { from, to }: Period): Promise<ReportFetch[]> {
    const { rows } = await this.pool.query<Row>(
      `SELECT ${COLUMNS} FROM report_fetches
        WHERE psp = $1 AND url IS NOT NULL AND state <> 'done' AND due_at >= $2 AND due_at < $3
        ORDER BY due_at, id`,
      [psp, from, to],
    );
    return rows.map(fetchOf);
  }

  /** It failed. Without a next time it is not tried again by itself. */
  async failed({ psp, id }: ReportFetch, fault: string, nextAt: Date | null): Promise<void> {
    await this.pool.query(
      `UPDATE report_fetches SET tries = tries + 1, fault = $3, next_at = $4, state = $5
        WHERE psp = $1 AND id = $2 AND state <> 'done'`,
      [psp, id, fault.slice(0, MAX_FAULT), nextAt, nextAt === null ? 'refused' : 'due'],
    );
  }

  /** It is due now, though it was refused or waits for its next try. False where it is imported, or not known. */
  async again(psp: string, id: string, now: Date): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      "UPDATE report_fetches SET state = 'due', next_at = $3 WHERE psp = $1 AND id = $2 AND state <> 'done'",
      [psp, id, now],
    );
    return rowCount === 1;
  }

  /**
   * It came by another way: as the newest report of its account that was imported since it was due, is of its time, and is no
   * other fetch's. Returns the run; null where there is none, or where it is imported already.
   */
  async doneByHand(psp: string, id: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ runId: string }>(
      `UPDATE report_fetches f SET state = 'done', run_id = r.id, next_at = NULL
         FROM report_fetches g CROSS JOIN LATERAL (
           SELECT id FROM reconciliation_runs r
            WHERE r.psp = $1 AND r.imported_at >= g.due_at AND NOT EXISTS (SELECT FROM report_fetches o WHERE o.psp = $1 AND o.run_id = r.id)
              AND (g.period_from IS NULL OR (r.period_from < g.period_to AND r.period_to >= g.period_from))
            ORDER BY imported_at DESC LIMIT 1) r
        WHERE g.psp = $1 AND g.id = $2 AND f.psp = $1 AND f.id = $2 AND f.state <> 'done'
       RETURNING f.run_id AS "runId"`,
      [psp, id],
    );
    return rows[0]?.runId ?? null;
  }

  /** The newest first. */
  async list(limit = 50): Promise<FetchRecord[]> {
    const { rows } = await this.pool.query<FetchRecord>(
      `SELECT psp, id, period_from AS "periodFrom", due_at AS "dueAt", state, tries, next_at AS "nextAt", fault, run_id AS "runId"
         FROM report_fetches ORDER BY due_at DESC, psp, id LIMIT $1`,
      [limit],
    );
    return rows;
  }

  async figures(now: Date): Promise<FetchFigures[]> {
    const { rows } = await this.pool.query<FetchFigures>(
      `SELECT psp, count(*) FILTER (WHERE state = 'due')::int AS due,
              coalesce(greatest(extract(epoch FROM $1 - min(due_at) FILTER (WHERE state = 'due')), 0), 0)::float8 AS "lateS",
              count(*) FILTER (WHERE state = 'refused')::int AS refused
         FROM report_fetches GROUP BY psp`,
      [now],
    );
    return rows;
  }
}

/** In the transaction of its import. False: another run has imported it meanwhile. */
export async function completeFetch(
  client: Pick<PoolClient, 'query'>,
  psp: string,
  fetchId: string,
  runId: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE report_fetches SET state = 'done', run_id = $3, next_at = NULL, fault = NULL, tries = tries + 1
      WHERE psp = $1 AND id = $2 AND state <> 'done'`,
    [psp, fetchId, runId],
  );
  return rowCount === 1;
}

function fetchOf({ psp, id, periodFrom, periodTo, url, tries }: Row): ReportFetch {
  const period = periodFrom && periodTo ? { from: periodFrom, to: periodTo } : null;
  return { psp, id, period, announced: url === null ? null : { name: id, url }, tries };
}
