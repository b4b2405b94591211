import { type Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { Problem } from '../core/problem.js';
import { type StoredPspView } from '../psp-accounts/psp-administration.js';
import { actor, command, jsonRow, type Outcome, type RunCommand, withExamples } from './command.js';
import { ago, list } from './text.js';

const SHOP = '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43';
const SOON = 'in all processes within 10 s';

export function addPsps(payonce: Command, perform: RunCommand): void {
  const psps = withExamples(
    payonce.command('psps').description('keep PSP accounts and routing rules that need no restart'),
    'add --file shop-stripe.json',
    'list',
  );
  command(psps, 'list', 'list the stored accounts, by name', '').action(() =>
    perform(async ({ pspAccounts, clock }) => {
      const { accounts } = await pspAccounts();
      const all = await accounts.list();
      const now = clock.now();
      return {
        json: all.map(jsonRow),
        text: list(all, {
          NAME: ({ name }) => name,
          ADAPTER: ({ adapter }) => adapter,
          FOR: ({ merchants }) => (merchants === null ? 'shared' : `${merchants.length} merchants`),
          STATE: ({ disabledAt }) => (disabledAt === null ? 'enabled' : `disabled ${ago(disabledAt, now)}`),
          CHANGED: ({ changedAt }) => ago(changedAt, now),
        }),
      };
    }),
  );
  filed(
    command(psps, 'add', 'add an account, as the PSPs file has it', '--file shop-stripe.json'),
    'JSON with name, adapter, credentials and the rest',
  ).action(({ file }: { file: string }) =>
    perform(async ({ pspAccounts }) => {
      const { accounts } = await pspAccounts();
      const account = await accounts.add(await jsonIn(file), actor(), process.env);
      return said(account, `Added ${account.name}. Payments may go there ${SOON}.`);
    }),
  );
  filed(
    command(psps, 'rotate <name>', 'replace credentials of an account', 'shop-stripe --file new-keys.json'),
    'JSON with the credentials that change; null takes one away',
  ).action((name: string, { file }: { file: string }) =>
    perform(async ({ pspAccounts }) => {
      const patch = { credentials: await jsonIn(file) };
      const { accounts } = await pspAccounts();
      const account = await accounts.change(name, patch, actor(), process.env);
      return said(
        account,
        `Rotated. The credentials of ${name} are used ${SOON}; keep the old ones until then.`,
      );
    }),
  );
  filed(
    command(psps, 'change <name>', 'change other settings of an account', 'shop-stripe --file settings.json'),
    'JSON with the members that change; null takes one away',
  ).action((name: string, { file }: { file: string }) =>
    perform(async ({ pspAccounts }) => {
      const patch = (await jsonIn(file)) as Record<string, unknown>;
      const { accounts } = await pspAccounts();
      const account = await accounts.change(name, patch, actor(), process.env);
      return said(account, `Changed ${name}, ${SOON}.`);
    }),
  );
  for (const [verb, description, isDisabled] of [
    ['disable', 'begin no payment or payout there; what began goes on', true],
    ['enable', 'let payments and payouts begin there again', false],
  ] as const) {
    command(psps, `${verb} <name>`, description, 'shop-stripe').action((name: string) =>
      perform(async ({ pspAccounts }) => {
        const { accounts } = await pspAccounts();
        const account = await accounts.setDisabled(name, isDisabled, actor());
        return said(account, `${name} is ${verb}d, ${SOON}.`);
      }),
    );
  }
  command(
    psps,
    'routing',
    'show or set the routing rules of one merchant',
    SHOP,
    `${SHOP} --file rules.json`,
    `${SHOP} --remove`,
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .option('--file <path>', 'JSON list of rules, as the PSPs file has them; - reads stdin')
    .option('--remove', 'let the rules of the PSPs file apply again')
    .action(({ merchant, file, remove }: { merchant: string; file?: string; remove?: boolean }) =>
      perform(async ({ pspAccounts }) => {
        const { routing } = await pspAccounts();
        const isRead = file === undefined && remove !== true;
        const rules = isRead
          ? (await routing.of(merchant)).rules
          : await routing.set(merchant, file === undefined ? null : await jsonIn(file), actor());
        const shown = rules === null ? 'The rules of the PSPs file apply.' : JSON.stringify(rules, null, 2);
        return { json: { merchant, rules }, text: isRead ? shown : `Set, ${SOON}.\n${shown}` };
      }),
    );
}

function filed(made: Command, what: string): Command {
  return made.requiredOption('--file <path>', `${what}; - reads stdin`);
}

/** Says nothing of what it read: that may be a secret. */
async function jsonIn(file: string): Promise<unknown> {
  const text = await (file === '-' ? textOf(process.stdin) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      const { code = 'an error' } = error as NodeJS.ErrnoException;
      throw new Problem('validation_failed', `${file} cannot be read (${code}).`);
    },
  );
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Problem('validation_failed', `${file === '-' ? 'stdin' : file} is not JSON.`);
  }
}

function said(account: StoredPspView, text: string): Outcome {
  return { json: jsonRow(account), text };
}
