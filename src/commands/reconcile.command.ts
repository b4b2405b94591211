import { type Command, InvalidArgumentError } from 'commander';
import { type Imported } from '../reconciliation/report-importer.js';
import { type Reports } from '../reconciliation/reports.js';
import { type RunResult } from '../reconciliation/runs.js';
import { Problem } from '../core/problem.js';
import {
  actor,
  asCommand,
  command,
  jsonRow,
  type OpenInstallation,
  type Outcome,
  type RunCommand,
  withExamples,
} from './command.js';
import { ago, detailLines, exactly, list } from './text.js';

interface RunOptions {
  readonly psp: string;
  readonly file?: string;
  readonly mapping?: string;
  readonly from?: Date;
  readonly to?: Date;
}

export function addReconcile(payonce: Command, perform: RunCommand): void {
  const reconcile = withExamples(
    payonce
      .command('reconcile')
      .description('hold reports of PSPs against the ledger (docs/reconciliation.md)'),
    '--psp stripe --file report.csv',
    'run --psp stripe --from 2026-11-21 --to 2026-11-22',
    'show 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42',
  );
  command(reconcile, 'list', 'list the reports that were imported, the newest first', '').action(() =>
    perform(async ({ database, clock }) => {
      const [{ Runs }, { runViewOf }] = await Promise.all([
        import('../reconciliation/runs.js'),
        import('../reconciliation/reconciliation.view.js'),
      ]);
      const runs = await new Runs(database.pool).list();
      const now = clock.now();
      return {
        json: runs.map(runViewOf),
        text: list(
          runs,
          {
            IMPORTED: ({ importedAt }) => ago(importedAt, now),
            PSP: ({ psp }) => psp,
            LINES: ({ lines }) => String(lines),
            FORMAT: ({ format }) => format,
          },
          ({ id, fileName }) => [
            ['run', id],
            ['file', fileName],
          ],
        ),
      };
    }),
  );
  command(reconcile, 'show <run>', 'show what a run found', '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42').action(
    (id: string) =>
      perform(async (opened) => {
        const { Runs } = await import('../reconciliation/runs.js');
        return shown(await new Runs(opened.database.pool).show(id), opened);
      }),
  );
  command(
    reconcile,
    'export <run>',
    'write the differences of a run, or all its lines, to a CSV file',
    '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42 --file differences.csv',
  )
    .requiredOption('--file <path>', 'the file, which must not exist yet')
    .option('--lines', 'all lines, with what each was matched with; default: the differences')
    .action((id: string, { file, lines = false }: { file: string; lines?: boolean }) =>
      perform(async ({ database, clock }) => {
        const [{ Runs }, { Breaks }, { breakViewOf, lineViewOf }, { writeCsv }] = await Promise.all([
          import('../reconciliation/runs.js'),
          import('../reconciliation/breaks.js'),
          import('../reconciliation/reconciliation.view.js'),
          import('../ledger/csv-file.js'),
        ]);
        const runs = new Runs(database.pool);
        const { run } = await runs.show(id);
        if (lines) {
          const written = await writeCsv(file, runs.linesOf(run), lineViewOf);
          return { json: { file, run_id: run.id, rows: written }, text: `Exported ${written} to ${file}.` };
        }
        const found = await new Breaks(database.dataSource, clock).ofRun(run.id);
        const written = await writeCsv(file, found, breakViewOf);
        return { json: { file, run_id: run.id, breaks: written }, text: `Exported ${written} to ${file}.` };
      }),
    );
  const run = reconcile
    .command('run', { isDefault: true })
    .description('import a report, match it and list the differences');
  withRunOptions(run).action((options: RunOptions) =>
    perform(async (opened) => {
      const results = await resultsOf(await imported(options, opened), opened);
      const [first] = results;
      if (options.file !== undefined && first) return shown(first, opened);
      const all = await Promise.all(results.map((result) => shown(result, opened)));
      return {
        json: all.map(({ json }) => json),
        text: all.length === 0 ? 'No report of this time waits.' : all.map(({ text }) => text).join('\n\n'),
      };
    }),
  );
  command(
    reconcile,
    'reports',
    'list the reports that were due, the newest first, and what became of them',
    '',
  ).action(() =>
    perform(async ({ database, clock }) => {
      const { ReportFetches } = await import('../reconciliation/report-fetches.js');
      const found = await new ReportFetches(database.pool).list();
      const now = clock.now();
      return {
        json: found.map(jsonRow),
        text: list(
          found,
          {
            DUE: ({ dueAt }) => ago(dueAt, now),
            PSP: ({ psp }) => psp,
            STATE: ({ state }) => state,
            TRIES: ({ tries }) => String(tries),
          },
          ({ id, runId, nextAt, fault }) => [
            ['report', id],
            ['run', runId],
            ['next try', nextAt && exactly(nextAt, now)],
            ['fault', fault],
          ],
        ),
      };
    }),
  );
}

function withRunOptions(run: Command): Command {
  return asCommand(
    run,
    '--psp adyen --file settlement_detail_report_batch_7.csv',
    '--psp stripe --from 2026-11-21 --to 2026-11-22',
  )
    .requiredOption('--psp <account>', 'the PSP account that the report is of')
    .option(
      '--file <path>',
      "Stripe's itemised CSV, Adyen's settlement detail CSV, or camt.053 or .054; default: fetched from the PSP",
    )
    .option('--mapping <path>', 'how to read a CSV of another PSP (docs/reconciliation.md)')
    .option('--from <time>', 'from when the report covers everything; default: its first line', timeOf)
    .option('--to <time>', 'until when; default: its last line, or now', timeOf);
}

/** After what happened until now is posted, for the report is held against the ledger. */
async function imported(options: RunOptions, opened: OpenInstallation): Promise<readonly Imported[]> {
  const [{ ReportRefused }, { LedgerPoster }] = await Promise.all([
    import('../reconciliation/report-formats.js'),
    import('../ledger/ledger-poster.js'),
  ]);
  const { database, clock } = opened;
  try {
    const reports = await opened.reports();
    await new LedgerPoster(database.pool, clock).runOnce();
    return options.file === undefined
      ? await fetched(options, reports, opened)
      : [await fromFile({ ...options, file: options.file }, reports)];
  } catch (error) {
    if (error instanceof ReportRefused) {
      throw new Problem('validation_failed', `Nothing was imported: ${error.message}.`);
    }
    throw error;
  }
}

async function fetched(
  { psp, from, to, mapping }: RunOptions,
  reports: Reports,
  { clock }: OpenInstallation,
): Promise<readonly Imported[]> {
  if (mapping !== undefined) throw new Problem('validation_failed', '--mapping is for a --file.');
  if (from === undefined) throw new Problem('validation_failed', 'Say of which --file, or --from when.');
  const fetcher = reports.fetcherOf(psp);
  if (fetcher === undefined) {
    throw new Problem('validation_failed', `Reports of ${psp} cannot be fetched: name a --file.`);
  }
  const { ReportNotFetched } = await import('../reconciliation/report-fetcher.js');
  try {
    return await fetcher.now({ from, to: to ?? clock.now() }, actor());
  } catch (error) {
    if (!(error instanceof ReportNotFetched)) throw error;
    throw new Problem('validation_failed', `Nothing was imported: ${error.message}.`);
  }
}

async function fromFile(
  { psp, file, mapping, from, to }: RunOptions & { readonly file: string },
  reports: Reports,
): Promise<Imported> {
  const [{ formatOf, mappedFormat }, fs, path] = await Promise.all([
    import('../reconciliation/report-formats.js'),
    import('node:fs'),
    import('node:path'),
  ]);
  try {
    const format = await (mapping === undefined
      ? formatOf(file, reports.accountOf(psp))
      : mappedFormat(mapping));
    return await reports.importer.import(
      {
        psp,
        format,
        fileName: path.basename(file).slice(0, 200),
        bytes: fs.createReadStream(file),
        ...(from ? { from } : {}),
        ...(to ? { to } : {}),
        by: actor(),
      },
      (lines) => process.stderr.write(`${lines} lines read\n`),
    );
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') {
      throw new Problem('validation_failed', `The file cannot be read (${code}).`);
    }
    throw error;
  }
}

async function resultsOf(imports: readonly Imported[], { database }: OpenInstallation): Promise<RunResult[]> {
  const { Runs } = await import('../reconciliation/runs.js');
  const runs = new Runs(database.pool);
  return Promise.all(imports.map(({ runId }) => runs.show(runId)));
}

async function shown(result: RunResult, { clock }: OpenInstallation): Promise<Outcome> {
  const [{ formatMoney }, { runResultViewOf }] = await Promise.all([
    import('../core/money.js'),
    import('../reconciliation/reconciliation.view.js'),
  ]);
  const { run, matched, unmatched, totals, breaks } = result;
  const now = clock.now();
  const open = breaks.filter((each) => each.open > 0);
  return {
    json: runResultViewOf(result),
    text: [
      ...detailLines([
        ['run', run.id],
        ['report', `${run.format} of ${run.psp}, ${run.fileName}`],
        ['imported', exactly(run.importedAt, now)],
        ['lines', `${run.lines}, ${run.newLines} of them new`],
        ['matched', `${matched}, not matched ${unmatched}`],
      ]),
      '',
      ...totals.flatMap(({ currency, ...sums }) => [
        currency,
        ...detailLines(
          Object.entries(sums).map(([name, amount]) => [name, formatMoney({ amount, currency })] as const),
        ),
        '',
      ]),
      open.length === 0
        ? 'No differences.'
        : list(open, {
            DIFFERENCES: ({ category }) => category,
            OPEN: ({ open: count }) => String(count),
            AMOUNT: ({ difference: amount, currency }) => formatMoney({ amount, currency }),
          }),
    ].join('\n'),
  };
}

function timeOf(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('a time such as 2026-11-22T00:00:00Z');
}
