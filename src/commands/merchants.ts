import { type Command } from 'commander';
import { type Merchant, Merchants } from '../merchants/index.js';
import { command, numberOf, type Opened, type Perform } from './command.js';
import { table, when } from './table.js';

export function addMerchants(payonce: Command, perform: Perform): void {
  const merchants = payonce.command('merchants').description('tenants of this installation');
  command(merchants, 'create', 'add a merchant')
    .requiredOption('--name <name>', 'what people call it')
    .option('--duplicate-window <seconds>', 'refuse the same payment under another key for so long', '0')
    .action(({ name, duplicateWindow }: { name: string; duplicateWindow: string }) =>
      perform(async (opened) => {
        const merchant = await merchantsOf(opened).createMerchant(name, numberOf(duplicateWindow));
        return { json: merchantJson(merchant), text: `Merchant ${merchant.name}: ${merchant.id}` };
      }),
    );
  command(merchants, 'set-duplicate-window', 'for how long the same payment under another key is refused')
    .requiredOption('--merchant <id>', 'whose payments')
    .requiredOption('--seconds <n>', 'for how long; 0 = never')
    .action(({ merchant: id, seconds }: { merchant: string; seconds: string }) =>
      perform(async (opened) => {
        const merchant = await merchantsOf(opened).setDuplicateWindow(id, numberOf(seconds));
        return {
          json: merchantJson(merchant),
          text: `Duplicate window of ${merchant.name}: ${windowOf(merchant)}; running services notice within 5 s.`,
        };
      }),
    );
  command(merchants, 'list', 'list the merchants, newest first').action(() =>
    perform(async (opened) => {
      const all = await merchantsOf(opened).listMerchants();
      return {
        json: all.map(merchantJson),
        text: table(
          ['ID', 'CREATED', 'DUPLICATES', 'NAME'],
          all.map((merchant) => [merchant.id, when(merchant.createdAt), windowOf(merchant), merchant.name]),
        ),
      };
    }),
  );
}

export function merchantsOf({ database, clock, ids }: Opened): Merchants {
  return new Merchants(database.pool, clock, ids);
}

function windowOf({ duplicateWindowS }: Merchant): string {
  return duplicateWindowS === 0 ? 'off' : `${duplicateWindowS} s`;
}

function merchantJson({ id, name, duplicateWindowS, createdAt }: Merchant): object {
  return { id, name, duplicate_window: duplicateWindowS, created_at: createdAt };
}
