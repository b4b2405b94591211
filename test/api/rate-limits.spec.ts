import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { ManualClock, SystemClock } from '../../src/core/clock.js';
import { LeasedBuckets } from '../../src/http/leased-buckets.js';
import { GrpcClient } from '../grpc/grpc-client.js';
import { poolAt } from '../support/database.js';
import { ApiClient, TestEnvironment } from '../support/test-environment.js';

/** Buckets that processes share through Postgres. */
let environment: TestEnvironment;
let pool: Pool;
beforeAll(async () => {
  environment = await TestEnvironment.open({
    env: { GRPC_PORT: '0', PAYONCE_ROLE: 'api', PAYONCE_KEY_RATE: '4', PAYONCE_MERCHANT_RATE: '1000' },
  });
  pool = poolAt(environment.database.url);
});
afterAll(async () => {
  await pool.end();
  await environment.close();
});

/** Spends in turns until every process is told to wait, and says how much came through. */
async function spendAll(buckets: readonly LeasedBuckets[], name: string, limit: number): Promise<number> {
  let spent = 0;
  for (;;) {
    const waits = [];
    for (const each of buckets) waits.push(await each.spend(name, limit));
    spent += waits.filter((waitS) => waitS === 0).length;
    if (waits.every((waitS) => waitS > 0)) return spent;
  }
}

describe('a bucket', () => {
  it('holds two seconds of its rate, and what came in since, for all processes together', async () => {
    const processes = Array.from({ length: 4 }, () => new LeasedBuckets(pool, new SystemClock()));
    const [name, startedMs] = [randomUUID(), performance.now()];
    const spent = await spendAll(processes, name, 100);
    const tookS = (performance.now() - startedMs) / 1_000;
    expect(spent).toBeGreaterThanOrEqual(200);
    expect(spent).toBeLessThanOrEqual(200 + 100 * tookS + 1);
    // Nobody has a share left over, and the next ones come at the rate.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const later = await spendAll(processes, name, 100);
    expect(later).toBeGreaterThanOrEqual(15);
    expect(spent + later).toBeLessThanOrEqual(200 + 100 * ((performance.now() - startedMs) / 1_000) + 1);
  });

  it('is spent from memory: a share costs one statement', async () => {
    let statements = 0;
    const counted = {
      query: ((...args: Parameters<Pool['query']>) => {
        statements += 1;
        return pool.query(...args);
      }) as Pool['query'],
    };
    const buckets = new LeasedBuckets(counted, new SystemClock());
    const name = randomUUID();
    for (let n = 0; n < 1_000; n++) {
      expect(await buckets.spend(name, 1_000)).toBe(0);
    }
    // Shares of 250, one more in the background, and one look for buckets that are not used any more.
    expect(statements).toBeLessThanOrEqual(7);
  });

  it('gives fifty at once what it has, and not more', async () => {
    const buckets = new LeasedBuckets(pool, new SystemClock());
    const name = randomUUID();
    const waits = await Promise.all(Array.from({ length: 50 }, () => buckets.spend(name, 10)));
    const spent = waits.filter((waitS) => waitS === 0).length;
    expect([spent >= 20, spent <= 22]).toEqual([true, true]);
    expect(new Set(waits)).toEqual(new Set([0, 1]));
  });

  it.each([
    ['away', () => Promise.reject(new Error('away'))],
    ['hanging', () => new Promise<never>(() => {})],
  ])('gives each process its rate while the database is %s', async (_, query) => {
    const clock = new ManualClock();
    const buckets = new LeasedBuckets({ query }, clock);
    const startedMs = clock.monotonicMs();
    const results: boolean[] = [];
    const seconds = () => (clock.monotonicMs() - startedMs) / 1_000;
    for (let n = 0; seconds() < 10; n++) {
      void buckets.spend('key:1', 8).then((waitS) => results.push(waitS === 0));
      while (results.length === n) {
        clock.advance(25);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const spent = results.filter((isThrough) => isThrough).length;
    // A share of two at first, and then what comes in; less where each share waits for an answer that never comes.
    expect([spent > 20, spent <= 8 * seconds() + 2]).toEqual([true, true]);
  });

  it('that nobody uses is forgotten', async () => {
    await pool.query(
      `INSERT INTO rate_buckets VALUES ('key:old', 0, 1, 1, 2, now() - interval '2 minutes')
       ON CONFLICT (name) DO NOTHING`,
    );
    const buckets = new LeasedBuckets(pool, new SystemClock());
    await buckets.spend(randomUUID(), 10);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await pool.query(`SELECT FROM rate_buckets WHERE name = 'key:old'`)).rowCount).toBe(0);
  });
});

it('one key spends one bucket at two processes, by REST and by gRPC', async () => {
  const [first, second] = await Promise.all([environment.start(), environment.start()]);
  const apiKey = await environment.merchant();
  const rest = new ApiClient(() => first.url, apiKey);
  const address = second.grpc!;
  const grpc = new GrpcClient(address, apiKey);
  try {
    const startedMs = performance.now();
    const asked = Array.from({ length: 20 }, () => [
      rest.get('/v1/payments').then(({ status, headers }) => [status, headers.get('retry-after')] as const),
      grpc
        .call('Payments.List', {})
        .then(({ code, trailers }) => [code, trailers.getMap()['retry-after'] ?? null] as const),
    ]);
    const ended = await Promise.all(asked.flat());
    const most = 8 + 4 * ((performance.now() - startedMs) / 1_000) + 1;
    const through = ended.filter(([status]) => status === 200 || status === 'OK').length;
    expect([through >= 8, through <= most]).toEqual([true, true]);
    const waits = { 200: null, 429: '1', OK: null, RESOURCE_EXHAUSTED: '1' };
    expect(Object.fromEntries<unknown>(ended)).toEqual(waits);
    // Another key of another merchant is none the worse for it.
    const other = new ApiClient(() => first.url, await environment.merchant());
    expect((await other.get('/v1/payments')).status).toBe(200);
  } finally {
    grpc.close();
  }
});
