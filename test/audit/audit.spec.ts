import { parse } from 'csv-parse/sync';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrations } from '../../migrations/index.js';
import { migrate, openDatabase } from '../../src/database/database.js';
import { type ChainedRecord, hashOf } from '../../src/audit/audit-chain.js';
import { type AuditRow } from '../../src/audit/audit.view.js';
import { type PageView } from '../../src/core/page.view.js';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import { onDatabase } from '../support/database.js';
import {
  ApiClient,
  orderOf,
  paymentOf,
  sealKey,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** What people do and look at is chained, and a change of the chain is found. */
let environment: TestEnvironment;
let service: Service;
let ada: ConsoleClient;
let vic: ConsoleClient;
let paymentId: string;
const url = () => service.url;
const folder = temporaryFolder();

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start();
  const shop = new ApiClient(url, await environment.merchant());
  ada = await ConsoleClient.signedIn(url, await newOperator(environment, 'ada', 'operator'));
  vic = await ConsoleClient.signedIn(url, await newOperator(environment, 'vic', 'viewer'));
  paymentId = paymentOf(
    await shop.post('/v1/payments', orderOf({ first: 'stripe', reference: 'a' }), 'a'),
  ).id;
});
afterAll(() => environment.close());

interface Verified {
  readonly rows?: number;
  readonly guarded?: boolean;
  readonly anchor?: string;
  readonly error?: { readonly message: string };
}
const verify = (...args: readonly string[]) =>
  environment.command('audit', 'verify', ...args) as Promise<Verified>;
const newest = async () => (await vic.get<PageView<AuditRow>>('audit')).body.data;

it('holds who did or saw what, from where, and what it came to; also what was refused', async () => {
  await ada.get(`payments/${paymentId}`);
  const { merchant_id } = (await vic.get<{ payment: { merchant_id: string } }>(`payments/${paymentId}`)).body
    .payment;
  const charge = { merchant_id, entity_key: `payment-${paymentId}-charge` };
  expect((await ada.post('operations/retry', charge)).status).toBe(409);
  expect((await vic.post('operations/retry', charge)).status).toBe(403);
  const rows = await newest();
  const local = expect.stringMatching(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/) as unknown;
  expect(
    rows.map(({ actor, action, subject, source_address: from, result }) => [
      actor.replace(/^cli:.*/, 'cli'),
      action,
      subject.replace(/^operator:.*/, 'operator'),
      from,
      result,
    ]),
  ).toEqual([
    ['operator:vic', 'console.requested', 'POST /ops/api/operations/retry', local, '403 forbidden'],
    ['operator:ada', 'console.requested', 'POST /ops/api/operations/retry', local, '409 invalid_state'],
    ['operator:vic', 'payment.viewed', `payment:${paymentId}`, local, 'done'],
    ['operator:ada', 'payment.viewed', `payment:${paymentId}`, local, 'done'],
    ['operator:vic', 'operator.signed_in', 'operator', local, 'done'],
    ['cli', 'operator.created', 'operator', null, 'done'],
    ['operator:ada', 'operator.signed_in', 'operator', local, 'done'],
    ['cli', 'operator.created', 'operator', null, 'done'],
  ]);
});

it('has no gap where many write at once, nor by what is rolled back', async () => {
  const insert = `INSERT INTO audit_records SELECT gen_random_uuid(), gen_random_uuid(), now(), 'operator:ada', 'x.done',
    'x:' || n, '{}' FROM generate_series(1, 5) n`;
  const write = (end: 'COMMIT' | 'ROLLBACK') =>
    onDatabase(environment.database.url, async (client) => {
      await client.query('BEGIN');
      await client.query(insert);
      await client.query(end);
    });
  await Promise.all(Array.from({ length: 12 }, (_, n) => write(n % 3 === 0 ? 'ROLLBACK' : 'COMMIT')));
  expect(await verify()).toMatchObject({ rows: 8 + 8 * 5 });
});

it('does not hold what merchants and the service itself do', async () => {
  const before = (await verify()).rows;
  await environment.sql(
    `INSERT INTO audit_records VALUES (gen_random_uuid(), gen_random_uuid(), now(), 'api-key:1', 'x.done', 'x:1', '{}')`,
  );
  expect((await verify()).rows).toBe(before);
});

describe('a chain that someone changed who may do everything in the database', () => {
  /** Its rows as they were; a superuser puts the guards aside. */
  const tampered = async (sql: string, ...args: readonly string[]) => {
    const both = (how: string) =>
      environment.sql(
        `ALTER TABLE payonce_audit.records ${how} TRIGGER USER; ALTER TABLE payonce_audit.witness ${how} TRIGGER USER`,
      );
    await environment.sql('CREATE TABLE kept_records AS TABLE payonce_audit.records');
    await environment.sql('CREATE TABLE kept_witness AS TABLE payonce_audit.witness');
    await both('DISABLE');
    try {
      await environment.sql(sql);
      return await verify(...args);
    } finally {
      await environment.sql(`
        DELETE FROM payonce_audit.records; INSERT INTO payonce_audit.records TABLE kept_records; DROP TABLE kept_records;
        DELETE FROM payonce_audit.witness; INSERT INTO payonce_audit.witness TABLE kept_witness; DROP TABLE kept_witness`);
      await both('ENABLE');
      expect((await verify()).error).toBeUndefined();
    }
  };
  const broken = (number: number, what: string) => ({
    error: { code: 'invalid_state', message: `Row ${number} of the audit chain: ${what}.` },
  });
  const rows = 'payonce_audit.records';
  /** Every hash from row 3 on made anew, as one does who knows how. */
  const rehashed = `
    DO $$ DECLARE r ${rows}; last bytea; BEGIN
      SELECT hash INTO last FROM ${rows} WHERE number = 2;
      FOR r IN SELECT * FROM ${rows} WHERE number > 2 ORDER BY number LOOP
        r.hash := sha256(last || convert_to(payonce_audit.field(r.number::text) ||
          payonce_audit.field(to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ||
          payonce_audit.field(r.actor) || payonce_audit.field(r.action) || payonce_audit.field(r.subject) ||
          payonce_audit.field(r.merchant_id::text) || payonce_audit.field(r.source_address) ||
          payonce_audit.field(r.result) || payonce_audit.field(r.detail), 'UTF8'));
        UPDATE ${rows} SET hash = r.hash, previous = last WHERE number = r.number;
        last := r.hash;
      END LOOP; END $$`;

  it.each([
    ['an edit', `UPDATE ${rows} SET actor = 'operator:ben' WHERE number = 3`, 3, 'it was changed'],
    ['a deletion', `DELETE FROM ${rows} WHERE number = 3`, 3, 'it is missing, and others follow it'],
    [
      'another order',
      `UPDATE ${rows} SET number = CASE number WHEN 3 THEN 1000 ELSE 3 END WHERE number IN (3, 5);
       UPDATE ${rows} SET number = 5 WHERE number = 1000`,
      3,
      'it does not follow the row before it',
    ],
    [
      'a tail that is cut off',
      `DELETE FROM ${rows} WHERE number > 6`,
      7,
      'it and all that follow it are cut off',
    ],
    [
      'a row put in',
      `INSERT INTO ${rows} SELECT 100, at, actor, action, subject, merchant_id, source_address, result, detail, hash, hash FROM ${rows} WHERE number = 48`,
      49,
      'it is missing, and others follow it',
    ],
    [
      'an edit with all hashes made anew',
      `UPDATE ${rows} SET actor = 'operator:ben' WHERE number = 3; ${rehashed}`,
      3,
      'it was written anew',
    ],
  ])('names the first row that %s breaks', async (_, sql, number, what) => {
    expect(await tampered(sql)).toEqual(broken(number, what));
  });

  it('finds by an anchor what was cut off or written anew on both sides', async () => {
    const { anchor, rows: count } = await verify();
    const witness = 'payonce_audit.witness';
    const cut = `DELETE FROM ${rows} WHERE number > 6; DELETE FROM ${witness} WHERE number > 6`;
    expect((await tampered(cut)).rows).toBe(6);
    expect(await tampered(cut, '--anchor', anchor!)).toEqual(
      broken(7, 'it and all that follow it are cut off, as the anchor shows'),
    );
    const anew = `UPDATE ${rows} SET actor = 'operator:ben' WHERE number = 3; ${rehashed};
      UPDATE ${witness} w SET hash = r.hash FROM ${rows} r WHERE r.number = w.number`;
    expect((await tampered(anew)).rows).toBe(count);
    expect(await tampered(anew, '--anchor', anchor!)).toEqual(
      broken(count!, 'it, or one before it, was written anew, as the anchor shows'),
    );
    const forged = anchor!.replace(/:(\d+):/, ':1:');
    expect((await verify('--anchor', forged)).error?.message).toMatch(/that this installation has signed/);
    expect(await environment.command('audit', 'anchor')).toEqual({ anchor });
  });
});

it('cannot be overruled by a role that may do everything with the tables of the service', async () => {
  const { pathname } = new URL(environment.database.url);
  const role = `app_${pathname.slice(-12)}`;
  await environment.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'app' NOSUPERUSER;
    GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}; GRANT ALL ON SCHEMA public TO ${role}`);
  const asApp = new URL(environment.database.url);
  asApp.username = role;
  asApp.password = 'app';
  const client = new Client({ connectionString: asApp.href });
  await client.connect();
  try {
    const [{ count: before }] = (await environment.sql<{ count: number }>(
      'SELECT count(*)::int FROM payonce_audit.records',
    )) as [{ count: number }];
    for (const sql of [
      `UPDATE payonce_audit.records SET actor = 'operator:ben'`,
      'DELETE FROM payonce_audit.records',
      'TRUNCATE payonce_audit.records',
      'DELETE FROM payonce_audit.witness',
      `INSERT INTO payonce_audit.records SELECT * FROM payonce_audit.records`,
      `INSERT INTO payonce_audit.witness VALUES (1000, sha256('x'))`,
      `SELECT payonce_audit.testify(1000, sha256('x'))`,
      `SELECT payonce_audit.append(now(), 'operator:ben', 'x', 'x', gen_random_uuid(), NULL, 'done', '{}')`,
      'ALTER TABLE payonce_audit.records DISABLE TRIGGER ALL',
      'ALTER TABLE audit_records DISABLE TRIGGER audit_records_chained',
      'DROP TRIGGER audit_records_chained ON audit_records',
      `CREATE OR REPLACE FUNCTION payonce_audit.chain() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
      'DROP SCHEMA payonce_audit CASCADE',
      'SET ROLE payonce_audit',
      'SET ROLE payonce_audit_witness',
      `SET session_replication_role = 'replica'`,
    ]) {
      await expect(client.query(sql)).rejects.toThrow(/permission denied|must be owner|append-only/);
    }
    // A session of a merchant's client reads none of it, not even what is about that merchant.
    const merchants = await environment.sql<{ id: string }>('SELECT id FROM merchants');
    for (const tenants of ['', `{${merchants.map(({ id }) => id).join()}}`]) {
      await client.query(`SELECT set_config('payonce.tenants', $1, false)`, [tenants]);
      expect((await client.query('SELECT FROM payonce_audit.records')).rowCount).toBe(0);
    }
    await client.query("SET payonce.tenants = '*'");
    await client.query(
      `INSERT INTO audit_records VALUES (gen_random_uuid(), gen_random_uuid(), now(), 'operator:ada', 'x.done', 'x:1', '{}')`,
    );
    const seen = await client.query('SELECT number FROM payonce_audit.records ORDER BY number');
    expect(seen.rows).toHaveLength(before + 1);
  } finally {
    await client.end();
  }
  const database = { DATABASE_URL: asApp.href };
  const { payonceCommand } = await import('../support/payonce-command.js');
  const verified = await payonceCommand('audit verify --json', {
    ...database,
    PAYONCE_SEAL_KEY: sealKey,
  });
  expect(JSON.parse(verified.stdout)).toMatchObject({ guarded: true });
  // So is the role of the service; the owner of the tables may do everything, and is told so.
  expect(await verify()).toMatchObject({ guarded: true });
  const byOwner = await payonceCommand('audit verify --json', {
    ...database,
    DATABASE_URL: environment.database.url,
    PAYONCE_SEAL_KEY: sealKey,
  });
  expect(JSON.parse(byOwner.stdout)).toMatchObject({ guarded: false });
  await environment.sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

it.each([
  ['CREATEROLE', true],
  ['NOCREATEROLE', false],
])(
  'is migrated by a role with %s; the chain stays with one that may make no roles',
  async (right, isGuarded) => {
    const name = `owner_${right.toLowerCase()}_${randomBytes(4).toString('hex')}`;
    await environment.sql(`CREATE ROLE ${name} LOGIN PASSWORD 'owner' NOSUPERUSER ${right}`);
    // As on a server of its own: this one has the roles of the chain already, which another role made.
    if (isGuarded)
      await environment.sql(`GRANT payonce_audit, payonce_audit_witness TO ${name} WITH ADMIN OPTION`);
    await environment.sql(`CREATE DATABASE ${name} OWNER ${name}`);
    const owned = new URL(environment.database.url);
    Object.assign(owned, { username: name, password: 'owner', pathname: `/${name}` });
    const options = { url: owned.href, entities: [], migrations, poolSize: 2, applicationName: 'audit-spec' };
    const database = await openDatabase(options);
    try {
      await migrate(database.dataSource);
      const { rows } = await database.pool.query<{ owner: string }>(
        "SELECT tableowner AS owner FROM pg_tables WHERE schemaname = 'payonce_audit' ORDER BY tablename",
      );
      expect(rows.map(({ owner }) => owner)).toEqual(
        isGuarded ? ['payonce_audit', 'payonce_audit_witness'] : [name, name],
      );
      await database.pool.query(
        `INSERT INTO audit_records VALUES (gen_random_uuid(), gen_random_uuid(), now(), 'cli:ada', 'x.done', 'x:1', '{}')`,
      );
      const held = await database.pool.query('SELECT actor FROM payonce_audit.records');
      expect(held.rows).toEqual([{ actor: 'cli:ada' }]);
    } finally {
      await database.close();
      await environment.sql(`DROP DATABASE ${name} WITH (FORCE)`);
      await environment.sql(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
    }
  },
);

it('is exported with its hashes, by the console and at the command line, so that the file can be verified', async () => {
  expect((await fetch(`${service.url}/ops/api/audit/export`)).status).toBe(401);
  const reply = await fetch(`${service.url}/ops/api/audit/export`, { headers: { cookie: vic.cookie } });
  expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const file = join(folder, 'audit.csv');
  const made = await environment.command('audit', 'export', '--file', file);
  const texts = [await reply.text(), readFileSync(file, 'utf8')];
  expect(made).toEqual({ file, rows: expect.any(Number), anchor: reply.headers.get('payonce-audit-anchor') });
  expect(texts[0]).toBe(texts[1]);
  let previous = '00'.repeat(32);
  const rows = parse(texts[0]!, { columns: true }) as Record<string, string>[];
  for (const row of rows) {
    expect(row['previous']).toBe(previous);
    const record: Omit<ChainedRecord, 'hash'> = {
      number: Number(row['number']),
      at: new Date(row['at']!),
      actor: row['actor']!,
      action: row['action']!,
      subject: row['subject']!,
      merchantId: row['merchant_id']!,
      sourceAddress: row['source_address'] === '' ? null : row['source_address']!,
      result: row['result']!,
      detail: row['detail']!,
      previous: Buffer.from(previous, 'hex'),
    };
    previous = hashOf(record).toString('hex');
    expect(row['hash']).toBe(previous);
  }
  expect(rows.at(-1)).toMatchObject({ actor: 'operator:vic', action: 'audit.exported' });
});
