import { setTimeout as sleep } from 'node:timers/promises';
import { spawnNode } from '../support/process.js';
import {
  ApiClient,
  atRest,
  eventually,
  orderOf,
  paymentOf,
  sealKey,
  type ServiceProcess,
  TestEnvironment,
} from '../support/test-environment.js';

describe('a clock a month ahead', () => {
  /** A machine whose clock is a month ahead works on a database that it must not judge by its own time. */
  const MONTH_MS = 31 * 24 * 3_600_000;
  const ahead = { PAYONCE_CLOCK_OFFSET_MS: String(MONTH_MS) };

  let environment: TestEnvironment;
  let sound: ServiceProcess;
  let client: ApiClient;

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    sound = await environment.startProcess({ env: { PAYONCE_ROLE: 'api' } });
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
    const worker = await environment.startProcess({ env: { PAYONCE_ROLE: 'worker', ...ahead } });
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
});

describe('two clocks 100 s apart', () => {
  /**
   * Two API processes whose clocks are 100 s apart. A charge is 6 s on its way; what one process stamps
   * and the other judges must not make "not found" final before it has arrived.
   */
  const APART_MS = 100_000;
  const ON_ITS_WAY_MS = 6_000;

  let environment: TestEnvironment;
  let apiKey: string;

  beforeAll(async () => {
    environment = await TestEnvironment.open({
      timeoutMs: 600,
      lockTtlMs: 1_700,
      env: { PAYONCE_ROLE: 'api' },
    });
    apiKey = await environment.merchant();
  });
  afterAll(() => environment.close());

  const skewed = (ms: number) => environment.startProcess({ env: { PAYONCE_CLOCK_OFFSET_MS: String(ms) } });

  it('charges once, whichever of two processes is off', async () => {
    const offsets = [0, -APART_MS, -APART_MS / 2];
    const pairs = await Promise.all(offsets.map((ofA) => Promise.all([skewed(ofA), skewed(ofA + APART_MS)])));
    environment.simulator.faults('keyless', {
      fault: 'late_effect',
      delay_ms: ON_ITS_WAY_MS,
      on: 'execute',
      next: pairs.length,
    });
    const late = Date.now() + ON_ITS_WAY_MS + 2_000;

    const charges = pairs.map(async ([a, b], n) => {
      const body = orderOf({ first: 'keyless', reference: `pair-${n}` });
      const at = (url: string) => new ApiClient(() => url, apiKey).post('/v1/payments', body, `pair-${n}`);
      const asked = await at(a.url);
      expect(asked.status).toBe(202);
      const { id } = paymentOf(asked);
      // The client goes on asking, now the one and now the other.
      for (let turn = 0; Date.now() < late; turn++) {
        await at((turn % 2 === 0 ? b : a).url);
        await sleep(400);
      }
      return id;
    });
    const ids = await Promise.all(charges);
    await eventually(() => environment.effects().length >= ids.length, 'the effects');
    for (const id of ids) {
      expect(environment.effects(id).map(({ operation, psp }) => `${operation} at ${psp}`)).toEqual([
        'charge at keyless',
      ]);
    }
  });
});
