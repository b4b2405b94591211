import { type Command, InvalidArgumentError, Option } from 'commander';
import { ledgerAccounts, type LedgerAccount } from '../core/ledger-accounts.js';
import { type Ledger, type Days, type StatementFilter } from '../ledger/ledger.js';
import { isDay } from '../core/day.js';
import { Problem } from '../core/problem.js';
import {
  actor,
  command,
  noteOf,
  numberOf,
  type OpenInstallation,
  type RunCommand,
  withExamples,
} from './command.js';
import { ago, detailLines, list } from './text.js';

interface DayOptions {
  readonly from?: string;
  readonly to?: string;
}

interface EntryOptions extends DayOptions {
  readonly account?: LedgerAccount;
  readonly psp?: string;
  readonly currency?: string;
  readonly merchant?: string;
}

const MAX_LISTED = 1_000;

export function addLedger(payonce: Command, perform: RunCommand): void {
  const ledger = withExamples(
    payonce.command('ledger').description('show what each PSP took, cost and holds (docs/ledger.md)'),
    'balances',
  );
  withDays(
    command(
      ledger,
      'balances',
      'show what each PSP took, cost and holds, and the trial balance',
      '',
      '--from 2026-11-01 --to 2026-11-30 --json',
    ),
  ).action((options: DayOptions) =>
    perform(async (opened) => {
      const days = daysOf(options, opened.clock.now());
      const [found, { balancesViewOf }, { formatMoney }] = await Promise.all([
        (await ledgerOf(opened)).balances(days),
        import('../ledger/ledger.view.js'),
        import('../core/money.js'),
      ]);
      const money = (amount: number, currency: string) => formatMoney({ amount, currency });
      return {
        json: balancesViewOf(found, days),
        text: [
          `${days.from === days.to ? days.from : `${days.from} to ${days.to}`} (UTC)`,
          '',
          list(
            found.psps,
            {
              PSP: ({ psp }) => psp,
              TAKEN: ({ taken, currency }) => money(taken, currency),
              COST: ({ fees, currency }) => money(fees, currency),
              'STILL TO BE PAID OUT': ({ held, currency }) => money(held, currency),
            },
            ({ currency, refunded, disputed, paidOut, settled }) => [
              ['refunded', money(refunded, currency)],
              ['disputed', money(disputed, currency)],
              ['paid out', money(paidOut, currency)],
              ['settled', money(settled, currency)],
            ],
          ),
          '',
          list(found.trial, {
            ACCOUNT: ({ account }) => account,
            DEBIT: ({ debit, currency }) => money(debit, currency),
            CREDIT: ({ credit, currency }) => money(credit, currency),
            BALANCE: ({ debit, credit, currency }) => money(debit - credit, currency),
          }),
        ].join('\n'),
      };
    }),
  );
  withFilter(
    command(ledger, 'statement', 'list the entries of an account, the oldest first', '--account refunds'),
  )
    .option('--limit <n>', 'how many at most, up to 1000', '100')
    .action(({ limit, ...options }: EntryOptions & { limit: string }) =>
      perform(async (opened) => {
        const count = numberOf(limit);
        const most = count >= 1 && count <= MAX_LISTED ? count : MAX_LISTED;
        const days = daysOf(options, opened.clock.now());
        const [{ entries, nextCursor }, { entryViewOf }, { formatMoney }] = await Promise.all([
          (await ledgerOf(opened)).statement(days, filterOf(options), most, null),
          import('../ledger/ledger.view.js'),
          import('../core/money.js'),
        ]);
        const now = opened.clock.now();
        const lines = list(
          entries,
          {
            OCCURRED: ({ occurredAt }) => ago(occurredAt, now),
            ACCOUNT: ({ account }) => account,
            PSP: ({ psp }) => psp,
            KIND: ({ kind }) => kind,
            AMOUNT: formatMoney,
          },
          ({ source }) => [['source', source]],
        );
        const more = nextCursor === null ? [] : ['', 'There are more: npx payonce ledger export'];
        return { json: entries.map(entryViewOf), text: [lines, ...more].join('\n') };
      }),
    );
  withFilter(command(ledger, 'export', 'write entries to a CSV file', '--from 2026-11-01 --file ledger.csv'))
    .requiredOption('--file <path>', 'the file, which must not exist yet')
    .action(({ file, ...options }: EntryOptions & { file: string }) =>
      perform(async (opened) => {
        const days = daysOf(options, opened.clock.now());
        const [found, { writeCsv }, { entryViewOf }] = await Promise.all([
          ledgerOf(opened),
          import('../ledger/csv-file.js'),
          import('../ledger/ledger.view.js'),
        ]);
        const written = await writeCsv(file, found.entries(days, filterOf(options)), entryViewOf);
        return {
          json: { file, ...days, entries: written },
          text: [
            `Exported.`,
            ...detailLines([
              ['entries', String(written)],
              ['file', file],
            ]),
          ].join('\n'),
        };
      }),
    );
  withCorrection(
    command(
      ledger,
      'correct',
      'move an amount from one account to another; nothing that is posted changes',
      '--name fee-2026-11 --psp stripe --debit fees --credit psp_clearing --amount 450 --currency EUR --note "Invoice 7"',
    ),
  ).action(({ name, psp, debit, credit, amount, currency, merchant, day, note }: CorrectOptions) =>
    perform(async (opened) => {
      const [{ postCorrection }, { isCurrency, formatMoney }] = await Promise.all([
        import('../ledger/corrections.js'),
        import('../core/money.js'),
      ]);
      if (!isCurrency(currency)) throw new Problem('validation_failed', '--currency is no currency.');
      const money = { amount: numberOf(amount), currency };
      const { source, isNew } = await postCorrection(
        opened.database.dataSource,
        {
          name,
          merchantId: merchant ?? null,
          psp,
          debit,
          credit,
          money,
          day: day ?? null,
          note: await noteOf('--note', note, opened),
        },
        { actor: actor(), auditId: opened.ids.uuid() },
      );
      const what = `${formatMoney(money)} from ${credit} to ${debit} of ${psp}`;
      return {
        json: { source, is_new: isNew },
        text: isNew ? `Posted as ${source}: ${what}.` : `${source} was posted before: ${what}.`,
      };
    }),
  );
}

interface CorrectOptions {
  readonly name: string;
  readonly psp: string;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amount: string;
  readonly currency: string;
  readonly merchant?: string;
  readonly day?: string;
  readonly note: string;
}

function withCorrection(made: Command): Command {
  const account = (flag: string, what: string) =>
    new Option(`${flag} <account>`, what).choices(ledgerAccounts).makeOptionMandatory();
  return made
    .requiredOption('--name <name>', 'names the correction, which is posted once')
    .requiredOption('--psp <account>', 'the PSP account that it is about')
    .addOption(account('--debit', 'the account that has more afterwards'))
    .addOption(account('--credit', 'the account that has less'))
    .requiredOption('--amount <n>', 'in minor units')
    .requiredOption('--currency <code>', 'such as EUR')
    .requiredOption('--note <text>', 'why, for the audit record')
    .option('--merchant <id>', 'the merchant that it is about', uuidOf)
    .option('--day <day>', 'the day (UTC) that it is of; default: today', dayOf);
}

/** With what is due posted first, so that the answer holds what happened until now. */
async function ledgerOf({ database, clock }: OpenInstallation): Promise<Ledger> {
  const [{ Ledger }, { LedgerPoster }] = await Promise.all([
    import('../ledger/ledger.js'),
    import('../ledger/ledger-poster.js'),
  ]);
  await new LedgerPoster(database.pool, clock).runOnce();
  return new Ledger(database.pool);
}

function withDays(made: Command): Command {
  return made
    .option('--from <day>', 'the first day (UTC); default: today', dayOf)
    .option('--to <day>', 'the last day (UTC); default: today', dayOf);
}

function withFilter(made: Command): Command {
  return withDays(made)
    .addOption(new Option('--account <name>', 'one account').choices(ledgerAccounts))
    .option('--psp <account>', 'one PSP account')
    .option('--currency <code>', 'one currency')
    .option('--merchant <id>', 'one merchant', uuidOf);
}

function dayOf(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError('a day such as 2026-11-22');
}

function uuidOf(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw new InvalidArgumentError('the id of a merchant');
}

function daysOf({ from, to }: DayOptions, now: Date): Days {
  const today = now.toISOString().slice(0, 10);
  return { from: from ?? to ?? today, to: to ?? today };
}

function filterOf({ account, psp, currency, merchant }: EntryOptions): StatementFilter {
  return {
    ...(account === undefined ? {} : { account }),
    ...(psp === undefined ? {} : { psp }),
    ...(currency === undefined ? {} : { currency }),
    ...(merchant === undefined ? {} : { merchantId: merchant }),
  };
}
