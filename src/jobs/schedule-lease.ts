import type pg from 'pg';

/** How a chore stands, by the database's clock. */
export interface Standing {
  readonly name: string;
  /** Since its last run ended; null: it never ran to an end. */
  readonly sinceEndMs: number | null;
}

/**
 * Whose turn a chore is: one row for each, taken, renewed and given up by conditional updates that the
 * database's clock decides. A process that freezes loses it.
 */
export class ScheduleLease {
  constructor(
    private readonly pool: Pick<pg.Pool, 'query'>,
    private readonly leaseMs: number,
  ) {}

  /** Takes the turn for a run; false while another run has it. */
  async take(name: string, everyMs: number, run: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `INSERT INTO schedules AS s (name, every_ms, leased_by, leased_until, started_at)
       VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms', clock_timestamp())
       ON CONFLICT (name) DO UPDATE
          SET every_ms = EXCLUDED.every_ms, leased_by = EXCLUDED.leased_by,
              leased_until = EXCLUDED.leased_until, started_at = EXCLUDED.started_at
        WHERE s.leased_until IS NULL OR s.leased_until < clock_timestamp()`,
      [name, everyMs, run, this.leaseMs],
    );
    return rowCount === 1;
  }

  /** Keeps the turn; false where it was lost. */
  async renew(name: string, run: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE schedules SET leased_until = clock_timestamp() + $3 * interval '1 ms'
        WHERE name = $1 AND leased_by = $2`,
      [name, run, this.leaseMs],
    );
    return rowCount === 1;
  }

  /** Gives the turn up. A run that failed counts as one too, so that it is not repeated without a pause. */
  async end(name: string, run: string, succeeded: boolean): Promise<void> {
    await this.pool.query(
      `UPDATE schedules
          SET leased_by = NULL, leased_until = NULL, ended_at = clock_timestamp(),
              failures = CASE WHEN $3 THEN 0 ELSE failures + 1 END
        WHERE name = $1 AND leased_by = $2`,
      [name, run, succeeded],
    );
  }

  async standings(): Promise<Standing[]> {
    const { rows } = await this.pool.query<Standing>(
      `SELECT name, (extract(epoch FROM clock_timestamp() - ended_at) * 1000)::float8 AS "sinceEndMs"
         FROM schedules`,
    );
    return rows;
  }
}
