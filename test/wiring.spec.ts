import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { AppModule, type Role, type Settings } from '../src/app.module.js';
import { createApplication } from '../src/application.js';
import { ConfigError, loadConfig } from '../src/config/config.js';
import { PostgresStore } from '../src/database/commit/postgres-store.js';
import { ProcessSession } from '../src/database/process-session.js';
import { entities } from '../src/entities.js';
import { createLogger } from '../src/http/logger.js';
import { JobRegistry } from '../src/jobs/job-registry.js';
import { JobsWorker } from '../src/jobs/jobs-worker.module.js';
import { CallersService } from '../src/merchants/callers.service.js';
import { PspDirectory } from '../src/psp/psp-directory.js';
import { defaultPsps } from '../src/psp/psps-file.js';
import { OperationRegistry } from '../src/request-storage/operation-registry.js';
import { type FreshDatabase, freshDatabase } from './support/database.js';

const ID = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42';
const sealKeyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');

/** The application as Nest wires it, over a database of its own, with nothing started. */
let database: FreshDatabase;
let app: INestApplicationContext | null = null;

beforeAll(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  await app?.close();
  app = null;
});
afterAll(() => database.drop());

function settings(env: Readonly<Record<string, string>> = {}): Settings {
  return {
    config: loadConfig({
      DATABASE_URL: database.url,
      PAYONCE_SIMULATOR: 'external',
      PAYONCE_SEAL_KEY: sealKeyOf(7),
      ...env,
    }),
    psps: defaultPsps({ stripe: 'http://127.0.0.1:1', adyen: 'http://127.0.0.1:1' }),
    logger: createLogger({ level: 'silent' }),
  };
}

async function connections(): Promise<number> {
  const client = new Client({ connectionString: process.env['TEST_SERVER_URL']! });
  await client.connect();
  const { rowCount } = await client.query('SELECT FROM pg_stat_activity WHERE datname = $1', [
    new URL(database.url).pathname.slice(1),
  ]);
  await client.end();
  return rowCount!;
}

it.each<[Role, { works: boolean; serves: boolean }]>([
  ['all', { works: true, serves: true }],
  ['api', { works: false, serves: true }],
  ['worker', { works: true, serves: false }],
  ['commands', { works: false, serves: false }],
])('the role %s has what it is for', async (role, { works, serves }) => {
  const created = (app = await createApplication(role, settings()));
  const has = (token: typeof JobsWorker | typeof CallersService) => {
    try {
      return created.get<object>(token) instanceof token;
    } catch {
      return false;
    }
  };
  expect({ works: has(JobsWorker), serves: has(CallersService) }).toEqual({ works, serves });
});

it('knows the owner of every operation, the tasks of every module, and the entities', async () => {
  app = await createApplication('all', settings());
  const registry = app.get(OperationRegistry);
  expect(registry.of(`payment-${ID}-charge`)).not.toBe(registry.of(`payout-${ID}-send`));
  const names = app.get(JobRegistry).periodicTasks.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'completer',
      'duplicates',
      'events',
      'ledger',
      'orphans-adyen',
      'reaper',
      'reconciliation',
      'resolver-stripe',
    ]),
  );
  expect(names).toContain('webhook-inbox');
  const named = app.get(DataSource).entityMetadatas.map(({ target }) => target);
  expect(new Set(named)).toEqual(new Set(entities));
});

it('closes the store, then the session that shows that it lives, then the connections', async () => {
  const closed: string[] = [];
  const spies = [
    jest.spyOn(PostgresStore.prototype, 'close').mockName('store'),
    jest.spyOn(ProcessSession.prototype, 'close').mockName('session'),
    jest.spyOn(DataSource.prototype, 'destroy').mockName('connections'),
  ];
  try {
    const created = await createApplication('commands', settings());
    await created.close();
    const calls = spies.flatMap((spy) =>
      spy.mock.invocationCallOrder.map((order) => ({ order, name: spy.getMockName() })),
    );
    closed.push(...calls.toSorted((a, b) => a.order - b.order).map(({ name }) => name));
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  // Those of requests of merchants, and all others.
  expect(closed).toEqual(['store', 'session', 'connections', 'connections']);
  expect(await connections()).toBe(0);
});

it('leaves nothing open where it is refused the database', async () => {
  await expect(
    createApplication('commands', settings({ PAYONCE_SEAL_KEY: sealKeyOf(8) })),
  ).rejects.toBeInstanceOf(ConfigError);
  expect(await connections()).toBe(0);
});

it('is a module of Nest, in which a test replaces what it likes', async () => {
  const psps = { names: () => ['pretended'], has: () => false };
  const module = await Test.createTestingModule({ imports: [AppModule.forRole('commands', settings())] })
    .overrideProvider(PspDirectory)
    .useValue(psps)
    .compile();
  app = module;
  expect(module.get(PspDirectory).names()).toEqual(['pretended']);
});
