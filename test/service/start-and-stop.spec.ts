import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type WebhooksReading } from '@payonce/simulator';
import { freshDatabase, type FreshDatabase } from '../support/database.js';
import { builtService } from '../support/built-service.js';
import { type Spawned, spawnNode } from '../support/process.js';
import {
  ApiClient,
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type ServiceProcess,
  TestEnvironment,
} from '../support/test-environment.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe('the bundled simulator', () => {
  describe('the service with the simulator that comes with it', () => {
    let database: FreshDatabase;
    const directory = temporaryFolder();
    let service: Spawned;
    beforeAll(async () => {
      database = await freshDatabase();
    });
    afterEach(async () => {
      service.kill('SIGTERM');
      expect(await service.exit).toEqual({ code: 0, signal: null });
    });
    afterAll(() => database.drop());

    it.each(['127.0.0.1', '0.0.0.0'])(
      'is told of what the PSPs do, without any set-up (%s)',
      async (HOST) => {
        service = spawnNode('dist/src/main.cjs', {
          env: {
            HOST,
            PORT: '0',
            GRPC_PORT: 'off',
            DATABASE_URL: database.url,
            PAYONCE_SIMULATOR: 'on',
            PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
            PAYONCE_DATA_DIR: directory,
            PAYONCE_DB_POOL: '6',
            PAYONCE_COMMIT_LANES: '2',
          },
        });
        const [line] = await service.waitForLine(/^\{.*"listening":"http.*$/, 60_000);
        const { listening, simulator } = JSON.parse(line) as {
          listening: string;
          simulator: { control: string };
        };
        const { port } = new URL(listening);
        for (const psp of ['stripe', 'adyen']) {
          const answer = await fetch(`${simulator.control}/${psp}/_webhooks`);
          const { webhooks } = (await answer.json()) as WebhooksReading;
          expect(webhooks.map(({ url }) => url)).toEqual([`http://127.0.0.1:${port}/v1/webhooks/${psp}`]);
        }
        expect(service.output()).not.toContain('whsec_');
        // Its child, which takes commands from others, holds none of its secrets.
        const children = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8');
        const environments = children
          .trim()
          .split(' ')
          .map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
        const names = environments.map((text) =>
          text
            .split('\0')
            .filter(Boolean)
            .map((pair) => pair.split('=')[0]),
        );
        expect(names).toEqual([['PATH', 'SIMULATOR_PORTS', 'SIMULATOR_EXIT_WITH_PARENT']]);
      },
    );
  });
});

describe('a start that is refused', () => {
  /** A start that would take payments nowhere real is refused before it touches anything. */
  const accountsOf = async (env: Readonly<Record<string, string>>) => {
    const { loadConfig, pspsOf } = builtService();
    return pspsOf(loadConfig({ PORT: '0', GRPC_PORT: 'off', ...env }), null);
  };

  describe('a start without a PSP account', () => {
    const nowhere = 'postgresql://nobody:nothing@127.0.0.1:1/nothing';
    const complaint =
      'The configuration is not valid:\n  there is no PSP account: name a file of them with PAYONCE_PSPS_FILE ' +
      '(docs/configuration.md), or set PAYONCE_SIMULATOR=on, with which no payment is real';

    it('ends the process and says what to do', async () => {
      const service = spawnNode('dist/src/main.cjs', {
        // Should it start after all, then not on a database of its own.
        env: { PORT: '0', GRPC_PORT: 'off', PAYONCE_DATA_DIR: '/dev/null/payonce', NODE_ENV: 'production' },
      });
      expect(await service.exit).toEqual({ code: 1, signal: null });
      expect(service.output()).toBe(`${complaint}\n`);
    });

    it.each<[string, Record<string, string>]>([
      ['in production', { NODE_ENV: 'production' }],
      ['with a database', { DATABASE_URL: nowhere }],
      ['reached from other machines', { HOST: '0.0.0.0' }],
      ['without the simulator', { PAYONCE_SIMULATOR: 'off' }],
    ])('%s is refused', async (_, env) => {
      await expect(accountsOf(env)).rejects.toThrow(complaint);
    });
  });

  describe("a start with the simulator's secrets, which everybody knows", () => {
    const directory = temporaryFolder();

    it.each<[string, Record<string, string>]>([
      ['in production', { NODE_ENV: 'production' }],
      ['reached from other machines', { HOST: '0.0.0.0' }],
    ])('%s is refused and repeats none', async (_, env) => {
      const file = join(directory, 'psps.json');
      const credentials = { secretKey: 'sk_test_simulator', webhookSecret: 'whsec_simulator' };
      writeFileSync(file, JSON.stringify({ psps: [{ name: 'stripe', adapter: 'stripe', credentials }] }));
      const refusal = await accountsOf({ PAYONCE_PSPS_FILE: file, ...env }).then(String, String);
      const lines = refusal.split('\n');
      expect(lines).toHaveLength(2);
      for (const [n, name] of ['secretKey', 'webhookSecret'].entries()) {
        expect(lines[n]).toContain(`/psps/0/credentials/${name}: is the simulator's, which everybody knows`);
      }
      expect(refusal).not.toMatch(/sk_test_simulator|whsec_simulator/);
    });
  });
});

describe('the end of a process', () => {
  /** What is in flight when the service is told to go is answered rightly, or can be asked for again. */
  let environment: TestEnvironment;
  let service: ServiceProcess;
  let client: ApiClient;

  beforeAll(async () => {
    environment = await TestEnvironment.open({ hangs: true });
    client = new ApiClient(() => service.url, await environment.merchant());
  });
  afterAll(() => environment.close());
  beforeEach(async () => {
    await environment.simulator.reset();
    service = await environment.startProcess();
  });

  const PAYMENTS = 20;
  const psps = ['stripe', 'adyen'] as const;

  const asks = (name: string) =>
    Array.from({ length: PAYMENTS }, (_, n) => {
      const reference = `${name}-${n}`;
      const body = orderOf({ first: psps[n % psps.length]!, reference, amount: 1_000 + n });
      return { body, ask: () => client.post('/v1/payments', body, reference) };
    });

  /** The answers that were given; null where the connection was closed instead. */
  const inFlight = (asked: ReturnType<typeof asks>): Promise<Reply | null>[] =>
    asked.map(({ ask }) => ask().catch(() => null));

  function expectRight(reply: Reply): void {
    if (reply.status !== 201) return expect([202, 409, 503]).toContain(reply.status);
    const payment = paymentOf(reply);
    expect(payment.status).toBe('captured');
    expect(environment.effects(payment.id)).toMatchObject([{ psp: payment.psp, amount: payment.amount }]);
  }

  async function expectEachOnce(asked: ReturnType<typeof asks>): Promise<void> {
    const replies = await Promise.all(asked.map(({ ask }) => client.until(ask, atRest)));
    for (const [n, reply] of replies.entries()) {
      const payment = paymentOf(reply);
      expect(payment).toMatchObject({ status: 'captured', amount: asked[n]!.body.amount });
      expect(environment.effects(payment.id)).toMatchObject([
        { operation: 'charge', amount: payment.amount },
      ]);
    }
    expect(environment.effects()).toHaveLength(PAYMENTS);
  }

  it('answers what is in flight at a slow PSP when it is told to end, and ends', async () => {
    for (const psp of psps)
      environment.simulator.faults(psp, { fault: 'delay_after', delay_ms: 300, rate: 1 });
    const asked = asks('slow');
    const given = inFlight(asked);
    await eventually(() => environment.effects().length >= 5, 'a few calls under way');
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    const replies = await Promise.all(given);
    const answered = replies.filter((reply) => reply !== null);
    // Five had reached their PSPs: those clients at least got their answers.
    expect(answered.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(5);
    for (const reply of answered) expectRight(reply);

    await environment.simulator.clearFaults();
    service = await environment.startProcess();
    await expectEachOnce(asked);
    // What was answered before is answered the same to the byte.
    for (const [n, before] of replies.entries()) {
      if (before?.status === 201) expect((await asked[n]!.ask()).text).toBe(before.text);
    }
  });

  it('ends though PSPs do not answer, and loses nothing', async () => {
    for (const psp of psps) environment.simulator.faults(psp, { fault: 'hang_after', rate: 1 });
    const asked = asks('hung');
    const given = inFlight(asked);
    await eventually(() => environment.effects().length >= 5, 'a few calls under way');
    const stopped = service.stop();
    await environment.simulator.clearFaults();
    expect(await stopped).toEqual({ code: 0, signal: null });
    for (const reply of await Promise.all(given)) if (reply) expectRight(reply);

    service = await environment.startProcess();
    await expectEachOnce(asked);
  });
});

describe('ladders of jobs', () => {
  describe('a ladder for one kind of job', () => {
    let environment: TestEnvironment;
    beforeEach(async () => {
      environment = await TestEnvironment.open();
    });
    afterEach(() => environment.close());

    it('has queues of its own, which its jobs go through', async () => {
      const ladders = '0/4,10m/1; webhook.apply=0/2,1s/1; webhook.deliver_apart=0/1';
      const service = await environment.start({ role: 'all', env: { PAYONCE_JOB_LADDER: ladders } });
      const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
      // A figure that is not there in time is left out of its scrape.
      const queues = await eventually(async () => {
        const text = await metrics();
        const named = [...text.matchAll(/payonce_jobs_queued\{queue="([^"]+)",state="waiting"\}/g)];
        return named.length > 0 ? named.map(([, queue]) => queue) : null;
      }, 'the queues are counted');
      expect(queues).toEqual([
        'default-now',
        'default-10m',
        'deliveries',
        'webhook-apply-now',
        'webhook-apply-1s',
        'webhook-deliver-apart-now',
      ]);
      environment.notify(service.url);
      const client = new ApiClient(() => service.url, await environment.merchant());
      const reply = await client.post('/v1/payments', orderOf({ first: 'stripe' }), 'order-1');
      expect(paymentOf(reply).status).toBe('captured');
      await eventually(
        async () => (await metrics()).includes('payonce_jobs_total{kind="webhook.apply",outcome="done"}'),
        'what the PSP told has been applied',
      );
    });

    it('of a kind that there is not is refused at the start', async () => {
      const worker = spawnNode('dist/src/main.cjs', {
        env: {
          PORT: '0',
          GRPC_PORT: 'off',
          DATABASE_URL: environment.database.serviceUrl,
          PAYONCE_JOB_LADDER: '0/4; webhook.aply=0/2',
          PAYONCE_ROLE: 'worker',
          PAYONCE_SIMULATOR: 'external',
          PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
        },
      });
      expect(await worker.exit).toEqual({ code: 1, signal: null });
      expect(worker.output()).toBe(
        'The configuration is not valid:\n  PAYONCE_JOB_LADDER: webhook.aply is no kind of job; ' +
          'webhook.apply, webhook.deliver, webhook.deliver_apart are\n',
      );
    });
  });
});
