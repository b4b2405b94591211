import { type Database, openDatabase } from '../../src/database/database.js';
import { entities } from '../../src/entities.js';
import { IdempotencyKey } from '../../src/idempotency/idempotency-key.entity.js';
import { DueKeys } from '../../src/request-storage/due-keys.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';

/** 20,000 keys hang at one account: those of the other accounts are found at once all the same. */
const HANGING = 20_000;
const merchantId = '01900000-0000-7000-8000-000000000001';
const id = `('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`;

let database: FreshDatabase;
let opened: Database;

beforeAll(async () => {
  database = await freshDatabase();
  opened = await openDatabase({
    url: database.url,
    entities,
    migrations: [],
    poolSize: 2,
    applicationName: 'due-keys-spec',
  });
  await add('payment', 'hangs', 1, HANGING);
  await add('payment', 'other', HANGING + 1, HANGING + 1);
  await add('payout', 'other', HANGING + 2, HANGING + 2);
  await add('payment', 'removed', HANGING + 3, HANGING + 3);
  await add('payment', null, HANGING + 4, HANGING + 4);
  await opened.pool.query('ANALYZE');
  // One query at a time: the pool has one connection.
  await opened.pool.query('SET statement_timeout = 5000');
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});

/** Keys from one number to another, and for each its payment's or payout's open route at an account. */
async function add(of: 'payment' | 'payout', psp: string | null, from: number, to: number): Promise<void> {
  const numbers = `FROM generate_series(${from}, ${to}) n`;
  await opened.pool.query(
    `INSERT INTO idempotency_keys (merchant_id, key, operation, fingerprint, subject_id, params, recovery_point,
       lock_token, resumable_at, created_at)
     SELECT $1, 'key-' || n, 'o', 'f', ${id}, '{}', 'accepted', ${id}, now() - interval '1 s', now() ${numbers}`,
    [merchantId],
  );
  if (psp === null) return;
  await opened.pool.query(
    `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, ${of}_id, psp, amount, currency,
       psp_idempotency_key, verdict, next_step_at, fence, opened_at)
     SELECT $1, '${of}-' || ${id} || '-x', 1, 'charge', ${id}, $2, 1, 'USD', n, 'open', now(), 1, now() ${numbers}`,
    [merchantId, psp],
  );
}

it('keys are found by the account at which their payment or payout has an open route', async () => {
  const due = new DueKeys(opened.dataSource.getRepository(IdempotencyKey));
  const names = (keys: readonly { key: string }[]) => keys.map(({ key }) => key).toSorted();
  const numbered = (...ns: readonly number[]) => ns.map((n) => `key-${HANGING + n}`);
  expect(await due.at('hangs', 100)).toHaveLength(100);
  expect(names(await due.at('other', 100))).toEqual(numbered(1, 2));
  expect(await due.at('without', 100)).toEqual([]);
  expect(names(await due.elsewhere(['hangs', 'other'], 100))).toEqual(numbered(3, 4));
});
