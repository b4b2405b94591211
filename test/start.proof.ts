import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FreshDatabase, freshDatabase } from './support/database.js';
import { spawnNode } from './support/process.js';
import { eventually } from './support/test-environment.js';

/** What a process takes before its first request. The figures are in docs/performance.md. */
const root = join(__dirname, '..');
const BUNDLE = 'dist/src/main.cjs';
/** A process keeps the source it runs. */
const MAX_BUNDLE_BYTES = 8_200_000;
/** 137 MB were seen, 162 on a busy machine; the young generation of the start is given back within a minute, which leaves 118. */
const MAX_RSS_MB = 160;
const PATIENCE_MS = 150_000;

let database: FreshDatabase;
beforeAll(async () => (database = await freshDatabase()));
afterAll(() => database.drop());

it('packs no driver of another database', () => {
  // Long lines are broken inside strings, too.
  const source = readFileSync(join(root, BUNDLE), 'utf8').replaceAll('\\\n', '');
  const unpacked = Array.from(source.matchAll(/(\w+) is not packed/g), ([, name]) => name);
  expect(unpacked).toEqual(expect.arrayContaining(['MysqlDriver', 'OracleDriver', 'SqlServerDriver']));
  expect(unpacked).not.toContain('PostgresDriver');
  expect(statSync(join(root, BUNDLE)).size).toBeLessThan(MAX_BUNDLE_BYTES);
});

it(
  'is ready with little memory',
  async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: { start: string };
    };
    const flags = scripts.start.match(/--[a-z0-9-]+=\S+/g) ?? [];
    const service = spawnNode(BUNDLE, {
      env: {
        NODE_OPTIONS: flags.join(' '),
        DATABASE_URL: database.url,
        PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
        PAYONCE_SIMULATOR: 'external',
        PAYONCE_PSPS_FILE: join(root, 'docker/psps.json'),
        STRIPE_WEBHOOK_SECRET: 'whsec_of_the_spec',
        ADYEN_HMAC_KEY: '5a'.repeat(32),
        PORT: '0',
        GRPC_PORT: 'off',
      },
    });
    await service.waitForLine(/payonce is ready/);
    const memoryMb = async () => {
      await sleep(500);
      return (
        Number(execFileSync('ps', ['-o', 'rss=', '-p', String(service.pid)], { encoding: 'utf8' })) / 1_024
      );
    };
    // A busy machine leaves Node no idle time in which it gives memory back.
    await eventually(async () => (await memoryMb()) < MAX_RSS_MB, `less than ${MAX_RSS_MB} MB`, PATIENCE_MS);
    service.kill('SIGTERM');
    expect((await service.exit).code).toBe(0);
  },
  2 * PATIENCE_MS,
);
