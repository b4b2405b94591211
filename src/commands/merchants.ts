import { type Command, Option } from 'commander';
import { type OrphanPolicy, orphanPolicies, type RecipientRule, recipientRules } from '../core/caller.js';
import { type Merchant } from '../merchants/merchant.entity.js';
import { type Merchants } from '../merchants/merchants.js';
import { actor, command, numberOf, type Opened, type Perform, withExamples } from './command.js';
import { ago, list } from './text.js';

export function addMerchants(payonce: Command, perform: Perform): void {
  const merchants = withExamples(
    payonce.command('merchants').description('create and list merchants'),
    'create --name Shop',
    'list',
  );
  command(merchants, 'create', 'add a merchant', '--name Shop', '--name Shop --duplicate-window 30')
    .requiredOption('--name <name>', 'the name of the merchant')
    .option('--duplicate-window <seconds>', 'refuse the same payment under another key for this long', '0')
    .action(({ name, duplicateWindow }: { name: string; duplicateWindow: string }) =>
      perform(async (opened) => {
        const merchant = await (
          await merchantsOf(opened)
        ).createMerchant(name, numberOf(duplicateWindow), actor());
        return { json: merchantJson(merchant), text: `Merchant ${merchant.name}: ${merchant.id}` };
      }),
    );
  command(
    merchants,
    'set-duplicate-window',
    'refuse the same payment under another key for a while',
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 --seconds 30',
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .requiredOption('--seconds <n>', 'how long; 0 turns it off')
    .action(({ merchant: id, seconds }: { merchant: string; seconds: string }) =>
      perform(async (opened) => {
        const merchant = await (await merchantsOf(opened)).setDuplicateWindow(id, numberOf(seconds), actor());
        return {
          json: merchantJson(merchant),
          text: `Duplicate window of ${merchant.name}: ${windowOf(merchant)}; running services notice within 5 s.`,
        };
      }),
    );
  command(
    merchants,
    'set-payout-recipients',
    'let a merchant pay out to known recipients alone',
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 --rule approved',
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .addOption(
      new Option('--rule <rule>', 'any recipient, those it registered, or those that were approved')
        .choices([...recipientRules])
        .makeOptionMandatory(),
    )
    .action(({ merchant: id, rule }: { merchant: string; rule: RecipientRule }) =>
      perform(async (opened) => {
        const merchant = await (await merchantsOf(opened)).setPayoutRecipients(id, rule, actor());
        return {
          json: merchantJson(merchant),
          text: `${merchant.name} pays out to ${paid[rule]}, from the next payout on.`,
        };
      }),
    );
  command(
    merchants,
    'set-orphans',
    "say whether a merchant's orphan effects are given back at once",
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 --policy approve',
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .addOption(
      new Option('--policy <policy>', 'at once, once a person approved, or as PAYONCE_ORPHANS says')
        .choices([...orphanPolicies, 'default'])
        .makeOptionMandatory(),
    )
    .action(({ merchant: id, policy }: { merchant: string; policy: OrphanPolicy | 'default' }) =>
      perform(async (opened) => {
        const own = policy === 'default' ? null : policy;
        const merchant = await (await merchantsOf(opened)).setOrphans(id, own, actor());
        return {
          json: merchantJson(merchant),
          text: `Orphan effects of ${merchant.name}: ${own ?? 'as PAYONCE_ORPHANS says'}.`,
        };
      }),
    );
  command(
    merchants,
    'set-request-rate',
    'say how many requests a second a merchant may send',
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 --per-second 200',
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .requiredOption('--per-second <n>', 'of all its keys together; default: as PAYONCE_MERCHANT_RATE says')
    .action(({ merchant: id, perSecond }: { merchant: string; perSecond: string }) =>
      perform(async (opened) => {
        const rate = perSecond === 'default' ? null : numberOf(perSecond);
        const merchant = await (await merchantsOf(opened)).setRequestRate(id, rate, actor());
        const said = rate === null ? 'as many as PAYONCE_MERCHANT_RATE says' : String(rate);
        return {
          json: merchantJson(merchant),
          text: `Requests a second of ${merchant.name}: ${said}; running services notice within 5 s.`,
        };
      }),
    );
  command(merchants, 'list', 'list the merchants, newest first', '', '--json').action(() =>
    perform(async (opened) => {
      const all = await (await merchantsOf(opened)).listMerchants();
      const now = opened.clock.now();
      return {
        json: all.map(merchantJson),
        text: list(
          ['ID', 'CREATED', 'DUPLICATES', 'NAME'],
          all.map((merchant) => ({
            cells: [
              merchant.id,
              ago(merchant.createdAt, now),
              windowOf(merchant),
              merchant.testOf === null ? merchant.name : `${merchant.name} (test mode)`,
            ],
          })),
        ),
      };
    }),
  );
}

export async function merchantsOf({ database, clock, ids }: Opened): Promise<Merchants> {
  const [{ Merchants }, { Merchant }, { ApiKey }] = await Promise.all([
    import('../merchants/merchants.js'),
    import('../merchants/merchant.entity.js'),
    import('../merchants/api-key.entity.js'),
  ]);
  const { dataSource } = database;
  return new Merchants(dataSource.getRepository(Merchant), dataSource.getRepository(ApiKey), clock, ids);
}

function windowOf({ duplicateWindowS }: Merchant): string {
  return duplicateWindowS === 0 ? 'off' : `${duplicateWindowS} s`;
}

const paid: Readonly<Record<RecipientRule, string>> = {
  any: 'any recipient',
  registered: 'registered recipients alone',
  approved: 'approved recipients alone',
};

function merchantJson(merchant: Merchant): object {
  const { id, name, duplicateWindowS, payoutRecipients, orphans, requestRate, testOf, createdAt } = merchant;
  return {
    id,
    name,
    duplicate_window: duplicateWindowS,
    payout_recipients: payoutRecipients,
    orphans,
    request_rate: requestRate,
    test_of: testOf,
    created_at: createdAt,
  };
}
