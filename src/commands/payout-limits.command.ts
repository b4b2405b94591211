import { type Command, Option } from 'commander';
import { type PayoutLimit, type PayoutLimits } from '../merchants/payout-limits.js';
import { actor, command, type OpenInstallation, type RunCommand, withExamples } from './command.js';
import { list } from './text.js';

const SHOP = '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43';

interface Named {
  readonly merchant: string;
  readonly currency: string;
  readonly per: PayoutLimit['per'];
}

export function addPayoutLimits(payonce: Command, perform: RunCommand): void {
  const limits = withExamples(
    payonce.command('payout-limits').description('limit what a merchant pays out in a day (UTC)'),
    `set ${SHOP} --currency EUR --per merchant --amount 5000000`,
    `list ${SHOP}`,
  );
  named(
    command(
      limits,
      'set',
      'set a limit; other currencies then need one too',
      `${SHOP} --currency EUR --per recipient --amount 100000 --count 3`,
    ),
  )
    .option('--amount <minor units>', 'how much at most')
    .option('--count <n>', 'how many payouts at most')
    .action(({ merchant, currency, per, amount, count }: Named & { amount?: string; count?: string }) =>
      perform(async (opened) => {
        const limit = { currency, per, amount: given(amount), count: given(count) };
        await (await limitsOf(opened)).set(merchant, limit, actor());
        return { json: limit, text: `Set, for payouts from now on: ${said(limit)}.` };
      }),
    );
  named(command(limits, 'remove', 'take a limit away', `${SHOP} --currency EUR --per recipient`)).action(
    ({ merchant, currency, per }: Named) =>
      perform(async (opened) => {
        await (await limitsOf(opened)).remove(merchant, { currency, per }, actor());
        return { json: { currency, per, removed: true }, text: `Removed: ${currency} per ${per}.` };
      }),
  );
  command(limits, 'list', 'list the limits of a merchant', SHOP)
    .requiredOption('--merchant <id>', 'the merchant')
    .action(({ merchant }: { merchant: string }) =>
      perform(async (opened) => {
        const all = await (await limitsOf(opened)).list(merchant);
        return {
          json: all,
          text: list(all, {
            CURRENCY: ({ currency }) => currency,
            PER: ({ per }) => per,
            'AMOUNT A DAY': ({ amount }) => String(amount ?? 'any'),
            'PAYOUTS A DAY': ({ count }) => String(count ?? 'any'),
          }),
        };
      }),
    );
}

function named(made: Command): Command {
  return made
    .requiredOption('--merchant <id>', 'the merchant')
    .requiredOption('--currency <code>', 'the currency, such as EUR')
    .addOption(
      new Option('--per <scope>', 'of all payouts, or of those to each recipient')
        .choices(['merchant', 'recipient'])
        .makeOptionMandatory(),
    );
}

async function limitsOf({ database, clock, ids }: OpenInstallation): Promise<PayoutLimits> {
  const { PayoutLimits } = await import('../merchants/payout-limits.js');
  return new PayoutLimits(database.dataSource, clock, ids);
}

/** NaN where it is no whole number, which its taker refuses. */
function given(text: string | undefined): number | null {
  if (text === undefined) return null;
  return /^\d{1,16}$/.test(text) ? Number(text) : NaN;
}

function said({ currency, per, amount, count }: PayoutLimit): string {
  const parts = [
    ...(amount === null ? [] : [`${amount} minor units`]),
    ...(count === null ? [] : [`${count} payouts`]),
  ];
  return `${parts.join(' and ')} of ${currency} a day per ${per}`;
}
