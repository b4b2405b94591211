import { randomUUID } from 'node:crypto';
import { entities } from '../../src/entities.js';
import { SystemClock } from '../../src/core/clock.js';
import { commitOf, insert } from '../../src/core/change.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { sqlStateOf } from '../../src/database/sql-state.js';
import { StoreUnavailable } from '../../src/database/store-unavailable.js';
import { payments } from '../../src/payments/payment.table.js';
import { eventually } from '../support/eventually.js';
import { paymentFixture } from '../support/fixtures.js';
import { onDatabase } from '../support/database.js';
import { PostgresServer } from '../support/postgres-server.js';

/** A primary whose synchronous standby is away: each commit waits, until an administrator cancels its wait. */
let server: PostgresServer;
let opened: Database;
let store: PostgresStore;

beforeAll(async () => {
  server = await PostgresServer.start();
  opened = await openDatabase({
    url: server.url,
    entities,
    migrations: [],
    poolSize: 2,
    applicationName: 'unreplicated-spec',
  });
  const { pool } = opened;
  const clock = new SystemClock();
  store = new PostgresStore({
    url: server.url,
    pool,
    tenantPool: pool,
    clock,
    random: Math.random,
    lanes: 1,
  });
  await pool.query('CREATE TABLE written (what text)');
  await pool.query("ALTER SYSTEM SET synchronous_standby_names = 'away'");
  await pool.query('SELECT pg_reload_conf()');
  const isSet = async () => {
    const { rows } = await pool.query<{ names: string }>(
      "SELECT current_setting('synchronous_standby_names') AS names",
    );
    return rows[0]!.names === 'away';
  };
  await eventually(isSet, 'the setting is read');
});
afterAll(async () => {
  await store.close();
  await opened.close();
  await server.drop();
});

/** Cancels the wait of the one commit that waits for the standby. */
const cancelWait = () =>
  onDatabase(server.url, (client) =>
    eventually(async () => {
      const { rowCount } = await client.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
      );
      return (rowCount ?? 0) > 0;
    }, 'a commit waits for the standby'),
  );

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const [{ reason }] = (await Promise.allSettled([work, cancelWait()])) as [PromiseRejectedResult, unknown];
  return reason;
}

it('takes a commit of the store whose wait was cancelled for one in doubt, and reads it when it is asked', async () => {
  const payment = paymentFixture({ merchantId: randomUUID(), id: randomUUID() });
  const error = await failureOf(store.commit(commitOf(insert(payments, payment))));
  expect(error).toBeInstanceOf(StoreUnavailable);
  expect(await store.find(payments, { merchantId: payment.merchantId, id: payment.id })).toHaveLength(1);
});

it('takes a statement of the pool for one in doubt, too', async () => {
  const error = await failureOf(opened.pool.query("INSERT INTO written VALUES ('alone')"));
  expect(sqlStateOf(error)).toBe('08007');
  expect((await opened.pool.query("SELECT FROM written WHERE what = 'alone'")).rowCount).toBe(1);
});

it('takes a transaction for one in doubt, too', async () => {
  const error = await failureOf(
    opened.dataSource.transaction((manager) => manager.query("INSERT INTO written VALUES ('together')")),
  );
  expect(sqlStateOf(error)).toBe('08007');
  expect((await opened.pool.query("SELECT FROM written WHERE what = 'together'")).rowCount).toBe(1);
});
