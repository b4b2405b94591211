import { type PoolClient } from 'pg';
import { type ReportLine } from '../psp/report-line.js';

/** Lines that go to the database at once. */
const BATCH = 5_000;

const COLUMNS = {
  line: 'int',
  key: 'text',
  type: 'text',
  kind: 'text',
  psp_reference: 'text',
  parent_reference: 'text',
  reference: 'text',
  currency: 'text',
  gross: 'bigint',
  fee: 'bigint',
  net: 'bigint',
  settled: 'text',
  occurred_at: 'timestamptz',
  batch: 'text',
} as const;

const names = Object.keys(COLUMNS).join(', ');
const declared = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
const arrays = Object.values(COLUMNS).map((type, index) => `$${index + 1}::${type}[]`);

/** Lines of a report, at the side and for one session alone: a process that dies takes them along. */
export class Stage {
  private waiting: ReportLine[] = [];
  count = 0;

  private constructor(private readonly client: Pick<PoolClient, 'query'>) {}

  static async open(client: Pick<PoolClient, 'query'>): Promise<Stage> {
    await client.query('DROP TABLE IF EXISTS pg_temp.staged_lines');
    await client.query(`CREATE TEMP TABLE staged_lines (${declared.join(', ')})`);
    return new Stage(client);
  }

  async add(line: ReportLine): Promise<void> {
    this.waiting.push(line);
    if (this.waiting.length >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const lines = this.waiting;
    if (lines.length === 0) return;
    this.waiting = [];
    this.count += lines.length;
    await this.client.query({
      name: 'stage_report_lines',
      text: `INSERT INTO staged_lines (${names}) SELECT * FROM unnest(${arrays.join(', ')})`,
      values: [
        lines.map(({ line }) => line),
        lines.map(({ key }) => key),
        lines.map(({ type }) => type),
        lines.map(({ kind }) => kind),
        lines.map(({ pspReference }) => pspReference),
        lines.map(({ parentReference }) => parentReference),
        lines.map(({ reference }) => reference),
        lines.map(({ currency }) => currency),
        lines.map(({ gross }) => gross),
        lines.map(({ fee }) => fee),
        lines.map(({ net }) => net),
        lines.map(({ settled }) => settled),
        lines.map(({ occurredAt }) => occurredAt.toISOString()),
        lines.map(({ batch }) => batch),
      ],
    });
  }

  /** Lines with the id of one above. */
  async repeated(limit: number): Promise<{ readonly line: number; readonly key: string }[]> {
    const { rows } = await this.client.query<{ line: number; key: string }>(
      `SELECT line, key FROM (
         SELECT line, key, row_number() OVER (PARTITION BY key ORDER BY line) AS nth FROM staged_lines) numbered
        WHERE nth > 1 ORDER BY line LIMIT $1`,
      [limit],
    );
    return rows;
  }

  /** Lines with the id of one that was imported before and says something else. */
  async changed(psp: string, limit: number): Promise<{ readonly line: number; readonly key: string }[]> {
    const { rows } = await this.client.query<{ line: number; key: string }>(
      `SELECT s.line, s.key FROM staged_lines s JOIN report_lines l ON l.psp = $1 AND l.key = s.key
        WHERE (s.kind, s.currency, s.gross, s.fee, s.net) IS DISTINCT FROM (l.kind, l.currency, l.gross, l.fee, l.net)
        ORDER BY s.line LIMIT $2`,
      [psp, limit],
    );
    return rows;
  }

  async period(): Promise<{ readonly from: Date; readonly to: Date } | null> {
    const { rows } = await this.client.query<{ from: Date | null; to: Date | null }>(
      `SELECT min(occurred_at) AS "from", max(occurred_at) AS "to" FROM staged_lines`,
    );
    const [{ from, to } = { from: null, to: null }] = rows;
    return from && to ? { from, to } : null;
  }

  /**
   * Moves the lines that no report before had to where they are seen, and learns the transfer of those that one before had without.
   * Returns how many are new.
   */
  async move(psp: string, runId: string, hasIds: boolean): Promise<number> {
    if (hasIds) {
      await this.client.query(
        `UPDATE report_lines l SET batch = s.batch FROM staged_lines s
          WHERE l.psp = $1 AND l.key = s.key AND l.batch IS NULL AND s.batch IS NOT NULL`,
        [psp],
      );
    }
    const key = hasIds
      ? 'key'
      : `key || CASE row_number() OVER (PARTITION BY key ORDER BY line) WHEN 1 THEN ''
                  ELSE '-' || row_number() OVER (PARTITION BY key ORDER BY line) END`;
    const others = names.replace('line, key, ', '');
    const { rowCount } = await this.client.query(
      `INSERT INTO report_lines (psp, run_id, line, key, ${others}, is_matched)
       SELECT $1, $2, line, ${key}, ${others}, kind IN ('fee', 'settlement', 'other') FROM staged_lines
       ON CONFLICT DO NOTHING`,
      [psp, runId],
    );
    return rowCount ?? 0;
  }

  async drop(): Promise<void> {
    await this.client.query('DROP TABLE IF EXISTS pg_temp.staged_lines');
  }
}
