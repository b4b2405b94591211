import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startSimulator } from '@payonce/simulator';
import { describeWithSshd } from '../support/bank-environment.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { payonceCommand } from '../support/payonce-command.js';
import { type Spawned, spawnNode } from '../support/process.js';
import { inTurn } from '../support/turns.js';

/** `npm run rehearse`: each state is entered, and left again by the commands that it prints. */
const root = resolve(__dirname, '../..');
let database: FreshDatabase;
let directory: string;
let env: Record<string, string>;
let url: string;
let control: string;

beforeAll(async () => {
  database = await freshDatabase();
  directory = mkdtempSync(join(tmpdir(), 'payonce-rehearse-'));
  env = {
    PORT: '0',
    GRPC_PORT: 'off',
    DATABASE_URL: database.url,
    PAYONCE_SIMULATOR: 'on',
    PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
    PAYONCE_DATA_DIR: directory,
    PAYONCE_DB_POOL: '6',
    PAYONCE_COMMIT_LANES: '2',
  };
  ({ url, control } = await started(env));
});
afterAll(async () => {
  for (const service of services) {
    service.kill('SIGTERM');
    await service.exit;
  }
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

const services: Spawned[] = [];

async function started(environment: Readonly<Record<string, string>>) {
  const service = spawnNode('dist/src/main.cjs', { env: environment });
  services.push(service);
  const [line] = await service.waitForLine(/^\{.*"listening":"http.*$/, 60_000);
  const { listening, simulator } = JSON.parse(line) as { listening: string; simulator?: { control: string } };
  return { url: listening, control: simulator?.control ?? '' };
}

async function rehearse(...args: readonly string[]): Promise<{ code: number | null; text: string }> {
  return rehearseIn(env, ...args);
}

async function rehearseIn(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const command = spawnNode('dist/demo/rehearse.js', { args, env });
  const { code } = await command.exit;
  const text = command.output();
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  return { code, text };
}

async function entered(state: string): Promise<{ id: string; text: string }> {
  const { code, text } = await rehearse(state, '--url', url, '--control', control);
  expect({ code, text: code === 0 ? '' : text }).toEqual({ code: 0, text: '' });
  expect(text).toContain('docs/');
  return { id: /^Payment ([0-9a-f-]{36}),/m.exec(text)![1]!, text };
}

/** Types the commands of `payonce` and curl that were printed, in a shell. */
async function followed(text: string, settings: Readonly<Record<string, string>> = env): Promise<string> {
  const commands = text.split('\n').filter((line) => line.startsWith('  '));
  const npx = `npx() { shift; '${process.execPath}' '${root}/bin/payonce.mjs' "$@"; }`;
  const { stdout } = await promisify(execFile)('bash', ['-ec', [npx, ...commands].join('\n')], {
    env: { ...process.env, ...settings },
  });
  return stdout;
}

const listed = async (...args: readonly string[]) => (await payonceCommand([...args, '--json'], env)).stdout;

const states: [state: string, list: string[], seen: RegExp][] = [
  ['stuck', ['stuck', 'list'], /"operation":"charge".*"amount":1299/],
  ['orphan', ['orphans', 'list'], /("operation":"charge".*){2}/],
  ['break', ['breaks', 'list'], /"undone_at"/],
];
it.each(inTurn(states, 2))(
  '%s is listed, looked at in the ledger, and resolved as it says',
  async (state, list, seen) => {
    const { id, text } = await entered(state);
    expect(await listed(...list)).toContain(id);
    expect(await followed(text)).toMatch(seen);
    expect(await listed(...list)).not.toContain(id);
  },
);

it('3ds is completed with what it prints', async () => {
  const { id, text } = await entered('3ds');
  expect(JSON.parse(await followed(text))).toMatchObject({ id, status: 'captured' });
});

it('dispute holds the money back until the bank has decided', async () => {
  const { id, text } = await entered('dispute');
  const seen = await followed(text);
  expect(seen).toContain(id);
  await eventually(
    async () => /"status":"won".*"amount_withheld":0/.test(await listed('payments', 'show', id)),
    'the money is back',
  );
});

it('lost-commits refuses what two PSPs could take, until a person has compared', async () => {
  const { text } = await entered('lost-commits');
  expect(await listed('failover', 'status')).toContain('"hold":"operations"');
  await followed(text);
  expect(await listed('failover', 'status')).toContain('"hold":"none"');
});

it('order is paid once, and every try is shown', async () => {
  const { id, text } = await entered('order');
  const seen = await followed(text);
  expect(seen).toMatch(/Of 1 try 1 holds 12\.99 EUR\. The order is paid\./);
  expect(seen).toContain(id);
  expect(seen.match(/"operation":"charge"/g)).toHaveLength(1);
});

describeWithSshd('bank-file', () => {
  it('waits for a file, is sent and fetched as it says, and leaves nothing behind', async () => {
    const command = spawnNode('dist/demo/rehearse.js', { args: ['bank-file'] });
    services.push(command);
    await command.waitForLine(/^Stop with Ctrl-C/, 90_000);
    const text = command.output();
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const [, own] = /export PAYONCE_DATA_DIR=(\S+)/.exec(text)!;
    // The bank answers in its own time: what came of the two payouts is asked for until it is there.
    await eventually(
      async () => /"status":"paid".*"status":"failed".*"psp_code":"AC04"/s.test(await followed(text, {})),
      'one is paid and one refused',
    );
    command.kill('SIGINT');
    expect(await command.exit).toEqual({ code: 0, signal: null });
    expect(existsSync(own!)).toBe(false);
  });
});

describe('is refused in plain words', () => {
  const at = (service: string) => rehearse('stuck', '--url', service, '--control', control);

  it('where no installation runs', async () => {
    const { code, text } = await at('http://127.0.0.1:1');
    expect([code, text]).toEqual([
      1,
      'No installation runs at http://127.0.0.1:1. Start one in another terminal:\nnpm start\n',
    ]);
  });

  it('in a folder that is not that of the installation', async () => {
    const elsewhere = { PAYONCE_DATA_DIR: join(directory, 'elsewhere') };
    const args = ['stuck', '--url', url, '--control', control];
    const { code, text } = await rehearseIn(elsewhere, ...args);
    expect([code, text]).toEqual([1, expect.stringMatching(/^there is no Payonce installation:\s/)]);
  });

  it('where another simulator plays the PSPs', async () => {
    const stranger = await startSimulator();
    try {
      const { code, text } = await rehearse('stuck', '--url', url, '--control', stranger.urls.control);
      expect([code, text]).toEqual([1, expect.stringMatching(/is not on the bundled\ssimulator/)]);
    } finally {
      await stranger.close();
    }
  });

  it('where the address is not on this machine', async () => {
    const { code, text } = await at('http://192.0.2.1:3000');
    expect([code, text.replaceAll('\n', ' ')]).toEqual([
      1,
      'http://192.0.2.1:3000 is not on this machine. A rehearsal is for loopback addresses alone. ',
    ]);
  });

  it('where the PSPs are not the bundled simulator, though it tells this service too', async () => {
    const file = join(directory, 'psps.json');
    const credentials = { secretKey: 'sk_test_ours', webhookSecret: 'whsec_ours_and_nobody_elses' };
    const stripe = { name: 'stripe', adapter: 'stripe', baseUrl: 'http://127.0.0.1:1', credentials };
    writeFileSync(file, JSON.stringify({ psps: [stripe] }));
    const other = await started({
      ...env,
      PAYONCE_SIMULATOR: 'off',
      PAYONCE_PSPS_FILE: file,
      PAYONCE_ROLE: 'api',
    });
    const keys = () => listed('merchants', 'list');
    const before = await keys();
    const refused = async () => {
      const { code, text } = await at(other.url);
      expect([code, text]).toEqual([1, expect.stringMatching(/is not on the bundled\ssimulator/)]);
    };
    await refused();
    for (const psp of ['stripe', 'adyen']) {
      const hook = { url: `${other.url}/v1/webhooks/${psp}`, secret: 'whsec_simulator' };
      const adyen = { url: hook.url, hmac_key: '00'.repeat(32) };
      const body = JSON.stringify(psp === 'stripe' ? hook : adyen);
      const answer = await fetch(`${control}/${psp}/_webhooks`, { method: 'POST', body });
      expect(answer.status).toBe(201);
    }
    await refused();
    expect(await keys()).toBe(before);
  });

  it('without a state that it knows', async () => {
    const { code, text } = await rehearse('fire');
    expect([code, text]).toEqual([2, expect.stringContaining('npm run rehearse -- <state>')]);
  });
});
