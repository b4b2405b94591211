import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { type Registry } from 'prom-client';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { registerLookedUp } from '../core/looked-up-gauge.js';
import { type ReportedAccount } from './report-formats.js';
import { oncePer, PspsConfig, reportsAreOf, reportSourceOf } from '../psp/psps-config.js';
import { type PspConfig } from '../psp/psp-entry.js';
import { type ReconciliationSettings } from '../psp/reconciliation-settings.js';
import { type AnnouncedReport } from '../psp/psp-reports.js';
import { ReportFetcher } from './report-fetcher.js';
import { type FetchFigures, ReportFetches } from './report-fetches.js';
import { ReportImporter } from './report-importer.js';
import { type ReconciliationRules, reconciliationRules } from './match.js';

const HOUR_MS = 3_600_000;

/** The reports of all PSP accounts: how each is fetched, when, and how it is held against the ledger. */
@Injectable()
export class Reports {
  readonly importer: ReportImporter;
  private readonly fetches: ReportFetches;
  private readonly fetcherFor: (psp: PspConfig) => ReportFetcher | null;

  constructor(
    private readonly config: PspsConfig,
    private readonly pool: Pool,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now' | 'timer'>,
    @Inject(Ids) ids: Pick<Ids, 'uuid'>,
  ) {
    this.importer = new ReportImporter(pool, clock, ids, (psp) => rulesOf(this.settingsOf(psp)));
    this.fetches = new ReportFetches(pool);
    const deps = { fetches: this.fetches, importer: this.importer, clock };
    this.fetcherFor = oncePer((psp) => {
      const source = reportSourceOf(psp, clock);
      if (source === null) return null;
      const account = { psp: psp.name, source, schedule: scheduleOf(psp) };
      return new ReportFetcher(account, deps);
    });
  }

  /** Those that have something to fetch by themselves. */
  get periodicTasks(): readonly ReportFetcher[] {
    const fetchers = this.config.psps.map(this.fetcherFor).filter((fetcher) => fetcher !== null);
    return fetchers.filter(({ fetchesByItself }) => fetchesByItself);
  }

  /** Whether there is such an account. */
  knows(psp: string): boolean {
    return this.config.named(psp) !== undefined;
  }

  /** Undefined: reports of this account cannot be fetched. */
  fetcherOf(psp: string): ReportFetcher | undefined {
    const account = this.config.named(psp);
    return (account && this.fetcherFor(account)) ?? undefined;
  }

  /** The account that a report of this name has to be of. */
  accountOf(psp: string): ReportedAccount {
    const account = this.config.named(psp);
    return account ? { account: reportsAreOf(account), adapter: account.adapter } : {};
  }

  /** The PSP says that a report is ready: it is fetched when the account's schedule says, or at once. */
  async announce(psp: string, report: AnnouncedReport): Promise<void> {
    const fetcher = this.fetcherOf(psp);
    if (fetcher) await this.fetches.announce(psp, report, fetcher.dueAt(this.clock.now()));
  }

  /** Figures to alert on, looked up when the metrics are read. */
  register(metrics: Registry): void {
    const figure = (name: string, help: string, valueOf: (figures: FetchFigures) => number) =>
      registerLookedUp(metrics, {
        name,
        help,
        labels: ['psp'],
        look: async () =>
          (await this.fetches.figures(this.clock.now())).map((each) => ({
            value: valueOf(each),
            labels: { psp: each.psp },
          })),
      });
    figure(
      'payonce_reports_late_seconds',
      'How long the report of a PSP account that is due for longest has waited to be imported; 0 where none is due',
      ({ lateS }) => lateS,
    );
    figure(
      'payonce_reports_refused',
      'Reports that were due and that no other try would import (npx payonce reconcile reports)',
      ({ refused }) => refused,
    );
    registerLookedUp(metrics, {
      name: 'payonce_reconciliation_runs',
      help: 'Reports that were imported, by PSP account',
      labels: ['psp'],
      look: async () => {
        const { rows } = await this.pool.query<{ psp: string; value: number }>(
          'SELECT psp, count(*)::int AS value FROM reconciliation_runs GROUP BY psp',
        );
        return rows.map(({ psp, value }) => ({ value, labels: { psp } }));
      },
    });
  }

  private settingsOf(psp: string): ReconciliationSettings {
    return this.config.named(psp)?.reconciliation ?? {};
  }
}

function scheduleOf({ reconciliation }: PspConfig) {
  const { schedule, timeZone = 'UTC' } = reconciliation ?? {};
  return schedule === undefined ? null : { schedule, timeZone };
}

function rulesOf({
  slaHours,
  toleranceHours,
  toleranceAmounts,
}: ReconciliationSettings): ReconciliationRules {
  return {
    slaMs: slaHours === undefined ? reconciliationRules.slaMs : slaHours * HOUR_MS,
    toleranceMs: toleranceHours === undefined ? reconciliationRules.toleranceMs : toleranceHours * HOUR_MS,
    toleranceAmounts: toleranceAmounts ?? reconciliationRules.toleranceAmounts,
  };
}
