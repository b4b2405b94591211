import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { DataSource } from 'typeorm';
import { uuidv7 } from '../../src/core/ids.js';
import { buildIndex } from '../../migrations/build-index.js';
import { payonceCommand } from '../support/payonce-command.js';
import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';

/** `payonce migrate --partitions`: history is divided by quarters while a shop pays. */
const TABLES = ['events', 'webhook_deliveries', 'webhook_delivery_attempts', 'payment_transitions'];
/** Payments that are there before. PARTITIONED_PAYMENTS=10000000 needs 20 GB and a quarter of an hour. */
const STORED = Number(process.env['PARTITIONED_PAYMENTS'] ?? 20_000);
const CHUNK = 200_000;
/** Half a year ago, in ms since the epoch: events of that time are forgotten. */
const FILLED_BEFORE = Date.now() - 183 * 24 * 3_600_000;

let environment: TestEnvironment;
let service: Service;
let shop: ApiClient;
let receiver: Server;
const received: string[] = [];

const pay = async (name: string) => {
  const answer = await shop.post('/v1/payments', orderOf({ reference: name }), name);
  expect(answer.status).toBe(201);
  return paymentOf(answer);
};
const migrate = async (line = 'migrate --partitions 2 --json') => {
  const { code, stdout, stderr } = await payonceCommand(line, { DATABASE_URL: environment.database.url });
  expect([code, stderr]).toEqual([0, '']);
  return (JSON.parse(stdout) as { partitions: readonly string[] }).partitions;
};
/** What each table has beside its rows, by names and definitions, as Postgres writes them of a table that is whole. */
const parts = async () => {
  const rows = await environment.sql<{ part: string }>(
    `SELECT pg_get_indexdef(indexrelid) AS part FROM pg_index WHERE indrelid = ANY ($1::text[]::regclass[])
      UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
                 WHERE contype IN ('p', 'c') AND conrelid = ANY ($1::text[]::regclass[])
      UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = ANY ($1::text[]::regclass[]) AND NOT tgisinternal
      UNION ALL SELECT tablename || ' ' || policyname || ' ' || qual FROM pg_policies WHERE tablename = ANY ($1::text[])
      UNION ALL SELECT table_name || ' ' || grantee || ' ' || privilege_type FROM information_schema.role_table_grants
                 WHERE table_name = ANY ($1::text[])
      ORDER BY 1`,
    [TABLES],
  );
  return rows.map(({ part }) => part.replace(' ON ONLY ', ' ON ').replaceAll(/[()]/g, '')).toSorted();
};

beforeAll(async () => {
  environment = await TestEnvironment.open({ env: { PAYONCE_WEBHOOK_TARGETS: 'any' } });
  // A service forgets every ten minutes, and filling takes longer.
  service = await environment.start({ role: 'all', env: { PAYONCE_EVENT_RETENTION_DAYS: '3650' } });
  shop = new ApiClient(() => service.url, await environment.merchant());
  receiver = createServer((request, reply) => {
    void text(request).then((body) => reply.end(received.push(body) && 'thanks'));
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  expect((await shop.post('/v1/webhook_endpoints', { url }, 'endpoint')).status).toBe(201);
  await pay('template');
  await eventually(() => received.length > 0, 'an event is delivered');
  await fill();
}, 3_600_000);
afterAll(async () => {
  receiver?.close();
  await environment.close();
});

/** Copies of what that payment left, each a millisecond older than the last. */
async function fill(): Promise<void> {
  const id = `(substr(time, 1, 8) || '-' || substr(time, 9) || '-7000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  const copies = [
    `INSERT INTO events SELECT merchant_id, ${id}, type, subject, data, long_ago, long_ago FROM copied_events,`,
    `INSERT INTO webhook_deliveries SELECT merchant_id, ${id}, endpoint_id, 'delivered', 1, 1, false, NULL, now(), now()
       FROM copied_deliveries,`,
    `INSERT INTO payment_transitions
     SELECT merchant_id, ${id}, version, event, from_status, to_status, actor, entity_key, at FROM copied_transitions,`,
  ];
  await environment.sql(`
    CREATE TABLE copied_events AS SELECT * FROM events WHERE fanned_out_at IS NOT NULL LIMIT 1;
    CREATE TABLE copied_deliveries AS SELECT * FROM webhook_deliveries LIMIT 1;
    CREATE TABLE copied_transitions AS SELECT * FROM payment_transitions`);
  for (let at = 0; at < STORED; at += CHUNK) {
    const series = `generate_series(${at + 1}::bigint, ${Math.min(at + CHUNK, STORED)}) n,
                    LATERAL (SELECT lpad(to_hex(${FILLED_BEFORE} - n), 12, '0') AS time,
                                    to_timestamp((${FILLED_BEFORE} - n) / 1000.0) AS long_ago) t`;
    for (const copy of copies) await environment.sql(`${copy} ${series}`);
  }
  await environment.sql('DROP TABLE copied_events, copied_deliveries, copied_transitions');
}

/** How long a payment takes, in ms: the median of those that are made one by one. */
async function pace(name: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 60; n++) {
    const from = performance.now();
    await pay(`${name}-${n}`);
    times.push(performance.now() - from);
  }
  return Math.round(times.toSorted((a, b) => a - b)[30]!);
}

const LATE = '7fffffff-ffff-7000-8000-000000000000';
const insertAt = (id: string) =>
  environment.sql<{ place: string }>(
    `INSERT INTO events SELECT merchant_id, $1, type, subject, data, at, at FROM events LIMIT 1
     RETURNING tableoid::regclass::text AS place`,
    [id],
  );

it('leaves nothing behind where it cannot', async () => {
  await insertAt(LATE);
  const { code, stderr } = await payonceCommand('migrate --partitions 2', {
    DATABASE_URL: environment.database.url,
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('events_ends')]);
  expect(await environment.sql(`SELECT FROM pg_constraint WHERE conname ~ '_ends$'`)).toEqual([]);
  expect((await pay('after-it-failed')).status).toBe('captured');
  await environment.rewrite('DELETE FROM events WHERE id = $1', [LATE]);
});

it('divides them while payments go on, and leaves them what they had', async () => {
  const before = await parts();
  const paceBefore = await pace('before');
  // What an earlier try left that ended half way.
  await environment.sql(`ALTER TABLE events ADD CONSTRAINT events_ends CHECK (id IS NOT NULL) NOT VALID`);
  const stop = new AbortController();
  let longestMs = 0;
  const paying = (async () => {
    const ids: string[] = [];
    for (let n = 0; !stop.signal.aborted; n++) {
      const from = performance.now();
      ids.push((await pay(`meanwhile-${n}`)).id);
      longestMs = Math.max(longestMs, performance.now() - from);
    }
    return ids;
  })();
  const from = performance.now();
  const made = await migrate();
  const tookMs = performance.now() - from;
  stop.abort();
  const ids = await paying;
  const paces = `a payment takes ${paceBefore} ms before and ${await pace('after')} ms after`;
  const meanwhile = `of ${ids.length} meanwhile the longest took ${Math.round(longestMs)} ms`;
  process.stdout.write(`${STORED} stored, divided in ${Math.round(tookMs)} ms; ${paces}, ${meanwhile}\n`);
  // Each table: what was there, and eight quarters.
  expect(made).toHaveLength(TABLES.length * 9);
  expect(await parts()).toEqual(before);
  for (const id of ids) expect([id, environment.effects(id).length]).toEqual([id, 1]);
  const [{ n }] = (await environment.sql('SELECT count(*)::int AS n FROM events')) as [{ n: number }];
  expect(n).toBeGreaterThanOrEqual(STORED + ids.length);
}, 3_600_000);

it('keeps every wall and guard on each partition', async () => {
  const references = await environment.sql<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_inherits JOIN pg_constraint ON conrelid = inhrelid AND contype = 'f' AND convalidated
      WHERE inhparent = ANY ($1::text[]::regclass[]) AND conparentid = 0 GROUP BY inhparent, inhrelid`,
    [TABLES],
  );
  // Eight quarters, what was before and what comes later: deliveries refer to an event and an endpoint, tries to a delivery.
  const numbers = references.map(({ n }) => n).toSorted((a, b) => a - b);
  expect(numbers).toEqual([...Array<number>(10).fill(1), ...Array<number>(10).fill(2)]);
  const open = await environment.sql(
    `SELECT c.oid::regclass FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
      WHERE inhparent = ANY ($1::text[]::regclass[]) AND NOT (relrowsecurity AND relforcerowsecurity)`,
    [TABLES],
  );
  expect(open).toEqual([]);
  const { id } = await pay('guarded');
  const refused = (text: string) => expect(environment.sql(text, [id])).rejects.toThrow();
  await refused('UPDATE payment_transitions SET version = 9 WHERE payment_id = $1');
  await refused('DELETE FROM payment_transitions WHERE payment_id = $1');
  const isDelivered = `SELECT FROM webhook_deliveries JOIN events ON id = event_id WHERE position($1::text IN data::text) > 0`;
  await eventually(
    async () => (await environment.sql(isDelivered, [id])).length > 0,
    'its event is to be delivered',
  );
  await refused(
    'DELETE FROM events WHERE id = (SELECT event_id FROM webhook_deliveries LIMIT 1) AND $1::uuid IS NOT NULL',
  );
});

it('puts what comes later into its quarter, and what comes after the last one aside', async () => {
  const [, next] = await environment.sql<{ name: string; bound: string }>(
    `SELECT c.relname AS name, substring(pg_get_expr(relpartbound, c.oid) FROM $$FROM \\('([^']+)$$) AS bound
       FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'events'::regclass AND relname ~ 'q' ORDER BY 1`,
  );
  expect(await insertAt(next!.bound)).toEqual([{ place: next!.name }]);
  expect(await insertAt(LATE)).toEqual([{ place: 'events_later' }]);
});

it('makes no quarter where rows came after the last one', async () => {
  const { code, stderr } = await payonceCommand('migrate --partitions 3', {
    DATABASE_URL: environment.database.url,
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('events_later has rows already')]);
  await environment.rewrite('DELETE FROM events WHERE id = $1', [LATE]);
});

it('makes nothing where all is there, and more where more years are asked for', async () => {
  expect(await migrate()).toEqual([]);
  expect(await migrate('migrate --partitions 3 --json')).toHaveLength(TABLES.length * 4);
});

it('lets go of a quarter, as docs/scaling.md says', async () => {
  const [, statements] = /```sql\s+(SET [^`]*2027q1;)\s+```/.exec(readFileSync('docs/scaling.md', 'utf8'))!;
  const [last] = await environment.sql<{ quarter: string }>(
    `SELECT right(max(relname), 6) AS quarter FROM pg_class WHERE relname ~ '^events_\\d{4}q\\d$'`,
  );
  await environment.sql(statements!.replaceAll('2027q1', last!.quarter));
  expect((await pay('after-a-quarter')).status).toBe('captured');
});

it('gets an index of a later migration partition by partition', async () => {
  const dataSource = await new DataSource({ type: 'postgres', url: environment.database.url }).initialize();
  const runner = dataSource.createQueryRunner();
  try {
    for (let times = 1; times <= 2; times++) {
      await buildIndex(runner, 'events_by_subject', "events (subject) WHERE type = 'payment.captured'");
      const made = await environment.sql<{ n: number; valid: boolean }>(
        `SELECT (SELECT count(*)::int FROM pg_inherits WHERE inhparent = i.indexrelid) AS n, i.indisvalid AS valid
           FROM pg_index i WHERE indexrelid = 'events_by_subject'::regclass`,
      );
      expect(made).toEqual([{ n: 13, valid: true }]);
    }
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
});

it('is told what is wrong', async () => {
  const { code, stderr } = await payonceCommand('migrate --partitions 0', {
    DATABASE_URL: environment.database.url,
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(/a whole number\s+from 1 to 20/);
  const both = await payonceCommand('migrate --plan --partitions 3', {
    DATABASE_URL: environment.database.url,
  });
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('cannot be used with')]);
});

it('lets events be read, sent again and forgotten as before', async () => {
  const { id } = await pay('after');
  const events = await shop.get('/v1/events?limit=5');
  const { data } = JSON.parse(events.text) as { data: readonly { id: string }[] };
  const ids = data.filter((event) => JSON.stringify(event).includes(id)).map((event) => event.id);
  expect(ids).not.toEqual([]);
  // While one is in flight, though the shop has it, it is not sent again.
  const delivered = "SELECT FROM webhook_deliveries WHERE event_id = ANY ($1) AND status = 'delivered'";
  const areDelivered = async () => (await environment.sql(delivered, [ids])).length === ids.length;
  await eventually(areDelivered, 'its events are delivered');
  const deliveries = () => received.filter((body) => body.includes(id)).length;
  const before = deliveries();
  for (const event of ids)
    expect((await shop.post(`/v1/events/${event}/replay`, {}, event)).status).toBeLessThan(300);
  await eventually(() => deliveries() >= before + ids.length, 'its events are delivered again');
  const old = 'SELECT count(*)::int AS n FROM events_before WHERE id < $1';
  const long = [uuidv7(FILLED_BEFORE, Buffer.alloc(10))];
  const [kept] = await environment.sql<{ n: number }>(old, long);
  await environment.command('tasks', 'run', 'events');
  const [left] = await environment.sql<{ n: number }>(old, long);
  expect(kept!.n).toBe(STORED);
  expect(left!.n).toBeLessThan(kept!.n);
  const refund = await shop.post(`/v1/payments/${id}/refunds`, { amount: 100, reference: 'r' }, 'refund');
  expect(refund.status).toBe(201);
});
