import { type Command } from 'commander';
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

function merchantJson({ id, name, duplicateWindowS, testOf, createdAt }: Merchant): object {
  return { id, name, duplicate_window: duplicateWindowS, test_of: testOf, created_at: createdAt };
}
