import { Client } from 'pg';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  type Database,
  type DatabaseOptions,
  DatabaseUnavailable,
  migrate,
  openDatabase,
} from '../../src/database/database.js';
import { sqlState, sqlStateOf } from '../../src/database/sql-state.js';
import { Lane } from '../../src/database/commit/lane.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';

class Ledger1800000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ledger (id bigint PRIMARY KEY, amount bigint CHECK (amount > 0), at timestamptz);
      CREATE TABLE ledger_line (id int PRIMARY KEY, ledger_id bigint NOT NULL REFERENCES ledger (id));
      SELECT pg_sleep(0.2);
    `);
  }
  async down(): Promise<void> {}
}
class LedgerNote1800000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ledger ADD note text');
  }
  async down(): Promise<void> {}
}
class Broken1800000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE half (id int)');
    await runner.query('SELECT nonsense');
  }
  async down(): Promise<void> {}
}

let fresh: FreshDatabase;
const opened: Database[] = [];

async function open(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = await openDatabase({
    url: fresh.url,
    entities: [],
    migrations: [Ledger1800000000001, LedgerNote1800000000002],
    poolSize: 2,
    applicationName: 'database-spec',
    ...options,
  });
  opened.push(database);
  return database;
}

beforeEach(async () => (fresh = await freshDatabase()));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await fresh.drop();
});

describe('migrate', () => {
  it('runs what is pending, in order, once', async () => {
    const { dataSource } = await open();
    expect(await migrate(dataSource)).toEqual(['Ledger1800000000001', 'LedgerNote1800000000002']);
    expect(await migrate(dataSource)).toEqual([]);
  });

  it('is done by one of ten that start at once', async () => {
    const databases = await Promise.all(Array.from({ length: 10 }, () => open()));
    const ran = await Promise.all(databases.map(({ dataSource }) => migrate(dataSource)));
    expect(ran.filter((names) => names.length > 0)).toEqual([
      ['Ledger1800000000001', 'LedgerNote1800000000002'],
    ]);
  });

  it('leaves nothing of a migration that fails, nor its lock, and keeps those before it', async () => {
    const broken = await open({ migrations: [Ledger1800000000001, Broken1800000000003] });
    await expect(migrate(broken.dataSource)).rejects.toThrow(/nonsense/);
    const { rows } = await broken.pool.query(
      `SELECT to_regclass('ledger') AS whole, to_regclass('half') AS half`,
    );
    expect(rows).toEqual([{ whole: 'ledger', half: null }]);
    const mended = await open();
    expect(await migrate(mended.dataSource)).toEqual(['LedgerNote1800000000002']);
  });

  it('leaves its connection as it found it', async () => {
    const { dataSource, pool } = await open();
    await migrate(dataSource);
    const { rows } = await pool.query(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`,
    );
    expect(rows).toEqual([{ statement: '10s', lock: '0' }]);
  });
});

describe('the pool', () => {
  it('reads int8 as numbers and times as Dates, through TypeORM too', async () => {
    const { pool, dataSource } = await open();
    const sql = `SELECT 9007199254740991::int8 AS big, '2026-01-01T01:00:00+01'::timestamptz AS at, ARRAY['a'] AS list`;
    const row = { big: Number.MAX_SAFE_INTEGER, at: new Date('2026-01-01'), list: ['a'] };
    expect((await pool.query(sql)).rows).toEqual([row]);
    expect(await dataSource.query(sql)).toEqual([row]);
  });

  it('refuses to round an int8 past 2^53', async () => {
    const { pool } = await open();
    await expect(pool.query('SELECT 9007199254740993::int8 AS big')).rejects.toThrow(/past 2\^53/);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('is bounded, and is the one that TypeORM uses', async () => {
    const { pool, dataSource } = await open({ poolSize: 3 });
    const sleep = 'SELECT pg_sleep(0.01)';
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? pool.query(sleep) : dataSource.query(sleep))),
    );
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'database-spec'`,
    );
    expect(rows[0]!.n).toBe(3);
  });

  it('lets no statement and no idle transaction run on', async () => {
    const { pool } = await open();
    const { rows } = await pool.query(
      `SELECT current_setting('statement_timeout') AS statement,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    expect(rows).toEqual([{ statement: '10s', idle: '10s' }]);
  });

  it('survives a connection that is cut while idle', async () => {
    const { pool } = await open();
    const other = await open();
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await other.pool.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});

describe('commits are durable', () => {
  const IS_ON = `SELECT ARRAY[(current_setting('synchronous_commit') = 'on')::int]`;
  const nameOf = () => new URL(fresh.url).pathname.slice(1);

  it.each([
    ['database', () => `ALTER DATABASE ${nameOf()} SET synchronous_commit = off`],
    ['role', () => `ALTER ROLE CURRENT_USER IN DATABASE ${nameOf()} SET synchronous_commit = local`],
  ])('where the %s says otherwise: in the pool, through TypeORM and in a lane', async (_what, lower) => {
    await (await open()).pool.query(lower());
    const plain = new Client({ connectionString: fresh.url });
    await plain.connect();
    const lane = new Lane(fresh.url, 'database-spec');
    try {
      expect((await plain.query({ text: IS_ON, rowMode: 'array' })).rows).toEqual([[[0]]]);
      const { pool, dataSource } = await open({ poolSize: 3 });
      const all = await Promise.all([1, 2, 3].map(() => pool.query(`${IS_ON} AS on, pg_sleep(0.05)`)));
      expect(all.map(({ rows }) => rows[0].on)).toEqual([[1], [1], [1]]);
      expect(await dataSource.query(`${IS_ON} AS on`)).toEqual([{ on: [1] }]);
      expect(await lane.run('is-on', IS_ON, [])).toEqual([1]);
    } finally {
      await Promise.all([plain.end(), lane.close()]);
    }
  });
});

describe('sqlStateOf', () => {
  const cases: [keyof typeof sqlState, string][] = [
    ['UNIQUE_VIOLATION', 'INSERT INTO ledger VALUES (1, 5), (1, 5)'],
    ['CHECK_VIOLATION', 'INSERT INTO ledger VALUES (1, 0)'],
    ['FOREIGN_KEY_VIOLATION', 'INSERT INTO ledger_line VALUES (1, 7)'],
    ['NOT_NULL_VIOLATION', 'INSERT INTO ledger_line VALUES (1, NULL)'],
    ['QUERY_CANCELED', `SET statement_timeout = 10; SELECT pg_sleep(1)`],
  ];
  it.each(cases)('knows %s, from pg and from TypeORM', async (name, sql) => {
    const { dataSource, pool } = await open();
    await migrate(dataSource);
    for (const work of [() => dataSource.query<unknown>(sql), () => pool.query(sql)]) {
      const error: unknown = await work().then(
        () => null,
        (error: unknown) => error,
      );
      expect(sqlStateOf(error)).toBe(sqlState[name]);
    }
  });

  it.each([[null], [undefined], ['23505'], [new Error('x')], [{ code: 'ECONNREFUSED' }]])(
    'finds none in %p',
    (error) => expect(sqlStateOf(error)).toBeUndefined(),
  );
});

describe('openDatabase', () => {
  async function refusal(url: string): Promise<Error> {
    const error: unknown = await open({ url }).then(
      () => null,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    return error as Error;
  }

  it('names host and port of a database that cannot be reached, not the password', async () => {
    const { message } = await refusal('postgresql://pay:hunter2@127.0.0.1:1/books');
    expect(message).toContain('127.0.0.1:1/books as pay');
    expect(message).toContain('ECONNREFUSED');
    expect(message).not.toContain('hunter2');
  });

  it('names what the server said', async () => {
    const wrong = new URL(fresh.url);
    wrong.password = 'hunter2';
    const { message } = await refusal(wrong.href);
    expect(message).toContain(`:${wrong.port}/`);
    expect(message).toMatch(/password authentication failed/);
    expect(message).not.toContain('hunter2');
  });

  it.each(['hunter2', 'http://pay:hunter2@db/books', ''])(
    'refuses what is no address of a Postgres',
    async (url) => {
      const { message } = await refusal(url);
      expect(message).toContain('postgresql://');
      expect(message).not.toContain('hunter2');
    },
  );
});
