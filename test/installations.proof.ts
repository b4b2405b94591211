import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { migrations } from '../migrations/index.js';
import { type FreshDatabase, freshDatabase } from './support/database.js';
import { payonceCommand, type Ran } from './support/payonce-command.js';
import { spawnNode } from './support/process.js';

/** Commands and starts speak of one installation, say which, and change none that they were not told to. */
const last = migrations.at(-1)!.name;
let folder: string;
let fresh: FreshDatabase;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payonce-folder-'));
  fresh = await freshDatabase();
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await fresh.drop();
});

async function run(entry: string, line: string, env: Record<string, string>) {
  const child = spawnNode(entry, { args: line.split(' ').filter(Boolean), env, cwd: folder });
  const { code } = await child.exit;
  const stdout = child.stdout();
  return { code, stdout, stderr: child.output().replace(stdout, '') };
}
/** In this process, which spares a start for each line, and in the folder. */
async function payonce(
  line: string,
  env: Record<string, string> = { DATABASE_URL: fresh.url },
): Promise<Ran> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await payonceCommand(line, env);
  } finally {
    process.chdir(before);
  }
}
const codeOf = (stderr: string) => (JSON.parse(stderr) as { error: { code: string } }).error.code;

async function sql(text: string, values: readonly unknown[] = []): Promise<unknown[]> {
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

describe('a folder without an installation', () => {
  it.each(['stuck list', 'breaks list', 'merchants list', 'merchants create --name Shop', 'tasks list'])(
    'is left as it is by payonce %s, which says so',
    async (line) => {
      const { code, stdout, stderr } = await payonce(line, {});
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(join(folder, '.payonce'));
      expect(stderr).toContain('npx payonce migrate');
      expect(existsSync(join(folder, '.payonce'))).toBe(false);
      expect(codeOf((await payonce(`${line} --json`, {})).stderr)).toBe('no_installation');
    },
  );

  it('is not made by a plan, which names every migration', async () => {
    const { code, stdout } = await payonce('migrate --plan --json', {});
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ pending: migrations.map(({ name }) => name) });
    expect(existsSync(join(folder, '.payonce'))).toBe(false);
  });

  it('is no installation either where a database is empty, until it is migrated', async () => {
    await sql('DROP SCHEMA public, payonce_audit CASCADE');
    await sql('CREATE SCHEMA public');
    expect(codeOf((await payonce('stuck list --json')).stderr)).toBe('no_installation');
    expect(await sql("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    expect(JSON.parse((await payonce('migrate --json')).stdout)).toEqual({
      migrated: migrations.map(({ name }) => name),
    });
    expect((await payonce('stuck list --json')).stdout).toBe('[]\n');
  });
});

describe('payonce', () => {
  it('says which installation answered, to people', async () => {
    const { host, pathname } = new URL(fresh.url);
    const { stdout, stderr } = await payonce('stuck list');
    expect(stdout).toBe('None.\n');
    expect(stderr).toContain(`payonce: this is ${host}${pathname}`);
    expect((await payonce('stuck list --json')).stderr).toBe('');
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(resolve(__dirname, '../package.json'), 'utf8')) as {
      version: string;
    };
    expect(await run('bin/payonce.mjs', '--version', {})).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});

describe('a schema of another version', () => {
  const start = (env: Record<string, string> = {}) =>
    run('dist/src/main.cjs', '', {
      DATABASE_URL: fresh.url,
      PORT: '0',
      GRPC_PORT: 'off',
      PAYONCE_SIMULATOR: 'on',
      PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...env,
    });

  it('is worked with where a newer one says that this one can', async () => {
    const works = `AddsSomethingBeside${last.slice(-4)}1800000009999`;
    await sql('INSERT INTO schema_migrations (timestamp, name) VALUES (9, $1)', [works]);
    expect(await payonce('stuck list --json')).toMatchObject({ code: 0 });
    expect(JSON.parse((await payonce('migrate --plan --json')).stdout)).toEqual({ pending: [] });
    await sql('UPDATE schema_migrations SET name = $2 WHERE name = $1', [
      works,
      works.replace(last.slice(-4), '9998'),
    ]);
    const { code, stderr } = await payonce('stuck list --json');
    expect([code, codeOf(stderr)]).toEqual([1, 'schema_too_new']);
    await sql('DELETE FROM schema_migrations WHERE timestamp = 9');
  });

  it('is refused where it is newer, by commands, by migrate and by a start', async () => {
    await sql(`INSERT INTO schema_migrations (timestamp, name) VALUES (9, 'FromTheFuture9')`);
    for (const line of ['stuck list', 'migrate', 'migrate --plan']) {
      const { code, stderr } = await payonce(`${line} --json`);
      expect([code, codeOf(stderr)]).toEqual([1, 'schema_too_new']);
      expect(stderr).toContain('FromTheFuture9');
    }
    const { code, stderr } = await start();
    expect(code).toBe(1);
    expect(stderr).toContain('FromTheFuture9');
  });

  it('is refused where it is older, and left so, by commands and by a start with PAYONCE_MIGRATE=off', async () => {
    await sql('DELETE FROM schema_migrations WHERE name = $1', [last]);
    const { code, stderr } = await payonce('stuck list --json');
    expect([code, codeOf(stderr)]).toEqual([1, 'schema_outdated']);
    expect(JSON.parse((await payonce('migrate --plan --json')).stdout)).toEqual({ pending: [last] });
    const refused = await start({ PAYONCE_MIGRATE: 'off' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(new RegExp(`lacks ${last}.*npx payonce migrate`));
    expect(await sql('SELECT 1 FROM schema_migrations WHERE name = $1', [last])).toEqual([]);
  });
});
