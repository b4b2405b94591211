import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
const SERVICE_ROLE = 'payonce_app';

/**
 * One Postgres for the test run: TEST_DATABASE_URL where it is given (a role that may create
 * databases), else an embedded one in a fresh temp directory. Holds a migrated template, which
 * `freshDatabase()` copies.
 */
export default async function globalSetup(): Promise<void> {
  resolveTypeScript();
  const { migrate, openDatabase } = await import('../../src/database/database.js');
  const { migrations } = await import('../../migrations/index.js');
  await packForTests();
  const server = await startServer();

  // Services of tests work with what a service may do, and their tests see everything.
  const password = randomBytes(16).toString('hex');
  const serviceUrl = new URL(server.url);
  [serviceUrl.username, serviceUrl.password] = [SERVICE_ROLE, password];
  await onServer(
    server.url,
    `DO $$ BEGIN IF to_regrole('${SERVICE_ROLE}') IS NULL THEN CREATE ROLE ${SERVICE_ROLE} LOGIN; END IF; END $$`,
    'SET scram_iterations = 1',
    `ALTER ROLE ${SERVICE_ROLE} PASSWORD '${password}'`,
  );
  const template = `payonce_template_${randomBytes(6).toString('hex')}`;
  await onServer(server.url, `CREATE DATABASE ${template}`);
  const database = await openDatabase({
    url: withDatabase(server.url, template),
    entities: [],
    migrations,
    poolSize: 2,
    applicationName: 'payonce-test-setup',
  });
  // What the first start of a worker would do in every database: the schema of the queues.
  const { runMigrations } = await import('bullmq');
  const client = await database.pool.connect();
  await runMigrations(client);
  client.release();
  await migrate(database.dataSource, serviceUrl.href);
  // Workers see tables as they are in service: with statistics, not with a planner's guesses.
  await database.pool.query('ANALYZE');
  await database.close();

  process.env['TEST_SERVER_URL'] = server.url;
  process.env['TEST_SERVICE_URL'] = serviceUrl.href;
  process.env['TEST_TEMPLATE'] = template;
  (globalThis as { stopTestServer?: () => Promise<void> }).stopTestServer = async () => {
    await onServer(server.url, `DROP DATABASE ${template} WITH (FORCE)`);
    await server.stop();
  };
}

/** Packs the parts of the built service that specs run in their worker, see built-service.ts, unless it is packed. */
async function packForTests(): Promise<void> {
  const packed = join(root, 'dist/src/for-tests.cjs');
  const entry = join(root, 'test/support/for-tests.mjs');
  const packedAt = existsSync(packed) ? statSync(packed).mtimeMs : 0;
  const built = ['dist', 'packages/simulator/dist'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => statSync(join(root, folder, name)).mtimeMs),
  );
  if (Math.max(statSync(entry).mtimeMs, ...built) < packedAt) return;
  execFileSync(process.execPath, ['bundle.mjs', entry, packed], {
    cwd: root,
    stdio: 'inherit',
    timeout: 60_000,
  });
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, stop: async () => {} };
  const { startEmbeddedPostgres } = await import('../../src/database/embedded/embedded-postgres.js');

  // Servers of runs that were killed: joining and leaving stops them.
  for (const name of readdirSync(tmpdir())) {
    const pid = /^payonce-test-(\d+)-/.exec(name)?.[1];
    if (!pid || existsSync(`/proc/${pid}`)) continue;
    const left = join(tmpdir(), name);
    if (existsSync(join(left, 'postgres', 'postmaster.pid'))) {
      await startEmbeddedPostgres(left)
        .then((server) => server.release())
        .catch(() => {});
    }
    rmSync(left, { recursive: true, force: true });
  }

  const directory = mkdtempSync(join(tmpdir(), `payonce-test-${process.pid}-`));
  chmodSync(directory, 0o711);
  const server = await startEmbeddedPostgres(directory);
  await spareEffort(server.url);
  return {
    url: server.url,
    stop: async () => {
      tellCost(join(directory, 'postgres', 'postmaster.pid'));
      await server.release();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** For `npm run test:cost`: the CPU seconds of the server, of the sessions that ended and of those that are left. */
function tellCost(pidFile: string): void {
  const folder = process.env['TEST_COST'];
  if (!folder) return;
  const postmaster = readFileSync(pidFile, 'utf8').split('\n', 1)[0]!;
  const statOf = (pid: string) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return stat
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number);
    } catch {
      // A session that ended meanwhile counts with those of its parent.
      return [];
    }
  };
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
  const ticks = [postmaster, ...children].flatMap((pid) => statOf(pid).slice(11, 15));
  const cpu = ticks.reduce((sum, each) => sum + each, 0) / 100;
  const line = { server: true, run: process.env['npm_lifecycle_event'] ?? 'jest', cpu };
  appendFileSync(join(folder, 'server.jsonl'), `${JSON.stringify(line)}\n`);
}

/** No test cuts the power of this machine, and a password that nobody else may try needs no slow hash. */
async function spareEffort(url: string): Promise<void> {
  const { username, password } = new URL(url);
  await onServer(
    url,
    'ALTER SYSTEM SET fsync = off',
    'ALTER SYSTEM SET full_page_writes = off',
    // A hundred databases that live for seconds each are nothing to clean up.
    'ALTER SYSTEM SET autovacuum = off',
    'ALTER SYSTEM SET jit = off',
    'SET scram_iterations = 1',
    `ALTER ROLE ${username} PASSWORD '${decodeURIComponent(password)}'`,
    'SELECT pg_reload_conf()',
  );
}

async function onServer(url: string, ...statements: readonly string[]): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Jest applies moduleNameMapper in tests only; here `./x.js` has to find `./x.ts` by itself. */
function resolveTypeScript(): void {
  type Resolve = (request: string, parent?: { filename?: string }, ...rest: unknown[]) => string;
  const seam = '_resolveFilename';
  const loader = Module as unknown as Record<typeof seam, Resolve>;
  const resolve = loader[seam];
  loader[seam] = (request, parent, ...rest) => {
    const ours = /^\.{1,2}\/.*\.js$/.test(request) && parent?.filename?.endsWith('.ts');
    return resolve.call(Module, ours ? request.replace(/\.js$/, '.ts') : request, parent, ...rest);
  };
}
