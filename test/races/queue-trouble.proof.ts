import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PaymentFlow } from './payment-flow.js';

/**
 * The queue is in trouble while payments flow: an API and two workers as they run in service, with their
 * own timings, PSPs that lose answers, notifications, and a merchant's endpoint. The API does not notice,
 * or says 503; and afterwards everything that is due is done within a minute, once in effect.
 */
const TROUBLE_MS = 3_000;
const AROUND_MS = 2_000;
const env = { PAYONCE_WEBHOOK_TARGETS: 'any', PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64') };

// Above the minute that is waited for, so that a spec that falls says what was left.
jest.setTimeout(100_000);

/** Payments flow before, during and after; resolves at rest. */
async function through(name: string, flow: PaymentFlow, trouble: () => Promise<void>): Promise<void> {
  flow.start();
  await sleep(AROUND_MS);
  await trouble();
  const endedMs = performance.now();
  await sleep(AROUND_MS);
  await flow.stop();
  const took = await flow.atRest(endedMs);
  const answers = JSON.stringify(Object.fromEntries(flow.answers));
  process.stdout.write(`${name}: answers ${answers}; s until done ${JSON.stringify(took)}\n`);
  expect(await flow.complaints()).toEqual([]);
}

describeWithRedis('Redis in trouble while payments flow', () => {
  let redis: RedisServer;
  let environment: TestEnvironment;
  let flow: PaymentFlow;

  beforeAll(async () => {
    redis = await RedisServer.start(true);
    environment = await TestEnvironment.open({ env: { ...env, REDIS_URL: redis.url } });
    const roles = ['api', 'worker', 'worker'];
    const [api] = await Promise.all(roles.map((role) => environment.start({ env: { PAYONCE_ROLE: role } })));
    flow = await PaymentFlow.open(environment, () => api!.url);
  });
  afterAll(async () => {
    await flow?.close();
    await environment?.close();
    await redis?.stop();
  });
  afterEach(() => flow?.answers.clear());

  /** What the queues had to do, at the moment at which they forgot it. */
  const flush = () =>
    redis.command(
      'EVAL',
      `local lost = 0
       for _, key in ipairs(redis.call('KEYS', '*:wait')) do lost = lost + redis.call('LLEN', key) end
       redis.call('FLUSHALL')
       return lost`,
      0,
    );
  const undisturbed = () =>
    expect([...flow.answers.keys()].filter((s) => s !== 201 && s !== 202)).toEqual([]);

  it('emptied, again and again', async () => {
    let lost = 0;
    await through('flushed', flow, async () => {
      const endsMs = performance.now() + TROUBLE_MS;
      while (lost === 0 || performance.now() < endsMs) {
        flow.burst(5);
        await sleep(100);
        lost += Number(await flush());
      }
    });
    process.stdout.write(`flushed: ${lost} jobs were waiting\n`);
    undisturbed();
  });

  it('killed, and there again after a while', async () => {
    await through('killed', flow, async () => {
      await redis.kill();
      await sleep(TROUBLE_MS);
      expect((await flow.underWay()).staged).toBeGreaterThan(0);
      await redis.restart();
    });
    undisturbed();
  });

  it.each([
    ['read only', [['REPLICAOF', '127.0.0.1', '1']], [['REPLICAOF', 'NO', 'ONE']]],
    [
      'full',
      [
        ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
        ['CONFIG', 'SET', 'maxmemory', '1mb'],
      ],
      [['CONFIG', 'SET', 'maxmemory', '0']],
    ],
  ])('%s for a while', async (name, strike, mend) => {
    await through(name, flow, async () => {
      for (const [command, ...args] of strike) await redis.command(command!, ...args);
      await sleep(TROUBLE_MS);
      expect((await flow.underWay()).staged).toBeGreaterThan(0);
      for (const [command, ...args] of mend) await redis.command(command!, ...args);
    });
    undisturbed();
  });
});
