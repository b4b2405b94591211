import { PayonceClient } from '@payonce/client';
import { hasSshd, SimulatedBank, startSftpDrop } from '@payonce/simulator';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.js';
import { ownDatabase } from './own-database.js';
import type { Paper } from './paper.js';

const OWN_IBAN = 'DE89370400440532013000';
/** The second one's account is closed, at this bank. */
const recipients = [
  { name: 'Anna Meyer', iban: 'NL91ABNA0417164300' },
  { name: 'Ben Weber', iban: 'FI2112345600000785' },
] as const;
const BANK_LOOKS_MS = 200;
const START_MS = 60_000;
const COMMAND_MS = 20_000;

/**
 * Two payouts that wait for their file, at a bank that answers by files. It is an installation of its own, because an
 * account at such a bank stands in the PSPs file alone. It stays until it is interrupted, and leaves nothing behind.
 * @throws Error where no SFTP server is installed
 */
export async function rehearseBankFile(paper: Paper): Promise<void> {
  if (!hasSshd()) throw new Error('The bank needs an SFTP server: install openssh-server (Debian) first.');
  const interrupted = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  const own = await ownDatabase(undefined);
  const pspsFile = join(own.directory, 'psps.json');
  const env = { ...own.env, PAYONCE_PSPS_FILE: pspsFile };
  const drop = await startSftpDrop(join(own.directory, 'bank'));
  const { host, port, user, hostKey, privateKey, upload, download, archive } = drop;
  const bank = {
    account: { name: 'Shop GmbH', iban: OWN_IBAN },
    sftp: { host, port, user, hostKey, upload, download, archive },
    // The person at the terminal sends and fetches.
    cutOffs: { everyMinutes: 1_440 },
    fetchEveryMinutes: 1_440,
  };
  const account = { name: 'bank', adapter: 'bank-sepa', credentials: { privateKey }, bank };
  writeFileSync(pspsFile, JSON.stringify({ psps: [account] }), { mode: 0o600 });
  const service = new Child('The service', 'dist/src/main.cjs', {
    env: { ...env, PORT: '0', GRPC_PORT: 'off' },
  });
  const simulated = new SimulatedBank(OWN_IBAN, { upload, download });
  const answering = setInterval(() => answer(simulated), BANK_LOOKS_MS);
  try {
    const [, url] = (await service.says(/"listening":"(http[^"]+)"/, START_MS)) as unknown as [
      string,
      string,
    ];
    const key = await apiKey(env);
    const client = new PayonceClient({ apiKey: key, baseUrl: url });
    const ids: string[] = [];
    for (const [n, { name, iban }] of recipients.entries()) {
      const { body } = await client.payouts.create({
        reference: `salary-${n + 1}`,
        amount: 1_234,
        currency: 'EUR',
        previous: null,
        recipient: { reference: `employee-${n + 1}`, tokens: { bank: JSON.stringify({ name, iban }) } },
      });
      ids.push(body.id);
    }
    paper.line('Rehearsal: bank-file', 'bold');
    paper.line(
      'Two salaries are collected for the next file to the bank. The bank will pay one, and refuse the other ' +
        'because its account is closed (AC04): it says so by a status report and a statement.',
    );
    paper.line();
    paper.line('Next: docs/bank-files.md, and in another terminal', 'bold');
    paper.commands([
      `export PAYONCE_DATA_DIR=${own.directory}`,
      'export PAYONCE_PSPS_FILE=$PAYONCE_DATA_DIR/psps.json',
      'npx payonce bank send bank',
      'npx payonce bank batches',
      '# the bank answers within a second',
      'npx payonce bank fetch bank',
      'npx payonce bank files',
      `KEY=${key}`,
      'AUTH="Authorization: Bearer $KEY"',
      `API=${url}/v1/payouts`,
      ...ids.map((id) => `curl -s $API/${id} -H "$AUTH"`),
    ]);
    paper.line();
    paper.line('Stop with Ctrl-C: this installation and its data are gone then.');
    await Promise.race([interrupted, service.end()]);
  } finally {
    clearInterval(answering);
    await service.stop();
    await drop.stop();
    await own.drop();
  }
}

/** Books what lies there and refuses the second one's; a file that was answered is gone. */
function answer(bank: SimulatedBank): void {
  if (bank.take().length === 0) return;
  bank.report({ reject: ({ iban }) => (iban === recipients[1].iban ? 'AC04' : null) });
  bank.statement();
}

async function apiKey(env: Readonly<Record<string, string>>): Promise<string> {
  const payonce = (...args: readonly string[]) =>
    new Child('payonce', 'bin/payonce.mjs', { args: [...args, '--json'], env }).result(COMMAND_MS);
  const { id } = (await payonce('merchants', 'create', '--name', 'Rehearsal')) as { id: string };
  const { key } = (await payonce('api-keys', 'create', '--merchant', id, '--scopes', 'payouts:write')) as {
    key: string;
  };
  return key;
}
