import { createHash } from 'node:crypto';
import { type Pool, type PoolClient } from 'pg';
import { checkpoint } from '../core/checkpoint.js';
import { type Clock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { BOUNDED } from '../database/connection.js';
import { sqlState, sqlStateOf } from '../database/sql-state.js';
import { closeResolved, judgeRun, judgeUnits } from './find-breaks.js';
import { matchLines, type ReconciliationRules, reconciliationRules } from './match.js';
import { postCosts } from './post-costs.js';
import { completeFetch } from './report-fetches.js';
import { type ReportFormat } from '../psp/report-format.js';
import { type ReportFault, ReportRefused } from '../psp/report-line.js';
import { type RunResult, Runs } from './runs.js';
import { Stage } from './stage.js';

const MAX_FAULTS = 1_000;
/** A large report takes longer than a request may: a million lines took six minutes. */
const STATEMENT_LIMIT = '2 h';
/** Below what a connection of a person's browser may be silent. */
const UPLOAD_LIMIT = '60 s';
/** Sets of millions are sorted and joined in so much; one import at a time for an account. */
const WORK_MEM = "SET LOCAL work_mem = '64MB'";

interface Report {
  /** The PSP account that it is of. */
  readonly psp: string;
  readonly format: ReportFormat;
  readonly fileName: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The time that it covers, where it is not that of its first and last line. */
  readonly from?: Date;
  readonly to?: Date;
  readonly by: string;
  /** The row of report_fetches that is done by it. */
  readonly fetchId?: string;
  /** A person waits for it. `trial`: its result is found out, and nothing of it is kept. */
  readonly upload?: 'trial' | 'import';
}

export interface Imported {
  readonly runId: string;
  /** The result of a trial, of which nothing is kept. */
  readonly tried?: RunResult;
  /** False: this very file was imported before, by that run. */
  readonly isNew: boolean;
}

/** Imports reports: at the side first, then all of one and what follows from it in one transaction. */
export class ReportImporter {
  constructor(
    private readonly pool: Pick<Pool, 'connect'>,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly ids: Pick<Ids, 'uuid'>,
    private readonly rulesOf: (psp: string) => ReconciliationRules = () => reconciliationRules,
  ) {}

  /** @throws ReportRefused where something is wrong with it: nothing was imported */
  async import(report: Report, progress: (lines: number) => void = () => {}): Promise<Imported> {
    const client = await this.pool.connect();
    let stage: Stage | null = null;
    try {
      const limit = report.upload === undefined ? STATEMENT_LIMIT : UPLOAD_LIMIT;
      await client.query(`SET statement_timeout = '${limit}'`);
      stage = await Stage.open(client);
      const contentHash = await read(report, stage, progress);
      await checkpoint('reconciliation:before:staged');
      return await this.takeIn(client, report, stage, contentHash);
    } catch (error) {
      if (report.upload === undefined || sqlStateOf(error) !== sqlState.QUERY_CANCELED) throw error;
      throw new ReportRefused([{ line: null, message: 'it takes too long here: use npx payonce reconcile' }]);
    } finally {
      await stage?.drop().catch(() => {});
      await client.query(BOUNDED).catch(() => {});
      client.release();
    }
  }

  /** Looks again at what is not matched, and closes what is resolved. */
  async lookAgain(psp: string): Promise<void> {
    const client = await this.pool.connect();
    try {
      await inOneTransaction(client, psp, async () => {
        const { rows } = await client.query<{ runId: string }>(
          'SELECT DISTINCT run_id AS "runId" FROM report_lines WHERE psp = $1 AND NOT is_matched',
          [psp],
        );
        const now = this.clock.now();
        const matched = await matchLines(client, psp, this.rulesOf(psp));
        // To judge a run again takes long; where no line of it was matched it would say the same.
        const runs = matched === 0 ? [] : rows.map(({ runId }) => runId);
        await judgeUnits(client, psp, runs, now);
        await closeResolved(client, psp, now, 'reconciliation');
      });
    } finally {
      client.release();
    }
  }

  private takeIn(client: PoolClient, report: Report, stage: Stage, contentHash: string): Promise<Imported> {
    const { psp, format, fileName, from, to, by, fetchId, upload } = report;
    const work = async (): Promise<Imported> => {
      // Under the lock of the account: another process may have imported it meanwhile.
      const before = await client.query<{ id: string }>(
        'SELECT id FROM reconciliation_runs WHERE psp = $1 AND content_hash = $2',
        [psp, contentHash],
      );
      if (before.rows[0]) {
        const runId = before.rows[0].id;
        if (fetchId !== undefined) await completeFetch(client, psp, fetchId, runId);
        return { runId, isNew: false };
      }
      await refuseRepeated(report, stage);
      const runId = this.ids.uuid();
      const now = this.clock.now();
      const lines = await stage.period();
      const period = [from ?? lines?.from ?? now, to ?? lines?.to ?? now];
      await client.query(WORK_MEM);
      await client.query(
        `INSERT INTO reconciliation_runs (psp, id, format, file_name, content_hash, covers, period_from, period_to,
                                        lines, new_lines, imported_by, imported_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11)`,
        [psp, runId, format.name, fileName, contentHash, format.covers, ...period, stage.count, by, now],
      );
      const fresh = await stage.move(psp, runId, format.hasIds);
      await client.query('UPDATE reconciliation_runs SET new_lines = $3 WHERE psp = $1 AND id = $2', [
        psp,
        runId,
        fresh,
      ]);
      await client.query('ANALYZE report_lines');
      await matchLines(client, psp, this.rulesOf(psp));
      await postCosts(client, psp, runId);
      await judgeRun(client, psp, runId, { slaMs: this.rulesOf(psp).slaMs, now, by: `run:${runId}` });
      if (fetchId !== undefined && !(await completeFetch(client, psp, fetchId, runId))) {
        throw new ReportRefused([{ line: null, message: 'another process has imported it meanwhile' }]);
      }
      await checkpoint('reconciliation:before:commit');
      return {
        runId,
        isNew: true,
        ...(upload === 'trial' ? { tried: await new Runs(client).show(runId) } : {}),
      };
    };
    return inOneTransaction(client, psp, work, upload);
  }
}

/** Stages its lines, and returns the hash of its bytes. */
async function read(
  { format, bytes }: Report,
  stage: Stage,
  progress: (lines: number) => void,
): Promise<string> {
  const hash = createHash('sha256');
  const faults: ReportFault[] = [];
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const fault = (found: ReportFault) => {
    faults.push(found);
    if (faults.length >= MAX_FAULTS) throw new ReportRefused(faults);
  };
  let lines = 0;
  for await (const line of format.read(hashed(), fault)) {
    lines += 1;
    if (lines % 100_000 === 0) progress(lines);
    // A report with a fault is only read to its end for the other faults.
    if (faults.length === 0) await stage.add(line);
  }
  if (faults.length > 0) throw new ReportRefused(faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  await stage.flush();
  return hash.digest('hex');
}

async function refuseRepeated({ psp, format }: Report, stage: Stage): Promise<void> {
  if (!format.hasIds) return;
  const repeated = await stage.repeated(MAX_FAULTS);
  const changed = await stage.changed(psp, MAX_FAULTS);
  const faults = [
    ...repeated.map(({ line, key }) => ({ line, message: `${key} stands in a line above already` })),
    ...changed.map(({ line, key }) => ({ line, message: `${key} was reported before, with other amounts` })),
  ];
  if (faults.length > 0) throw new ReportRefused(faults);
}

/** One at a time for an account: what is matched and judged is so by all lines there are. */
async function inOneTransaction<T>(
  client: PoolClient,
  psp: string,
  work: () => Promise<T>,
  upload?: Report['upload'],
): Promise<T> {
  await client.query('BEGIN');
  try {
    // Who waits for an answer does not wait for an import that takes hours.
    const take = upload === undefined ? 'pg_advisory_xact_lock' : 'pg_try_advisory_xact_lock';
    const { rows } = await client.query<{ taken: unknown }>(
      `SELECT ${take}(hashtext('reconciliation'), hashtext($1)) AS taken`,
      [psp],
    );
    if (rows[0]!.taken === false) {
      throw new ReportRefused([{ line: null, message: 'another report of this account is being imported' }]);
    }
    const done = await work();
    await client.query(upload === 'trial' ? 'ROLLBACK' : 'COMMIT');
    return done;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
