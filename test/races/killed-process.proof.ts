import {
  eventually,
  orderOf,
  type ServiceProcess,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/**
 * A process is killed with calls under way. Nobody waits for its 20 s locks: its keys and routes are taken
 * up within seconds, and each payment rests with one effect.
 */
const PAYMENTS = 24;
const LOCK_MS = 20_000;
/** 3 s on a machine that does nothing else; half of what the locks would last, on one that does. */
const PATIENCE_MS = 10_000;

let environment: TestEnvironment;
let apiKey: string;

beforeAll(async () => {
  environment = await TestEnvironment.open({ timeoutMs: 3_000, lockTtlMs: LOCK_MS });
  apiKey = await environment.merchant();
});
afterAll(() => environment.close());

interface Row {
  readonly id: string;
  readonly status: string;
}
const payments = () => environment.sql<Row>('SELECT id, status FROM payments');

async function killUnderLoad(victim: ServiceProcess): Promise<number> {
  for (const psp of ['stripe', 'adyen'] as const) {
    environment.simulator.faults(psp, { fault: 'delay_after', delay_ms: 1_500, next: PAYMENTS });
  }
  const client = new ApiClient(() => victim.url, apiKey);
  for (let n = 0; n < PAYMENTS; n++) {
    const body = orderOf({ first: n % 2 ? 'stripe' : 'adyen', reference: `order-${n}` });
    client.post('/v1/payments', body, `order-${n}`).catch(() => null);
  }
  await eventually(() => environment.effects().length >= PAYMENTS / 2, 'calls that have had their effect');
  victim.kill();
  await victim.exit;
  await environment.simulator.clearFaults();
  return performance.now();
}

it('what a killed process had in hand rests within seconds, once', async () => {
  const [victim] = await Promise.all([environment.startProcess(), environment.startProcess()]);
  const killedAt = await killUnderLoad(victim);
  const left = (await payments()).filter(({ status }) => status === 'processing').map(({ id }) => id);
  expect(left.length).toBeGreaterThan(PAYMENTS / 4);

  const restedMs = new Map<string, number>();
  await eventually(
    async () => {
      for (const { id, status } of await payments()) {
        if (status !== 'processing' && left.includes(id) && !restedMs.has(id)) {
          restedMs.set(id, performance.now() - killedAt);
        }
      }
      return restedMs.size === left.length;
    },
    'every payment rests',
    60_000,
  );
  const times = [...restedMs.values()].toSorted((a, b) => a - b);
  const [median, worst] = [times[Math.floor(times.length / 2)]!, times.at(-1)!];
  process.stdout.write(
    `after kill -9: ${left.length} payments rest after ${Math.round(median)} ms (median), ${Math.round(worst)} ms (worst)\n`,
  );
  expect(worst).toBeLessThan(PATIENCE_MS);
  for (const id of left)
    expect(environment.effects(id).map(({ operation }) => operation)).toEqual(['charge']);
}, 120_000);

it('a process that only stands still keeps its locks', async () => {
  const [still] = await Promise.all([environment.startProcess(), environment.startProcess()]);
  environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 1_000, next: 1 });
  const asked = new ApiClient(() => still.url, apiKey).post('/v1/payments', orderOf(), 'stands-still');
  const held = () =>
    environment.sql("SELECT 1 FROM idempotency_keys WHERE key = 'stands-still' AND lock_token IS NOT NULL");
  await eventually(async () => (await held()).length > 0, 'the lock');
  process.kill(still.pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const [{ left }] = (await environment.sql<{ left: boolean }>(
    "SELECT resumable_at > statement_timestamp() + interval '5 s' AS left FROM idempotency_keys WHERE key = 'stands-still'",
  )) as [{ left: boolean }];
  expect(left).toBe(true);
  process.kill(still.pid, 'SIGCONT');
  expect((await asked).status).toBe(201);
}, 60_000);
