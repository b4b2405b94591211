import { spawnNode } from '../support/process.js';
import {
  eventually,
  atRest,
  orderOf,
  paymentOf,
  type Service,
  ApiClient,
  TestEnvironment,
  sealKey,
} from '../support/test-environment.js';

/** A machine whose clock is a month ahead works on a database that it must not judge by its own time. */
const MONTH_MS = 31 * 24 * 3_600_000;
const ahead = { PAYONCE_CLOCK_OFFSET_MS: String(MONTH_MS) };

let environment: TestEnvironment;
let sound: Service;
let client: ApiClient;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  sound = await environment.start({ env: { PAYONCE_ROLE: 'api' } });
  client = new ApiClient(() => sound.url, await environment.merchant());
});
afterAll(() => environment.close());

async function ask(url: string, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}${path}`);
  return { status: response.status, text: await response.text() };
}

async function runReaper(env: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const child = spawnNode('bin/payonce.mjs', {
    args: ['tasks', 'run', 'reaper', '--json'],
    env: {
      DATABASE_URL: environment.database.url,
      PAYONCE_SIMULATOR: 'external',
      PAYONCE_SEAL_KEY: sealKey,
      ...env,
    },
  });
  const { code } = await child.exit;
  return { code, said: child.output() };
}

it('a worker that is a month ahead forgets no fresh key, so that the same key charges once', async () => {
  const order = () => client.post('/v1/payments', orderOf(), 'fresh');
  const first = await client.until(order, atRest);

  const refused = await runReaper(ahead);
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('invalid_state') });
  // On a busy machine the database's answer may come too late to compare the clocks by; then it is refused as well.
  const done = await eventually(async () => {
    const ran = await runReaper({});
    return ran.code === 0 && ran;
  }, 'the reaper runs');
  expect(done.said).toContain('"deleted":0');

  const again = await order();
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  expect(environment.effects(paymentOf(first).id)).toHaveLength(1);
});

it('says in its readiness and in a metric that its clock is off, and leaves periodic tasks to others', async () => {
  const worker = await environment.start({ env: { PAYONCE_ROLE: 'worker', ...ahead } });
  const { status, text } = await ask(worker.url, '/health/ready');
  expect(status).toBe(503);
  expect(JSON.parse(text)).toEqual({ status: 'not_ready', checks: { database: 'up', clock: 'down' } });
  const metrics = await ask(worker.url, '/metrics');
  const apart = Number(/^payonce_clock_difference_seconds (\S+)$/m.exec(metrics.text)?.[1]);
  expect(Math.abs(apart - MONTH_MS / 1_000)).toBeLessThan(5);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(await environment.sql("SELECT name FROM schedules WHERE name <> 'reaper'")).toEqual([]);

  const ready = await ask(sound.url, '/health/ready');
  expect([ready.status, JSON.parse(ready.text)]).toEqual([
    200,
    { status: 'ready', checks: { database: 'up', clock: 'up' } },
  ]);
});
