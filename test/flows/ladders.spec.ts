import { spawnNode } from '../support/process.js';
import { eventually, orderOf, paymentOf, ApiClient, TestEnvironment } from '../support/test-environment.js';

describe('a ladder for one kind of job', () => {
  let environment: TestEnvironment;
  beforeEach(async () => {
    environment = await TestEnvironment.open();
  });
  afterEach(() => environment.close());

  it('has queues of its own, which its jobs go through', async () => {
    const ladders = '0/4,10m/1; webhook.apply=0/2,1s/1; webhook.deliver_apart=0/1';
    const service = await environment.start({ env: { PAYONCE_JOB_LADDER: ladders } });
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
    const queues = [...(await metrics()).matchAll(/payonce_jobs_queued\{queue="([^"]+)",state="waiting"\}/g)];
    expect(queues.map(([, queue]) => queue)).toEqual([
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
