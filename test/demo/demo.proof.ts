import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { ConsoleClient } from '../support/console-client.js';
import { freshDatabase } from '../support/database.js';
import { spawnNode } from '../support/process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const demo = 'dist/demo/main.js';
/** Far more than it takes: other tests want the machine as well. */
const PATIENCE_MS = 110_000;

/** Temporary files of the demo go here, where nobody else's are. */
const temporary = temporaryFolder();

async function ownDatabases(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT datname AS name FROM pg_database WHERE datname LIKE 'payonce_demo%'",
  );
  await client.end();
  return rows.map(({ name }) => name);
}

/** The statuses of the payments that the link shows to those who sign in by it. */
async function paymentsInConsole(url: string, link: string): Promise<string[]> {
  const console = new ConsoleClient(() => url);
  await console.post('session', { link });
  const { body } = await console.get<{ data: { status: string }[] }>('payments');
  return body.data.map(({ status }) => status);
}

describe('npm run demo', () => {
  it(
    'plays the whole story on the embedded Postgres, finds one effect for each operation, and shows it in the console',
    async () => {
      const played = spawnNode(demo, { args: ['--stay'] });
      const ended = played.exit.then(() => null);
      const shown = played.waitForLine(/^(http:\S+)\/ops\/sign-in#(\S+)$/, PATIENCE_MS).catch(() => null);
      const link = await Promise.race([shown, ended]);
      const payments = link && (await paymentsInConsole(link[1]!, link[2]!));
      played.kill('SIGINT');
      const { code } = await played.exit;
      const told = played.output();
      const prose = told.replaceAll(/\s+/g, ' '); // however it was wrapped
      expect({ code, told: code === 0 ? '' : told }).toEqual({ code: 0, told: '' });
      expect(payments).toEqual(expect.arrayContaining(['captured', 'refunded', 'canceled', 'failed']));

      // Answer lost: in doubt, then the same PSP again.
      expect(told).toMatch(/route 1 +adyen +charge +unknown +timeout.*\n.*route 1 +adyen +charge +succeeded/);
      // Down: ruled out with its proof, then the other.
      expect(told).toMatch(/adyen +charge +not_sent +ECONNREFUSED.*\n.*route 2 +stripe +charge +succeeded/);
      expect(prose).toContain('Proof: not_sent (ECONNREFUSED), route 1 at adyen, now ruled_out.');
      expect(told).toMatch(/stripe +charge +declined +do_not_honor.*\n.*route 2 +adyen +charge +succeeded/);
      expect(told).toContain('201 failed (card_lost_or_stolen)');
      expect(prose).toContain('1 × 201, and one call to stripe');
      expect(told).toMatch(/stripe +charge +no answer seen.*\n.*stripe +lookup +succeeded/);
      expect(prose).toContain('when sent once more, the same to the byte');
      expect(prose).toContain('paid nothing: 80.00 EUR were reserved at adyen and released');
      expect(told.match(/ agree$/gm)).toHaveLength(15);
      expect(prose).toContain('then it is answered 409 order_paid, and stripe is never asked.');
      expect(prose).toContain('got back 60.00 USD at stripe, once');
      expect(told).toMatch(/ adyen +notice +succeeded/);
      expect(told).toMatch(/event +payment\.captured, signed, /);
      expect(told).toMatch(/found +amount_mismatch of 0\.07 EUR$/m);
      expect(told).toMatch(/^operations with more than one effect: 0$/m);
      expect(told).toMatch(/^books and ledgers agree: yes$/m);
      expect(told).not.toContain('\u001B[');
      expect(Math.max(...told.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
    },
    PATIENCE_MS,
  );

  it(
    'uses the database that is given, and leaves nothing in it, also when interrupted',
    async () => {
      const database = await freshDatabase();
      const env = { DATABASE_URL: database.url, TMPDIR: temporary };
      try {
        const played = spawnNode(demo, { env });
        await played.waitForLine(/^2 The PSP charges/, PATIENCE_MS);
        expect(played.output()).toContain('on the Postgres of DATABASE_URL');
        expect(await ownDatabases(database.url)).toHaveLength(1);
        played.kill('SIGINT');
        expect((await played.exit).code).toBe(130);
        expect(played.output()).toContain('everything that was started has been stopped');
        expect(await ownDatabases(database.url)).toEqual([]);
        expect(readdirSync(temporary)).toEqual([]);
      } finally {
        await database.drop();
      }
    },
    PATIENCE_MS,
  );

  it(
    'leaves no process behind when it is killed',
    async () => {
      const database = await freshDatabase();
      try {
        const played = spawnNode(demo, { env: { DATABASE_URL: database.url, TMPDIR: temporary } });
        await played.waitForLine(/^1 A plain charge/, PATIENCE_MS);
        const children = childrenOf(played.pid);
        expect(children.length).toBeGreaterThanOrEqual(2); // the simulator and the service
        played.kill('SIGKILL');
        await played.exit;
        const giveUpAt = Date.now() + 20_000;
        while (children.some(isRunning) && Date.now() < giveUpAt) await new Promise((r) => setTimeout(r, 50));
        expect(children.filter(isRunning)).toEqual([]);
      } finally {
        await database.drop();
      }
    },
    PATIENCE_MS,
  );

  it('says in plain words that a database cannot be used', async () => {
    const url = 'postgresql://nobody:secret@127.0.0.1:1/none';
    const played = spawnNode(demo, { env: { DATABASE_URL: url, TMPDIR: temporary } });
    expect((await played.exit).code).toBe(1);
    expect(played.output()).toMatch(/server of DATABASE_URL cannot be used: connect\s+ECONNREFUSED/);
    expect(played.output()).not.toContain('secret');
  });
});

/** Linux only, as is what counts on it. */
function childrenOf(pid: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((each) => new RegExp(`^PPid:\\s+${pid}$`, 'm').test(statusOf(each)));
}

/** A zombie has ended. */
function isRunning(pid: number): boolean {
  return /^State:\s+[^ZX]/m.test(statusOf(pid));
}

/** Empty when there is no such process. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
