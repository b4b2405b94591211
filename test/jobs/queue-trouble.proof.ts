import { setTimeout as sleep } from 'node:timers/promises';
import { PaymentFlow } from '../support/payment-flow.js';
import { PostgresServer } from '../support/postgres-server.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { eventually, type ServiceProcess, TestEnvironment } from '../support/test-environment.js';
import { inTurn } from '../support/turns.js';

describe('Redis in trouble', () => {
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
      const [api] = await Promise.all(
        roles.map((role) => environment.startProcess({ env: { PAYONCE_ROLE: role } })),
      );
      flow = await PaymentFlow.open(environment, () => api!.url);
    });
    afterAll(async () => {
      await flow?.close();
      await environment?.close();
      await redis?.stop();
    });
    afterEach(() => flow?.answers.clear());

    /** Empties Redis and returns how many jobs were waiting. */
    const flush = () =>
      redis.command(
        'EVAL',
        `local lost = 0
       for _, key in ipairs(redis.call('KEYS', '*:wait')) do lost = lost + redis.call('LLEN', key) end
       redis.call('FLUSHALL')
       return lost`,
        0,
      );
    const troubles: Readonly<Record<string, () => Promise<void>>> = {
      'emptied, again and again': async () => {
        let lost = 0;
        const endsMs = performance.now() + TROUBLE_MS;
        while (lost === 0 || performance.now() < endsMs) {
          flow.burst(5);
          await sleep(100);
          lost += Number(await flush());
        }
        process.stdout.write(`flushed: ${lost} jobs were waiting\n`);
      },
      'killed, and there again after a while': async () => {
        await redis.kill();
        await jobsWait();
        await redis.restart();
      },
      'read only for a while': async () => {
        await redis.command('REPLICAOF', '127.0.0.1', '1');
        await jobsWait();
        await redis.command('REPLICAOF', 'NO', 'ONE');
      },
      'full for a while': async () => {
        await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
        await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');
        await jobsWait();
        await redis.command('CONFIG', 'SET', 'maxmemory', '0');
      },
    };
    async function jobsWait(): Promise<void> {
      await sleep(TROUBLE_MS);
      expect((await flow.underWay()).staged).toBeGreaterThan(0);
    }

    it.each(inTurn(Object.keys(troubles)))('%s', async (name) => {
      await through(name, flow, troubles[name]!);
      expect([...flow.answers.keys()].filter((s) => s !== 201 && s !== 202)).toEqual([]);
    });
  });
});

describe('workers in trouble', () => {
  /**
   * Queues in Postgres, and an API and two workers as they run in service: the server is killed, a worker
   * dies between a request to a merchant's endpoint and its record, and one is frozen past its locks.
   */
  const env = {
    PAYONCE_WEBHOOK_TARGETS: 'any',
    PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
    PAYONCE_DB_POOL: '5',
  };
  const OUTAGE_MS = 3_000;
  /** Longer than the lock of a job (15 s), the lease of a schedule (15 s) and the enqueuer's silence (8 s). */
  const FROZEN_MS = 18_000;
  const SEATED = 'relays staged jobs from now on';

  let postgres: PostgresServer;
  let environment: TestEnvironment;
  let api: ServiceProcess;
  let workers: [ServiceProcess, ServiceProcess];
  let flow: PaymentFlow;

  const startWorker = () => environment.startProcess({ watched: true, env: { PAYONCE_ROLE: 'worker' } });

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    environment = await TestEnvironment.open({ env, database: postgres });
    [api, ...workers] = await Promise.all([
      environment.startProcess({ env: { PAYONCE_ROLE: 'api' } }),
      startWorker(),
      startWorker(),
    ]);
    flow = await PaymentFlow.open(environment, () => api.url);
  });
  afterAll(async () => {
    await flow?.close();
    await (environment ?? { close: () => postgres?.drop() }).close();
  });
  afterEach(() => flow?.answers.clear());

  async function done(name: string, sinceMs: number): Promise<void> {
    await flow.stop();
    const took = await flow.atRest(sinceMs);
    const answers = JSON.stringify(Object.fromEntries(flow.answers));
    process.stdout.write(`${name}: answers ${answers}; s until done ${JSON.stringify(took)}\n`);
    expect(await flow.complaints()).toEqual([]);
  }

  /** How often this process sat down to hand jobs over. */
  const seatings = (worker: ServiceProcess) => worker.output().split(SEATED).length - 1;

  it('Postgres killed and started again in the middle: 503 meanwhile, and one effect each', async () => {
    flow.start();
    await sleep(2_000);
    await postgres.kill();
    await sleep(OUTAGE_MS);
    await postgres.restart();
    const sinceMs = performance.now();
    await sleep(2_000);
    await done('Postgres killed', sinceMs);
    const answers = [...flow.answers.keys()];
    expect(answers).toContain(503);
    // 409: a client asks again while the run before it still holds the key.
    expect(answers.filter((status) => ![201, 202, 409, 503].includes(status))).toEqual([]);
  });

  it('a worker frozen past its locks: the other takes over, and it works on when it wakes', async () => {
    const [frozen, other] = seatedFirst(workers);
    const before = seatings(other);
    flow.start();
    await sleep(1_000);
    const sinceMs = performance.now();
    frozen.kill('SIGSTOP');
    await eventually(() => seatings(other) > before, 'the other one hands over');
    const seatS = ((performance.now() - sinceMs) / 1_000).toFixed(1);
    await sleep(FROZEN_MS - (performance.now() - sinceMs));
    frozen.kill('SIGCONT');
    const thawedMs = performance.now();
    await done(`a worker frozen (its seat was taken after ${seatS} s)`, thawedMs);
    // Alone it does everything.
    await other.stop();
    workers = [frozen, await startWorker()];
    workers[1].kill('SIGSTOP');
    flow.burst(10);
    await done('thawed and alone', performance.now());
    workers[1].kill('SIGCONT');
  });

  it('a worker that dies after a request to an endpoint: sent again under its id, recorded once', async () => {
    const [victim, other] = workers;
    await Promise.all(workers.map((worker) => worker.arm({ place: 'delivery:after:post' })));
    const before = flow.receiver.received.length;
    flow.burst(1);
    const died = await Promise.race([victim.exit.then(() => victim), other.exit.then(() => other)]);
    const sinceMs = performance.now();
    const survivor = died === victim ? other : victim;
    await survivor.arm({ place: 'nowhere' });
    workers = [survivor, await startWorker()];
    await done('killed after a request', sinceMs);
    const [sent, again, ...more] = flow.receiver.received.slice(before);
    expect(more).toEqual([]);
    expect(again!.headers['webhook-id']).toBe(sent!.headers['webhook-id']);
    expect(again!.body).toBe(sent!.body);
    const attempts = await environment.sql<{ status: number | null }>(
      'SELECT http_status AS status FROM webhook_delivery_attempts WHERE event_id = $1 ORDER BY attempt',
      [sent!.headers['webhook-id']],
    );
    expect(attempts).toEqual([{ status: null }, { status: 200 }]);
  });

  /** The process that sat down last hands jobs over now. */
  function seatedFirst([one, other]: readonly [ServiceProcess, ServiceProcess]): [
    ServiceProcess,
    ServiceProcess,
  ] {
    const at = (worker: ServiceProcess) => {
      const line =
        worker
          .output()
          .split('\n')
          .findLast((each) => each.includes(SEATED)) ?? '{"time":""}';
      return String((JSON.parse(line) as { time: unknown }).time);
    };
    return at(one) > at(other) ? [one, other] : [other, one];
  }
});
