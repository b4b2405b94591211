import { type Command } from 'commander';
import { NO_MERCHANT } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import {
  actor,
  type BankWork,
  command,
  numberOf,
  type OpenInstallation,
  type RunCommand,
  withExamples,
} from './command.js';
import { ago, list } from './text.js';

const MAX_LISTED = 1_000;

export function addBank(payonce: Command, perform: RunCommand): void {
  const bank = withExamples(
    payonce
      .command('bank')
      .description('send files to banks and see what they answered (docs/bank-files.md)'),
    'batches',
    'send bank',
  );
  listed(bank, 'batches', 'list the files that were made for banks, the newest first').action(
    ({ limit, psp }: { limit: string; psp?: string }) =>
      perform(async ({ database, clock }) => {
        const [{ readBankBatches }, { formatMoney }] = await Promise.all([
          import('../database/bank-lists.js'),
          import('../core/money.js'),
        ]);
        const rows = await readBankBatches(database.pool, { psp: psp ?? null, limit: bounded(limit) });
        const now = clock.now();
        return {
          json: rows,
          text: list(
            rows,
            {
              PSP: ({ psp }) => psp,
              BATCH: ({ number }) => String(number),
              KIND: ({ kind }) => kind,
              LINES: ({ transactions }) => String(transactions),
              TOTAL: ({ total }) => formatMoney({ amount: total, currency: 'EUR' }),
              STATE: ({ state }) => state,
              MADE: (row) => ago(row.formed_at, now),
            },
            ({ message_id: messageId, answered, transactions, rejected, fault }) => [
              ['message id', messageId],
              ['answered', `${answered} of ${transactions}, ${rejected} refused`],
              ['fault', fault],
            ],
          ),
        };
      }),
  );
  listed(bank, 'files', 'list the files that banks left, the newest first').action(
    ({ limit, psp }: { limit: string; psp?: string }) =>
      perform(async ({ database, clock }) => {
        const { readBankFiles } = await import('../database/bank-lists.js');
        const rows = await readBankFiles(database.pool, { psp: psp ?? null, limit: bounded(limit) });
        const now = clock.now();
        return {
          json: rows,
          text: list(
            rows,
            {
              PSP: ({ psp }) => psp,
              FILE: ({ name }) => name,
              STATE: ({ state }) => state,
              OURS: ({ ours }) => String(ours),
              UNKNOWN: ({ unknown }) => String(unknown),
              READ: (row) => ago(row.received_at, now),
            },
            ({ fault }) => [['fault', fault]],
          ),
        };
      }),
  );
  command(bank, 'send <psp>', 'make and send the files now, before the next cut-off', 'bank').action(
    (psp: string) =>
      perform((opened) =>
        withBank(opened, psp, async (files) => {
          const { formed, sent } = await files.sendNow(psp);
          await recordSending(opened, psp, { formed, sent });
          if (sent === null) throw new Problem('invalid_state', `Another process sends the files of ${psp}.`);
          return { json: { formed, sent }, text: `Made ${formed} and sent ${sent}.` };
        }),
      ),
  );
  command(bank, 'fetch <psp>', 'read now what the bank has left', 'bank').action((psp: string) =>
    perform((opened) =>
      withBank(opened, psp, async (files) => {
        const read = await files.fetchNow(psp);
        if (read === null) throw new Problem('invalid_state', `Another process reads the files of ${psp}.`);
        return { json: { read }, text: `Read ${read}.` };
      }),
    ),
  );
}

/** Who had money leave before its time. */
async function recordSending(
  { database, clock, ids }: OpenInstallation,
  psp: string,
  detail: object,
): Promise<void> {
  const { recordAct } = await import('../database/record-act.js');
  await recordAct(database.dataSource.manager, {
    merchantId: NO_MERCHANT,
    id: ids.uuid(),
    at: clock.now(),
    actor: actor(),
    action: 'bank.sent',
    subject: `psp:${psp}`,
    detail: { ...detail },
  });
}

function withBank<T>(
  { withBankFiles }: OpenInstallation,
  psp: string,
  work: (files: BankWork) => Promise<T>,
): Promise<T> {
  return withBankFiles((files) => {
    if (!files.names.includes(psp)) {
      const known = files.names.length > 0 ? `there are ${files.names.join(', ')}` : 'there are none';
      throw new Problem('not_found', `No account at a bank is called ${JSON.stringify(psp)}; ${known}.`);
    }
    return work(files);
  });
}

function listed(parent: Command, name: string, description: string): Command {
  return command(parent, name, description, '', '--psp bank --json')
    .option('--psp <account>', 'one PSP account')
    .option('--limit <n>', 'how many at most, up to 1000', '50');
}

function bounded(limit: string): number {
  const count = numberOf(limit);
  return count >= 1 && count <= MAX_LISTED ? count : MAX_LISTED;
}
