import { randomBytes, randomUUID } from 'node:crypto';
import { SystemClock } from '../../src/core/clock.js';
import { Encryption } from '../../src/core/encryption.js';
import { SystemIds } from '../../src/core/ids.js';
import { Problem } from '../../src/core/problem.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { rotateSealKey } from '../../src/database/sealed-values.js';
import { TenantDatabase } from '../../src/database/tenants.js';
import { entities } from '../../src/entities.js';
import { type Caller } from '../../src/merchants/caller.js';
import { encryptTokens } from '../../src/payouts/payout-owner.js';
import { Recipients } from '../../src/payouts/recipients.js';
import { type FreshDatabase, freshDatabase, newMerchant } from '../support/database.js';
import { Bank, payoutOf, payoutsInMemory, pspsOf, sequencesIn } from '../support/payouts-in-memory.js';

/** Payouts to registered recipients, over the rules of the database; the bank's book is the judge. */
const clock = new SystemClock();
const ids = new SystemIds(clock);
/** The first is that of payouts-in-memory. */
const [key, nextKey] = [Buffer.alloc(32, 7), Buffer.alloc(32, 2)];
const bank = new Bank('first');
let fresh: FreshDatabase;
let database: Database;
/** As the service's role, which sees one merchant at a time. */
let asService: Database;
let recipients: Recipients;
let store: PostgresStore;
let merchantId: string;
let caller: Caller;

const recipientsWith = (seal: Encryption) =>
  new Recipients(new TenantDatabase(asService.dataSource), clock, ids, seal);

beforeAll(async () => {
  fresh = await freshDatabase();
  const options = { entities, migrations: [], poolSize: 4, applicationName: 'recipients-spec' };
  database = await openDatabase({ url: fresh.url, ...options });
  asService = await openDatabase({ url: fresh.serviceUrl, ...options });
  recipients = recipientsWith(new Encryption(key));
  const { pool } = asService;
  store = new PostgresStore({ url: fresh.serviceUrl, pool, clock, random: Math.random, lanes: 4 });
});

afterAll(async () => {
  await store.close();
  await asService.close();
  await database.close();
  await fresh.drop();
});

beforeEach(async () => {
  merchantId = await newMerchant(database);
  caller = {
    merchantId,
    apiKeyId: randomUUID(),
    scopes: ['recipients:write'],
    isTest: false,
    duplicateWindowS: 0,
    payoutRecipients: 'approved',
    requestRate: null,
  };
});

const rule = (is: Caller['payoutRecipients']) =>
  database.pool.query('UPDATE merchants SET payout_recipients = $2 WHERE id = $1', [merchantId, is]);
const register = (token = 'SE32AAAA1111', reference = 'driver-7') =>
  recipients.register(caller, { reference, tokens: { first: token, other: 'token-0002' } });

/** `knows`: the process has heard of the merchant's rule. */
async function pay(
  token = 'SE32AAAA1111',
  { knows = true, previous = null as string | null } = {},
): Promise<string> {
  const options = { store, clock, ids, psps: pspsOf([bank]), sequences: sequencesIn(store), recipients };
  const payouts = payoutsInMemory({ ...options, needsRecipient: knows });
  const ask = payoutOf({ to: 'driver-7', previous });
  const tokens = { first: token };
  try {
    const { payout } = await payouts.send(merchantId, randomUUID(), {
      ...ask,
      recipient: { ...ask.recipient, tokens },
    });
    return payout.status;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

async function operator(
  name: string,
  person = name,
): Promise<{ id: string; name: string; sourceAddress: string }> {
  const id = randomUUID();
  await database.pool.query(
    `INSERT INTO operators (id, name, role, person, created_at) VALUES ($1, $2, 'approver', $3, now())`,
    [id, `${name}-${id}`, person],
  );
  return { id, name: `${name}-${id}`, sourceAddress: '127.0.0.1' };
}

it.each([true, false])(
  'pays registered recipients alone, by their tokens (process knows: %s)',
  async (knows) => {
    expect(await pay('SE32ANYBODY', { knows: false })).toBe('paid');
    await rule('registered');
    const { data: none } = await recipients.list(caller, undefined, 10, null);
    expect(none).toEqual([]);
    const { id: last } = await lastPayout();
    const next = { knows, previous: last };
    const before = bank.sent.length;
    expect(await pay('SE32AAAA1111', next)).toBe('recipient_not_registered');
    await register();
    expect(await pay('SE32BBBB2222', next)).toBe('recipient_not_registered');
    expect(bank.sent).toHaveLength(before);
    expect(await pay('SE32AAAA1111', next)).toBe('paid');
    expect(bank.sent.slice(before).map(({ token }) => token)).toEqual(['SE32AAAA1111']);
  },
);

it.each([true, false])('pays what was approved, and nothing else (process knows: %s)', async (knows) => {
  await rule('approved');
  const { id, version, status } = await register();
  expect([version, status]).toEqual([1, 'waiting_for_approval']);
  expect(await pay(undefined, { knows })).toBe('recipient_not_approved');
  await recipients.approve(merchantId, { id, version }, await operator('ben'));
  // The same again changes nothing.
  expect(await register()).toMatchObject({
    id,
    version: 1,
    status: 'active',
    accounts: { first: '1111', other: '0002' },
  });
  expect(await pay(undefined, { knows })).toBe('paid');
  const { id: previous } = await lastPayout();
  expect(await register('SE32BBBB2222')).toMatchObject({ id, version: 2, status: 'waiting_for_approval' });
  expect(await pay('SE32BBBB2222', { knows, previous })).toBe('recipient_not_approved');
  expect(await pay('SE32AAAA1111', { knows, previous })).toBe('recipient_not_registered');
  await expect(
    recipients.approve(merchantId, { id, version: 1 }, await operator('ben')),
  ).rejects.toMatchObject({
    code: 'invalid_state',
  });
  await recipients.approve(merchantId, { id, version: 2 }, await operator('ben'));
  await recipients.remove(merchantId, id, 'cli:ada');
  expect(await pay('SE32BBBB2222', { knows, previous })).toBe('recipient_not_registered');
  expect(await recipients.get(caller, id)).toMatchObject({
    version: 3,
    status: 'removed',
    approved_at: null,
  });
  expect(await register('SE32BBBB2222')).toMatchObject({ id, version: 4, status: 'waiting_for_approval' });
});

it('lets nobody approve what an API key of their own registered, under whatever name', async () => {
  const [ada, adaToo, ben] = [
    await operator('ada', 'ada@x'),
    await operator('ada', 'ada@x'),
    await operator('ben'),
  ];
  await database.pool.query(
    `INSERT INTO api_keys (merchant_id, id, hash, prefix, scopes, created_at, created_by)
     VALUES ($1, $2, $3, 'po_live_1', '{recipients:write}', now(), $4)`,
    [merchantId, caller.apiKeyId, randomBytes(32), `operator:${ada.name}`],
  );
  const { id, version } = await register();
  for (const own of [ada, adaToo])
    await expect(recipients.approve(merchantId, { id, version }, own)).rejects.toMatchObject({
      code: 'forbidden',
    });
  await recipients.approve(merchantId, { id, version }, ben);
  expect(await recipients.get(caller, id)).toMatchObject({ status: 'active' });
  const acts = await database.pool.query<{ action: string; detail: object }>(
    'SELECT action, detail FROM audit_records WHERE subject = $1 ORDER BY at, id',
    [`recipient:${id}`],
  );
  expect(acts.rows.map(({ action }) => action)).toEqual(['recipient.registered', 'recipient.approved']);
  expect(JSON.stringify(acts.rows)).not.toMatch(/SE32|driver-7/);
});

it('is registered once by twenty requests at once, with the tokens of one of them', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => register(`SE32AAAA${1_000 + (n % 2)}`)));
  expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  const { data } = await recipients.list(caller, 'driver-7', 10, null);
  expect(data).toHaveLength(1);
  expect(data[0]!.version).toBe(Math.max(...all.map(({ version }) => version)));
});

it('is held by the database, whatever the service believes', async () => {
  await rule('approved');
  const { id, version } = await register();
  const by = (sql: string, values: unknown[] = [merchantId, id]) => database.pool.query(sql, values);
  const broken = { constraint: 'recipients_version' };
  const payout = (of: number | null, payoutId = randomUUID()) =>
    by(
      `INSERT INTO payouts (merchant_id, recipient, id, version, reference, status, amount, currency, metadata, candidates,
         sealed, recipient_version, created_at, updated_at)
       VALUES ($1, 'driver-7', $2, 1, 'r', 'processing', 1, 'EUR', '{}', '["first"]', $3, $4, now(), now())`,
      [merchantId, payoutId, encryptTokens(new Encryption(key), merchantId, payoutId, {}), of],
    );
  // Registered, and not approved yet.
  await expect(payout(1)).rejects.toMatchObject({ constraint: 'payouts_known_recipient' });
  await recipients.approve(merchantId, { id, version }, await operator('ben'));
  await expect(
    by('UPDATE recipients SET version = 2 WHERE merchant_id = $1 AND id = $2'),
  ).rejects.toMatchObject(broken);
  await expect(
    by('UPDATE recipients SET version = 0 WHERE merchant_id = $1 AND id = $2'),
  ).rejects.toMatchObject(broken);
  for (const version of [null, 2])
    await expect(payout(version)).rejects.toMatchObject({ constraint: 'payouts_known_recipient' });
  await payout(1);
});

it('is seen by its own merchant alone', async () => {
  const { id } = await register();
  const other = await newMerchant(database);
  const theirs = { ...caller, merchantId: other };
  await expect(recipients.get(theirs, id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(recipients.remove(other, id, 'cli:eve')).rejects.toMatchObject({ code: 'not_found' });
  expect((await recipients.list(theirs, undefined, 10, null)).data).toEqual([]);
});

it('is known under the next seal key too', async () => {
  await rule('registered');
  await register();
  await rotateSealKey(database.pool, new Encryption(nextKey, key));
  recipients = recipientsWith(new Encryption(nextKey));
  expect(await pay()).toBe('paid');
});

async function lastPayout(): Promise<{ id: string }> {
  const { rows } = await database.pool.query<{ id: string }>(
    'SELECT id FROM payouts WHERE merchant_id = $1 ORDER BY id DESC LIMIT 1',
    [merchantId],
  );
  return rows[0]!;
}
