import { openDatabase } from '../../src/database/database.js';
import { PgBouncer } from '../support/pgbouncer.js';
import { describeWith } from '../support/program.js';
import { ApiClient, eventually, orderOf, TestEnvironment } from '../support/test-environment.js';

/** Servers that a start is refused by, and poolers that it goes through. */
let environment: TestEnvironment;
beforeAll(async () => (environment = await TestEnvironment.open()));
afterAll(() => environment.close());

const startAt = (databaseUrl: string) => environment.start({ role: 'all', databaseUrl });

it('refuses a database that takes no writes, whose state can still be shown', async () => {
  const name = new URL(environment.database.url).pathname.slice(1);
  await environment.sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  try {
    const started = startAt(environment.database.serviceUrl);
    await expect(started).rejects.toThrow('takes no writes');
    expect(await environment.command('status')).toHaveProperty('schema');
  } finally {
    await environment.sql(`SET default_transaction_read_only = off`);
    await environment.sql(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  }
});

describeWith('pgbouncer', 'behind PgBouncer', () => {
  let pooler: PgBouncer;
  afterEach(() => pooler.stop());

  it('takes a payment and runs its jobs in session mode', async () => {
    pooler = await PgBouncer.start(environment.database, 'session');
    const url = pooler.urlOf(environment.database.serviceUrl);
    const [service, apiKey] = [await startAt(url), await environment.merchant()];
    environment.notify(service.url);
    const paid = await new ApiClient(() => service.url, apiKey).post('/v1/payments', orderOf(), 'pooled-1');
    expect(paid.status).toBe(201);
    const isApplied = () =>
      environment.sql("SELECT FROM webhook_inbox WHERE state = 'applied'").then(({ length }) => length > 0);
    await eventually(isApplied, 'a notification is applied, by a job');
    expect(service.output()).not.toContain('the queue is in trouble');
    await service.stop();
  });

  it('keeps the limits of its sessions, which PgBouncer takes from no connection', async () => {
    pooler = await PgBouncer.start(environment.database, 'session');
    const database = await openDatabase({
      url: pooler.urlOf(environment.database.serviceUrl),
      entities: [],
      migrations: [],
      poolSize: 2,
      applicationName: 'limits',
    });
    const { rows } = await database.pool.query<object>('SHOW statement_timeout');
    await database.close();
    expect(rows).toEqual([{ statement_timeout: '10s' }]);
  });

  it('refuses transaction mode with a sentence that says what to set', async () => {
    pooler = await PgBouncer.start(environment.database, 'transaction');
    const started = startAt(pooler.urlOf(environment.database.serviceUrl));
    await expect(started).rejects.toThrow('pool_mode = session');
  });
});
