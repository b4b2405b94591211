import { setTimeout as sleep } from 'node:timers/promises';
import {
  atRest,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  type ApiClient,
  openWithService,
  type TestEnvironment,
} from '../support/test-environment.js';

/** The database drops every connection, again and again, while payments flow. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, service, client } = await openWithService());
});
afterAll(() => environment.close());

const PAYMENTS = 40;
const OUTAGES = 6;
const MAX_TRIES = 200;

/** How many connections of the service were dropped. */
async function dropConnections(): Promise<number> {
  const [row] = await environment.sql<{ dropped: number }>(
    `SELECT count(pg_terminate_backend(pid))::int AS dropped FROM pg_stat_activity
      WHERE datname = current_database() AND application_name IN ('payonce', 'payonce-commit')`,
  );
  return row!.dropped;
}

it('charges everything once though the database drops its connections again and again', async () => {
  // The PSPs take their time, so that connections are lost before, during and after calls.
  for (const psp of ['stripe', 'adyen'] as const) {
    environment.simulator.faults(psp, { fault: 'delay_after', delay_ms: 60, rate: 1 });
  }
  const seen = new Map<number, number>();
  const wrong: Reply[] = [];
  const keepAsking = async (n: number): Promise<Reply> => {
    const first = n % 2 === 0 ? 'stripe' : 'adyen';
    const body = orderOf({ first, reference: `outage-${n}`, amount: 5_000 + n });
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const reply = await client.post('/v1/payments', body, `outage-${n}`);
      seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
      if (![201, 202, 409, 503].includes(reply.status)) wrong.push(reply);
      if (atRest(reply)) return reply;
      await sleep(100);
    }
    throw new Error(`payment ${n} did not come to rest`);
  };

  let dropped = 0;
  const outages = (async () => {
    for (let outage = 0; outage < OUTAGES; outage++) {
      dropped += await dropConnections();
      await sleep(120);
    }
  })();
  const asked = Array.from({ length: PAYMENTS }, async (_, n) => {
    // Not all at once, or the first outage would be the only one that matters.
    await sleep(n * 20);
    return keepAsking(n);
  });
  const [replies] = await Promise.all([Promise.all(asked), outages]);

  const told = service.output().split('\n');
  const why = ({ text }: Reply) => {
    const { request_id } = JSON.parse(text) as { request_id: string };
    return told.filter((line) => line.includes(request_id));
  };
  expect(wrong.flatMap((reply) => [reply.text, ...why(reply)])).toEqual([]);
  expect(dropped).toBeGreaterThan(2);
  expect(seen.get(201)).toBe(PAYMENTS);
  for (const [n, reply] of replies.entries()) {
    const payment = paymentOf(reply);
    expect(payment).toMatchObject({ status: 'captured', amount: 5_000 + n, reference: `outage-${n}` });
    expect(environment.effects(payment.id)).toMatchObject([{ operation: 'charge', amount: 5_000 + n }]);
  }
  expect(environment.effects()).toHaveLength(PAYMENTS);
  // Nothing is left in the dark, nowhere.
  expect(await environment.sql("SELECT entity_key FROM psp_requests WHERE verdict = 'open'")).toEqual([]);
  expect(await environment.sql('SELECT key FROM idempotency_keys WHERE response_status IS NULL')).toEqual([]);
  expect(await environment.sql('SELECT entity_key FROM orphan_effects')).toEqual([]);
  expect(await environment.sql("SELECT id FROM payments WHERE status <> 'captured'")).toEqual([]);
});
