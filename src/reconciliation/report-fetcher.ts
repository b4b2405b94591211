import { type Clock } from '../core/clock.js';
import { redact } from '../core/redact.js';
import { type Period, ReportNotFetched, type ReportSource } from '../psp/psp-reports.js';
import { dueTimes, nextDue, type Schedule } from '../psp/reconciliation-settings.js';
import { type ReportFetch, type ReportFetches } from './report-fetches.js';
export { ReportNotFetched } from '../psp/psp-reports.js';
import { type Imported, type ReportImporter } from './report-importer.js';
import { ReportRefused } from '../psp/report-line.js';

/** Due times that are caught up after an outage; the first of them covers all the time before it, too. */
const MAX_CAUGHT_UP = 31;
/** The longest that a report may take to come. */
const MAX_FETCH_MS = 2 * 3_600_000;
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;

interface FetcherAccount {
  readonly psp: string;
  readonly source: ReportSource;
  /** Null: reports are fetched once they are announced. */
  readonly schedule: Schedule | null;
}

type Fetchable = Omit<ReportFetch, 'id' | 'tries'>;

interface FetcherDeps {
  readonly fetches: ReportFetches;
  readonly importer: Pick<ReportImporter, 'import'>;
  readonly clock: Pick<Clock, 'now' | 'timer'>;
}

/**
 * Fetches the reports of one PSP account when they are due, and imports them. A report is imported once,
 * however many processes fetch it: the transaction of the import also completes its row.
 */
export class ReportFetcher {
  readonly name: string;
  readonly everyMs = 15_000;

  constructor(
    private readonly account: FetcherAccount,
    private readonly deps: FetcherDeps,
  ) {
    this.name = `reports-${account.psp}`;
  }

  async runOnce(): Promise<{ readonly imported: number; readonly failed: number }> {
    const { psp } = this.account;
    await this.plan();
    const report = { imported: 0, failed: 0 };
    for (;;) {
      const fetch = await this.deps.fetches.due(psp, this.deps.clock.now());
      if (fetch === null) return report;
      if (await this.tried(fetch)) report.imported += 1;
      else report.failed += 1;
    }
  }

  /** Reports of this time now, due or not: made for this time where the PSP offers that, and else those that it has announced. */
  async now(period: Period, by: string): Promise<Imported[]> {
    const { psp, source } = this.account;
    if (source.period) return [await this.fetched({ psp, period, announced: null }, by)];
    const imported: Imported[] = [];
    for (const fetch of await this.deps.fetches.announcedIn(psp, period)) {
      imported.push(await this.fetched(fetch, by, fetch.id));
    }
    return imported;
  }

  /** When a report that is announced now is to be fetched. */
  dueAt(now: Date): Date {
    const { schedule, source } = this.account;
    return schedule === null ? new Date(now.getTime() + (source.fetchAfterMs ?? 0)) : nextDue(schedule, now);
  }

  get fetchesByItself(): boolean {
    const { source, schedule } = this.account;
    return source.announced !== undefined || schedule !== null;
  }

  private async plan(): Promise<void> {
    const { psp, source, schedule } = this.account;
    if (schedule === null || !source.period) return;
    const now = this.deps.clock.now();
    const until = await this.deps.fetches.plannedUntil(psp);
    // At the beginning the time between the last two due times.
    const due =
      until === null
        ? dueTimes(schedule, new Date(0), now, 2)
        : dueTimes(schedule, until, now, MAX_CAUGHT_UP);
    const ends = until === null ? due : [until, ...due];
    await this.deps.fetches.plan(
      psp,
      ends.slice(1).map((to, index) => ({ from: ends[index]!, to })),
    );
  }

  private async tried(fetch: ReportFetch): Promise<boolean> {
    const { fetches, clock } = this.deps;
    try {
      await this.fetched(fetch, 'schedule', fetch.id);
      return true;
    } catch (error) {
      // Another try would bring the same.
      const isFinal = error instanceof ReportRefused || error instanceof ReportNotFetched;
      const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(fetch.tries, 10));
      const message = redact(error instanceof Error ? error.message : String(error));
      await fetches.failed(fetch, message, isFinal ? null : new Date(clock.now().getTime() + delayMs));
      return false;
    }
  }

  private async fetched(fetch: Fetchable, by: string, fetchId?: string): Promise<Imported> {
    const { psp } = fetch;
    const tooLong = new AbortController();
    const stop = this.deps.clock.timer(MAX_FETCH_MS, () =>
      tooLong.abort(new Error('the report took too long')),
    );
    try {
      const { format } = this.account.source;
      const bytes = this.read(fetch, tooLong.signal);
      return await this.deps.importer.import({
        psp,
        format,
        bytes,
        fileName: fetch.announced?.name ?? `${format.name} ${fetch.period!.to.toISOString()}`,
        ...fetch.period,
        by,
        ...(fetchId === undefined ? {} : { fetchId }),
      });
    } finally {
      stop();
    }
  }

  private read({ period, announced }: Fetchable, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { source } = this.account;
    if (period !== null && source.period) return source.period(period, signal);
    if (announced !== null && source.announced) return source.announced(announced, signal);
    throw new ReportNotFetched('the account has no place to fetch this report from');
  }
}
