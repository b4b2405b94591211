import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Client } from 'pg';
import { type Database, openDatabase } from '../../src/database/database.js';
import { TenantDatabase } from '../../src/database/tenants.js';
import { scopes } from '../../src/core/caller.js';
import { Payment } from '../../src/payments/payment.entity.js';
import { GrpcClient, type Message } from '../grpc/grpc-client.js';
import { onDatabase } from '../support/database.js';
import {
  ApiClient,
  eventually,
  orderOf,
  type Reply,
  type Service,
  TestEnvironment,
  tokens,
} from '../support/test-environment.js';

/** Tables that hold nothing of a merchant's, and that commits and locks use; every other one is walled in. */
const OF_THE_INSTALLATION = [
  'failover_hold',
  'idempotent_calls',
  'ledger_position',
  'operation_traces',
  'operators',
  'psp_breakers',
  'psp_open_breakers',
  'psp_returns',
  'rate_buckets',
  'schedules',
  'schema_migrations',
];

let environment: TestEnvironment;
let service: Service;
/** Two merchants' keys, each with every scope. */
let owner: ApiClient;
let strangersKey: string;
let stranger: ApiClient;
/** What is the owner's, by the first part of the path that leads to it. */
let owned: Readonly<Record<string, string>>;
let merchantId: string;

beforeAll(async () => {
  environment = await TestEnvironment.open({
    env: { GRPC_PORT: '0', PAYONCE_WEBHOOK_TARGETS: 'any', PAYONCE_SHED_DELAY_MS: '60000' },
  });
  service = await environment.start({ role: 'all' });
  strangersKey = await environment.merchant(scopes);
  [owner, stranger] = [await environment.merchant(scopes), strangersKey].map(
    (key) => new ApiClient(() => service.url, key),
  ) as [ApiClient, ApiClient];
  const idOf = async (reply: Promise<Reply>) => (JSON.parse((await reply).text) as { id: string }).id;
  const target = { url: 'http://127.0.0.1:9/hook' };
  const endpoint = await idOf(owner.post('/v1/webhook_endpoints', target, randomUUID()));
  const order = { reference: 'the-order-of-the-owner' };
  const held = { ...orderOf({ capture: 'manual' }), order };
  const payment = await idOf(owner.post('/v1/payments', held, randomUUID()));
  await owner.post(`/v1/payments/${payment}/capture`, {}, randomUUID());
  const dispute = {
    id: randomUUID(),
    pspReference: 'du_1',
    status: 'open',
    reason: null,
    amount: 1,
    amountWithheld: 0,
    stage: 1,
    openedAt: '2026-01-01T00:00:00.000Z',
    closedAt: null,
  };
  await environment.sql('UPDATE payments SET disputes = $1', [JSON.stringify([dispute])]);
  const refund = await idOf(
    owner.post(`/v1/payments/${payment}/refunds`, { amount: 500, reference: 'r-1' }, randomUUID()),
  );
  const payout = await idOf(
    owner.post(
      '/v1/payouts',
      {
        reference: 'p-1',
        recipient: { reference: 'person-1', tokens: { adyen: tokens.adyen } },
        amount: 700,
        currency: 'EUR',
      },
      randomUUID(),
    ),
  );
  const recipient = await idOf(
    owner.post('/v1/recipients', { reference: 'person-1', tokens: { adyen: tokens.adyen } }, randomUUID()),
  );
  const [event] = await environment.sql<{ id: string; merchantId: string }>(
    'SELECT id, merchant_id AS "merchantId" FROM events LIMIT 1',
  );
  merchantId = event!.merchantId;
  const ids = [payment, refund, payout, endpoint, recipient, event!.id];
  if (!ids.every((id) => typeof id === 'string')) throw new Error(`not all are made: ${ids.join()}`);
  owned = {
    orders: order.reference,
    disputes: dispute.id,
    payments: payment,
    refunds: refund,
    payouts: payout,
    webhook_endpoints: endpoint,
    recipients: recipient,
    events: event!.id,
  };
  await stranger.post('/v1/payments', orderOf(), randomUUID());
});
afterAll(() => environment.close());

const asService = <T>(work: (client: Client) => Promise<T>) =>
  onDatabase(environment.database.serviceUrl, work);

async function walledTables(): Promise<string[]> {
  const tables = await environment.sql<{ name: string; isForced: boolean; policies: number }>(`
    SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS "isForced",
           (SELECT count(*)::int FROM pg_policy WHERE polrelid = c.oid) AS policies
      FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`);
  const isWalled = ({ isForced, policies }: (typeof tables)[number]) => isForced && policies === 1;
  expect(tables.filter((table) => !isWalled(table)).map(({ name }) => name)).toEqual(OF_THE_INSTALLATION);
  return tables.filter(isWalled).map(({ name }) => name);
}

const countOf = async (client: Pick<Client, 'query'>, table: string) =>
  (await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`)).rows[0]!.count;

describe('the role of the service', () => {
  it('sees nothing in any table of a merchant without a tenant, whichever table is added', async () => {
    const names = await walledTables();
    const filled = await onDatabase(environment.database.url, async (client) => {
      const found = [];
      for (const name of names) if ((await countOf(client, name)) > 0) found.push(name);
      return found;
    });
    expect(filled).toEqual(
      expect.arrayContaining(['merchants', 'api_keys', 'payments', 'psp_attempts', 'payouts']),
    );
    await asService(async (client) => {
      for (const name of names)
        expect({ name, count: await countOf(client, name) }).toEqual({ name, count: 0 });
    });
  });

  it('sees and writes the rows of the tenant that it names, and of no other', async () => {
    await asService(async (client) => {
      await client.query(`SELECT set_config('payonce.tenants', $1, false)`, [`{${merchantId}}`]);
      const { rows } = await client.query<{ id: string }>('SELECT id FROM payments');
      expect(rows).toEqual([{ id: owned['payments'] }]);
      const other = `INSERT INTO duplicate_guards (merchant_id, digest, payment_id, until)
                     VALUES ('${randomUUID()}', repeat('0', 64), '${randomUUID()}', now())`;
      await expect(client.query(other)).rejects.toThrow('row-level security');
      const { rowCount } = await client.query('UPDATE payments SET reference = reference');
      expect(rowCount).toBe(1);
    });
  });

  it('can neither bypass the policies nor change the tables', async () => {
    await asService(async (client) => {
      const { rows } = await client.query<object>(
        'SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user',
      );
      expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreaterole: false }]);
      for (const change of ['DISABLE ROW LEVEL SECURITY', 'DISABLE TRIGGER ALL']) {
        await expect(client.query(`ALTER TABLE payments ${change}`)).rejects.toThrow('must be owner');
      }
      await expect(client.query(`INSERT INTO schema_migrations VALUES (0, 0, 'x')`)).rejects.toThrow(
        'denied',
      );
    });
  });
});

describe('a connection for requests of merchants', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({
      url: environment.database.serviceUrl,
      entities: [Payment],
      migrations: [],
      poolSize: 2,
      applicationName: 'tenants-spec',
      seesAll: false,
    });
  });
  afterAll(() => database.close());

  it('sees nothing where a query forgets its merchant, and that of one within its transaction', async () => {
    const { dataSource, pool } = database;
    const ids = async (found: Promise<Payment[]>) => (await found).map(({ id }) => id);
    const all = () => dataSource.getRepository(Payment).find();
    expect(await ids(all())).toEqual([]);
    expect((await pool.query('SELECT FROM seal_key')).rowCount).toBe(0);
    const within = new TenantDatabase(dataSource).within(merchantId, (tx) => tx.find(Payment));
    expect(await ids(within)).toEqual([owned['payments']]);
    expect(await ids(all())).toEqual([]);
    expect((await environment.sql('SELECT FROM payments')).length).toBeGreaterThan(1);
  });

  it('is what the reads of a merchant take', async () => {
    const [before] = await environment.sql<{ now: Date }>('SELECT clock_timestamp() AS now');
    expect((await owner.get(`/v1/payments/${owned['payments']}`)).status).toBe(200);
    const used = await environment.sql(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'payonce-tenants' AND query_start > $1`,
      [before!.now],
    );
    expect(used.length).toBeGreaterThan(0);
  });
});

interface OperationObject {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples: Readonly<Record<string, { value: object }>> }>
    >;
  };
}

/** Calls of the API with a merchant's key, as its document has them. */
async function operations(): Promise<{ path: string; method: string; body: object }[]> {
  const document = (await (await fetch(`${service.url}/docs/openapi.json`)).json()) as {
    paths: Record<string, Record<string, OperationObject>>;
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security = [] }]) => security.length > 0 && path.startsWith('/v1/'))
      .map(([method, { requestBody }]) => {
        const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
        return { path, method, body: example?.value ?? {} };
      }),
  );
}

const ownedPath = (path: string) => path.replace(/\{\w+\}/, owned[path.split('/')[2]!]!);

describe("every route, with another merchant's key", () => {
  it('answers 404 for an object, and lists nothing of it', async () => {
    const all = await operations();
    expect(all.length).toBeGreaterThan(20);
    for (const { path, method, body } of all) {
      const answer =
        method === 'get'
          ? await stranger.get(ownedPath(path))
          : await stranger.post(ownedPath(path), body, randomUUID());
      if (path.includes('{id}'))
        expect({ path, method, status: answer.status }).toEqual({ path, method, status: 404 });
      for (const id of Object.values(owned)) expect(answer.text).not.toContain(id);
    }
  });

  it('answers NOT_FOUND to every method of gRPC that names an object', async () => {
    const [id, endpoint] = [owned['payments']!, owned['webhook_endpoints']!];
    const calls: Readonly<Record<string, Message | null>> = {
      // null: it names no object.
      'Payments.Create': null,
      'Payments.Get': { id },
      'Payments.List': null,
      'Payments.ListAttempts': { id },
      'Payments.ListCaptures': { id },
      'Payments.ListDisputes': null,
      'Payments.Capture': { id },
      'Payments.Complete': { id, details: { fields: { redirectResult: { stringValue: 'x' } } } },
      'Payments.Cancel': { id },
      'Payments.Watch': { id },
      'Refunds.Create': { payment_id: id },
      'Refunds.Get': { id: owned['refunds'] },
      'Refunds.List': { payment_id: id },
      'Refunds.ListAll': null,
      'Orders.Get': { reference: owned['orders'] },
      'Orders.List': null,
      'Payouts.Create': null,
      'Payouts.Get': { id: owned['payouts'] },
      'Payouts.List': null,
      'Events.List': null,
      'Events.Get': { id: owned['events'] },
      'Events.ListDeliveries': { id: owned['events'] },
      'Events.Replay': { id: owned['events'] },
      'Recipients.Register': null,
      'Recipients.Get': { id: owned['recipients'] },
      'Recipients.List': null,
      'Recipients.Remove': { id: owned['recipients'] },
      'WebhookEndpoints.Create': null,
      'WebhookEndpoints.Get': { id: endpoint },
      'WebhookEndpoints.List': null,
      'WebhookEndpoints.RotateSecret': { id: endpoint },
      'WebhookEndpoints.Enable': { id: endpoint },
      'WebhookEndpoints.Disable': { id: endpoint },
      'WebhookEndpoints.Ping': { id: endpoint },
      'WebhookEndpoints.Replay': { id: endpoint, from: { seconds: 1 }, to: { seconds: 2 } },
    };
    const folder = resolve(__dirname, '../../proto/payonce/v1');
    const methods = readdirSync(folder).flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const name = /^service (\w+)/m.exec(text)?.[1];
      return [...text.matchAll(/^ {2}rpc (\w+)/gm)].map(([, rpc]) => `${name}.${rpc}`);
    });
    expect(methods.toSorted()).toEqual(Object.keys(calls).toSorted());

    const client = new GrpcClient(service.grpc!, strangersKey);
    for (const [method, request] of Object.entries(calls)) {
      if (method === 'Payments.Watch') {
        expect(await (await client.watch(method, request!)).ended).toBe('NOT_FOUND');
      } else if (request !== null) {
        const { code } = await client.call(method, request, { key: randomUUID() });
        expect({ method, code }).toEqual({ method, code: 'NOT_FOUND' });
      } else if (method.endsWith('List')) {
        const { response } = await client.call(method, {});
        for (const known of Object.values(owned)) expect(JSON.stringify(response)).not.toContain(known);
      }
    }
    client.close();
  });
});

it('reads for a merchant as that merchant: where nothing sees all tenants, every read still answers', async () => {
  const deliveries = `SELECT FROM webhook_deliveries WHERE event_id = '${owned['events']}'`;
  await eventually(async () => (await environment.sql(deliveries)).length > 0, 'the event is fanned out');
  // But for finding out whose the key is.
  await environment.sql(`
    CREATE OR REPLACE FUNCTION payonce_sees(merchant uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
      SELECT strpos(current_setting('payonce.tenants', true), merchant::text) > 0
          OR current_setting('payonce.tenants', true) = '*' AND current_query() ~ 'api_keys' $$`);
  for (const { path, method } of await operations()) {
    if (method !== 'get') continue;
    // Events are listed once no transaction of the whole server, which other specs use too, is older.
    await eventually(async () => {
      const answer = await owner.get(ownedPath(path));
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      const { data } = JSON.parse(answer.text) as { data?: unknown };
      return !Array.isArray(data) || data.length > 0;
    }, `something of ${path}`);
  }
});
