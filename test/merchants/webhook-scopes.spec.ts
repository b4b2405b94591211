import { Client } from 'pg';
import { type QueryRunner } from 'typeorm';
import { WebhookScopes1700000000021 } from '../../migrations/0021-webhook-scopes.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';

/** API keys of before webhooks and events had scopes of their own. */
const merchant = '01900000-0000-7000-8000-000000000001';
const older = [['payments:read'], ['payments:write'], ['payments:read', 'payments:write'], ['payouts:write']];

let fresh: FreshDatabase;
let client: Client;
beforeEach(async () => {
  fresh = await freshDatabase();
  client = new Client({ connectionString: fresh.url });
  await client.connect();
  await client.query(`INSERT INTO merchants (id, name, created_at) VALUES ($1, 'Shop', now())`, [merchant]);
});
afterEach(async () => {
  await client.end();
  await fresh.drop();
});

const migration = new WebhookScopes1700000000021();
const runner = () => client as unknown as QueryRunner;

async function add(scopes: readonly string[]): Promise<void> {
  await client.query(
    `INSERT INTO api_keys (merchant_id, id, hash, prefix, scopes, created_at)
     VALUES ($1, gen_random_uuid(), decode(md5(random()::text) || md5(random()::text), 'hex'), $2, $3, now())`,
    [merchant, scopes.join(' '), scopes],
  );
}

async function keys(): Promise<[before: string, now: string[], revoked: boolean][]> {
  const { rows } = await client.query<{ prefix: string; scopes: string[]; revoked: boolean }>(
    `SELECT prefix, scopes, revoked_at IS NOT NULL AS revoked FROM api_keys ORDER BY prefix`,
  );
  return rows.map(({ prefix, scopes, revoked }) => [prefix, scopes.toSorted(), revoked]);
}

it('keys that may read or write payments keep what they could do with webhooks and events', async () => {
  for (const scopes of older) await add(scopes);
  await migration.up(runner());
  const after = [
    ['payments:read', ['events:read', 'payments:read', 'webhooks:read'], false],
    [
      'payments:read payments:write',
      ['events:read', 'payments:read', 'payments:write', 'webhooks:read', 'webhooks:write'],
      false,
    ],
    ['payments:write', ['payments:write', 'webhooks:write'], false],
    ['payouts:write', ['payouts:write'], false],
  ];
  expect(await keys()).toEqual(after);
  await migration.up(runner());
  expect(await keys()).toEqual(after);
});

it('going back takes the new scopes away, and revokes a key that holds nothing else', async () => {
  await add(['payments:write', 'webhooks:write']);
  await add(['events:read']);
  await migration.down(runner());
  expect(await keys()).toEqual([
    ['events:read', ['events:read'], true],
    ['payments:write webhooks:write', ['payments:write'], false],
  ]);
});
