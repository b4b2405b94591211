import { Client, credentials, loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { protoPath } from 'grpc-health-check';
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { DataSource } from 'typeorm';
import { TestObjects1700000000174 } from '../../migrations/0174-test-objects.js';
import {
  ApiClient,
  codeOf,
  eventually,
  paymentOf,
  type Service,
  TestEnvironment,
  tokens,
} from '../support/test-environment.js';
import { detailsOf, GrpcClient, type Message } from './grpc-client.js';

/** gRPC as services call it: the real process, and a client that is made from the protos. */
let environment: TestEnvironment;
let service: Service;
let address: string;
let apiKey: string;
let shop: GrpcClient;
let rest: ApiClient;

beforeAll(async () => {
  environment = await TestEnvironment.open({ timeoutMs: 2_000, lockTtlMs: 3_500, env: { GRPC_PORT: '0' } });
  service = await environment.start();
  address = addressOf(service);
  apiKey = await environment.merchant([
    'payments:read',
    'payments:write',
    'payouts:write',
    'recipients:write',
    'events:read',
    'webhooks:read',
    'webhooks:write',
  ]);
  shop = new GrpcClient(address, apiKey);
  rest = new ApiClient(() => service.url, apiKey);
});
afterAll(async () => {
  shop?.close();
  await environment.close();
});
beforeEach(() => environment.simulator.reset());

function addressOf(started: Service): string {
  return started.grpc!;
}

const card = (more: Message = {}) => ({
  reference: 'order-1',
  amount: 1_000,
  currency: 'USD',
  payment_method: { type: 'PAYMENT_METHOD_TYPE_CARD', tokens: { stripe: tokens.stripe } },
  ...more,
});
/** The same by REST. */
const restCard = {
  reference: 'order-1',
  amount: 1_000,
  currency: 'USD',
  payment_method: { type: 'card', tokens: { stripe: tokens.stripe } },
};

async function created(more: Message = {}): Promise<Message & { id: string }> {
  const { code, response } = await shop.call('Payments.Create', card(more), { key: randomUUID() });
  expect(code).toBe('OK');
  return response['payment'] as Message & { id: string };
}

describe('a client that is made from the protos', () => {
  it('charges, refunds a part and reads all of it', async () => {
    const payment = await created({ metadata: { basket: '7' } });
    expect(payment).toMatchObject({
      status: 'PAYMENT_STATUS_CAPTURED',
      amount: 1_000,
      amount_captured: 1_000,
      psp: 'stripe',
      metadata: { basket: '7' },
      routes: [{ route: 1, psp: 'stripe', verdict: 'effective', outcome: 'succeeded' }],
    });
    const { response: refunded } = await shop.call(
      'Refunds.Create',
      { payment_id: payment.id, amount: 400, reference: 'parcel-1' },
      { key: randomUUID() },
    );
    expect(refunded).toMatchObject({ refund: { status: 'REFUND_STATUS_SUCCEEDED', amount: 400 } });
    const { id } = refunded['refund'] as { id: string };
    expect((await shop.call('Refunds.Get', { id })).response).toEqual(refunded);
    const { response: refunds } = await shop.call('Refunds.List', { payment_id: payment.id });
    expect(refunds).toEqual({ data: [refunded['refund']], has_more: false });
    const { response: read } = await shop.call('Payments.Get', { id: payment.id });
    expect(read).toMatchObject({
      payment: { status: 'PAYMENT_STATUS_PARTIALLY_REFUNDED', amount_refunded: 400 },
    });
    const { response: attempts } = await shop.call('Payments.ListAttempts', { id: payment.id });
    expect(attempts['data']).toHaveLength(2);
    expect(environment.effects(payment.id)).toHaveLength(2);
    const { response: events } = await eventually(async () => {
      const listed = await shop.call('Events.List', { type: 'refund.succeeded' });
      return (listed.response['data'] as unknown[] | undefined)?.length ? listed : null;
    }, 'the event of the refund');
    expect(events).toMatchObject({
      data: [{ type: 'refund.succeeded', data: { fields: { payment_id: { stringValue: payment.id } } } }],
    });
  });

  it('authorizes, captures, cancels and lists', async () => {
    const [first, second] = [
      await created({ capture: 'CAPTURE_MODE_MANUAL' }),
      await created({ capture: 'CAPTURE_MODE_MANUAL' }),
    ];
    expect(first).toMatchObject({ status: 'PAYMENT_STATUS_AUTHORIZED' });
    const { response: captured } = await shop.call(
      'Payments.Capture',
      { id: first.id, amount: 600 },
      { key: randomUUID() },
    );
    expect(captured).toMatchObject({ payment: { status: 'PAYMENT_STATUS_CAPTURED', amount_captured: 600 } });
    const { response: canceled } = await shop.call(
      'Payments.Cancel',
      { id: second.id },
      { key: randomUUID() },
    );
    expect(canceled).toMatchObject({ payment: { status: 'PAYMENT_STATUS_CANCELED' } });
    const filter = { limit: 1, status: 'PAYMENT_STATUS_CANCELED' };
    const { response: page } = await shop.call('Payments.List', filter);
    expect(page).toMatchObject({ data: [canceled['payment']] });
    const later = { created_gte: { seconds: 4_000_000_000 } };
    expect((await shop.call('Payments.List', later)).response).toEqual({ has_more: false });
  });

  it('pays out to a recipient, one payout after another', async () => {
    const request = {
      reference: 'march',
      recipient: { reference: 'seller-1', tokens: { adyen: 'SE0000000000000000000001' } },
      amount: 500,
      currency: 'EUR',
    };
    const { code, response } = await shop.call('Payouts.Create', request, { key: randomUUID() });
    expect(code).toBe('OK');
    const payout = response['payout'] as { id: string; status: string };
    expect((await shop.call('Payouts.Get', { id: payout.id })).response).toMatchObject({
      payout: { id: payout.id, recipient: 'seller-1', amount: 500 },
    });
    expect((await shop.call('Payouts.List', { recipient: 'seller-1' })).response['data']).toHaveLength(1);
    const again = await shop.call('Payouts.Create', request, { key: randomUUID() });
    expect(again.code).toBe('FAILED_PRECONDITION');
    expect(detailsOf(again)['ErrorInfo']).toMatchObject({ metadata: { payout_id: payout.id } });
  });

  it('watches a payment until its customer has acted, and completes it', async () => {
    const payment = await created({
      currency: 'EUR',
      payment_method: { type: 'PAYMENT_METHOD_TYPE_CARD', tokens: { adyen: 'redirect' } },
      customer: { reference: 'customer-1' },
      return_url: 'https://shop.example/back',
    });
    expect(payment).toMatchObject({
      status: 'PAYMENT_STATUS_REQUIRES_ACTION',
      next_action: { redirect: { method: 'GET', url: expect.stringContaining('http') } },
    });
    const watch = await shop.watch('Payments.Watch', { id: payment.id });
    await eventually(() => watch.messages.length === 1, 'the payment as it is');
    const reference = payment['psp_reference'] as string;
    const { details } = environment.simulator.authenticate('adyen', reference, 'succeeded')!;
    environment.hide(...Object.values(details!));
    const fields = Object.fromEntries(
      Object.entries(details!).map(([name, value]) => [name, { stringValue: value }]),
    );
    const { response } = await shop.call(
      'Payments.Complete',
      { id: payment.id, details: { fields } },
      { key: randomUUID() },
    );
    expect(response).toMatchObject({ payment: { status: 'PAYMENT_STATUS_CAPTURED' } });
    expect(await watch.ended).toBe('OK');
    const statuses = watch.messages.map(({ payment }) => (payment as { status: string }).status);
    // Whether the payment is read while the PSP is asked is chance.
    expect(statuses.filter((status) => status !== 'PAYMENT_STATUS_PROCESSING')).toEqual([
      'PAYMENT_STATUS_REQUIRES_ACTION',
      'PAYMENT_STATUS_CAPTURED',
    ]);
    const other = await shop.watch('Payments.Watch', { id: randomUUID() });
    expect(await other.ended).toBe('NOT_FOUND');
  });
});

describe('the idempotency-key', () => {
  it.each(['REST', 'gRPC'])('replays what came by %s first over the other one', async (first) => {
    const key = randomUUID();
    const byRest = async () => {
      const reply = await rest.post('/v1/payments', restCard, key);
      return { id: paymentOf(reply).id, replayed: reply.headers.get('idempotent-replayed') };
    };
    const byGrpc = async () => {
      const { response, headers } = await shop.call('Payments.Create', card(), { key });
      const [replayed = null] = headers.get('idempotent-replayed');
      return { id: (response['payment'] as { id: string }).id, replayed };
    };
    const [one, other] = first === 'REST' ? [byRest, byGrpc] : [byGrpc, byRest];
    const { id, replayed } = await one();
    expect(replayed).toBeNull();
    expect(await other()).toEqual({ id, replayed: 'true' });
    expect(environment.effects(id)).toHaveLength(1);
  });

  it('is not taken for another request, and not left out', async () => {
    const key = randomUUID();
    await shop.call('Payments.Create', card(), { key });
    const reused = await shop.call('Payments.Create', card({ amount: 1_001 }), { key });
    expect([reused.code, reasonOf(reused)]).toEqual(['ALREADY_EXISTS', 'idempotency_key_reused']);
    expect(detailsOf(reused)['ErrorInfo']).toMatchObject({ metadata: { payment_id: expect.any(String) } });
    const missing = await shop.call('Payments.Create', card());
    expect([missing.code, reasonOf(missing)]).toEqual(['INVALID_ARGUMENT', 'idempotency_key_missing']);
  });

  it('answers after the deadline of the first call has passed, and nothing is done twice', async () => {
    environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 1_200, next: 1 });
    const key = randomUUID();
    const first = await shop.call('Payments.Create', card(), { key, deadlineMs: 300 });
    expect(first.code).toBe('DEADLINE_EXCEEDED');
    const busy = await shop.call('Payments.Create', card(), { key });
    expect([busy.code, reasonOf(busy)]).toEqual(['ABORTED', 'request_in_progress']);
    expect(busy.trailers.get('retry-after')).toEqual(['1']);
    expect(detailsOf(busy)['RetryInfo']).toEqual({ retry_delay: { seconds: 1 } });
    const { code, response } = await shop.call('Payments.Create', card(), {
      key,
      metadata: { prefer: 'wait=10' },
    });
    expect(code).toBe('OK');
    const payment = response['payment'] as { id: string; status: string };
    expect(payment.status).toBe('PAYMENT_STATUS_CAPTURED');
    expect(environment.effects(payment.id)).toHaveLength(1);
    // The client and the server each watch the deadline, and the client says CANCELLED where it is the first.
    const ending = /"rpc":"payonce.v1.Payments\/Create","status":"(DEADLINE_EXCEEDED|CANCELLED)"/;
    await eventually(() => Promise.resolve(ending.test(service.output())), 'the call that ended is logged');
  });
});

describe('a call that is refused', () => {
  it('says why, in google.rpc, under the code that REST has', async () => {
    const refused = await shop.call(
      'Payments.Create',
      card({
        amount: 0,
        currency: 'usd',
        payment_method: { type: 'PAYMENT_METHOD_TYPE_CARD', tokens: { stripe: '' } },
      }),
      { key: randomUUID() },
    );
    expect(refused.code).toBe('INVALID_ARGUMENT');
    const [requestId] = refused.trailers.get('request-id');
    expect(detailsOf(refused)).toEqual({
      ErrorInfo: { reason: 'validation_failed', domain: 'payonce' },
      BadRequest: {
        field_violations: expect.arrayContaining([
          { field: 'amount', description: expect.stringContaining('must be an integer') },
          { field: 'currency', description: expect.stringContaining('ISO 4217') },
          { field: 'payment_method.tokens.stripe', description: expect.any(String) },
        ]),
      },
      RequestInfo: { request_id: requestId },
    });
  });

  it.each([
    ['an amount that no number holds', { amount: '9007199254740993' }, 'validation_failed', 'amount'],
    ['a card number', { reference: '4242424242424242' }, 'card_number_refused', 'reference'],
    ['an unknown value of an enum', { capture: 77 }, 'validation_failed', 'capture'],
  ])('holds %s', async (_, more, reason, field) => {
    const refused = await shop.call('Payments.Create', card(more), { key: randomUUID() });
    expect([refused.code, reasonOf(refused)]).toEqual(['INVALID_ARGUMENT', reason]);
    expect(detailsOf(refused)['BadRequest']).toMatchObject({ field_violations: [{ field }] });
  });

  it('is refused before its message is read where the credentials are not valid', async () => {
    const stranger = new GrpcClient(address, 'po_live_0123456789ab_unknown');
    const garbage = Buffer.from([0xff, 0xff, 0xff]);
    const path = '/payonce.v1.Payments/Create';
    expect(await stranger.callWithBytes(path, garbage)).toBe('UNAUTHENTICATED');
    expect((await stranger.call('Payments.List', {})).code).toBe('UNAUTHENTICATED');
    stranger.close();
    const nobody = new GrpcClient(address, null);
    expect((await nobody.call('Payments.List', {})).code).toBe('UNAUTHENTICATED');
    nobody.close();
    const reader = new GrpcClient(address, await environment.merchant(['events:read']));
    expect((await reader.call('Payments.List', {})).code).toBe('PERMISSION_DENIED');
    reader.close();
  });

  it('does not see what belongs to another merchant', async () => {
    const { id } = await created();
    const other = new GrpcClient(address, await environment.merchant());
    expect((await other.call('Payments.Get', { id })).code).toBe('NOT_FOUND');
    expect((await other.call('Payments.Get', {})).code).toBe('NOT_FOUND');
    expect((await other.call('Refunds.Create', { payment_id: id }, { key: 'k' })).code).toBe('NOT_FOUND');
    other.close();
  });
});

describe('the server', () => {
  it('says that it serves, until it stops; a call in flight ends first', async () => {
    const other = await environment.start();
    const otherShop = new GrpcClient(addressOf(other), apiKey);
    const health = healthAt(addressOf(other));
    expect(await health.check('')).toBe('SERVING');
    expect(await health.check('payonce.v1.Payments')).toBe('SERVING');
    environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 800, next: 1 });
    const inFlight = otherShop.call('Payments.Create', card(), { key: randomUUID() });
    await eventually(() => environment.simulator.calls('stripe').length > 0, 'the call to the PSP');
    const stopped = other.stop();
    expect((await inFlight).response).toMatchObject({ payment: { status: 'PAYMENT_STATUS_CAPTURED' } });
    otherShop.close();
    health.close();
    await stopped;
  });

  it('describes itself to clients that have no protos', async () => {
    const { ServerReflection } = (
      loadPackageDefinition(
        loadSync('grpc/reflection/v1/reflection.proto', {
          keepCase: true,
          includeDirs: ['node_modules/@grpc/reflection/build/proto'],
        }),
      ) as unknown as { grpc: { reflection: { v1: Record<string, new (...args: unknown[]) => Client> } } }
    ).grpc.reflection.v1;
    const client = new ServerReflection!(address, credentials.createInsecure()) as Client & {
      ServerReflectionInfo(): {
        on(event: 'data', listener: (told: Message) => void): void;
        write(asked: Message): void;
        end(): void;
      };
    };
    const stream = client.ServerReflectionInfo();
    const told = new Promise<Message>((done) => stream.on('data', done));
    stream.write({ list_services: '' });
    const { list_services_response: listed } = await told;
    const names = (listed as { service: { name: string }[] }).service.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(
        ['Payments', 'Refunds', 'Orders', 'Payouts', 'Recipients', 'Events', 'WebhookEndpoints'].map(
          (name) => `payonce.v1.${name}`,
        ),
      ),
    );
    stream.end();
    client.close();
  });

  it('describes every service so that a strict client can call it', async () => {
    const buf = async (...args: string[]) => {
      const at = ['curl', '--http2-prior-knowledge', '--protocol', 'grpc', ...args];
      try {
        return (await promisify(execFile)('node_modules/.bin/buf', at, { timeout: 60_000 })).stdout;
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        return stdout + stderr;
      }
    };
    const url = `http://${address}`;
    const methods = (await buf('--list-methods', url)).trim().split('\n');
    expect(methods).toEqual(
      expect.arrayContaining(['payonce.v1.Payments/Create', 'payonce.v1.Refunds/Create']),
    );
    const headers = ['-H', `authorization: Bearer ${apiKey}`, '-H', `idempotency-key: ${randomUUID()}`];
    const services = new Set(methods.map((method) => method.split('/')[0]!));
    for (const name of services) {
      const method = methods.find((each) => each.startsWith(`${name}/`))!;
      const told = await buf(...headers, '-d', '{}', `${url}/${method}`);
      // Answered by the service itself: with a message, or with what is missing.
      expect([method, told]).toEqual([
        method,
        expect.stringMatching(/^\{[^]*(?:"status"|"code": "(?:invalid_argument|not_found)")/),
      ]);
    }
  });

  it('is described by what buf makes of its protos', () => {
    const made = execFileSync('node_modules/.bin/buf', ['build', '--exclude-source-info', '-o', '-']);
    expect(readFileSync('proto/payonce.binpb').equals(made)).toBe(true);
  });

  it('counts calls by method and code', async () => {
    await shop.call('Payments.Get', { id: randomUUID() });
    const text = await (await fetch(`${service.url}/metrics`)).text();
    expect(text).toMatch(
      /payonce_grpc_request_seconds_count\{method="payonce.v1.Payments\/Get",code="NOT_FOUND"\} \d/,
    );
  });
});

describe('a key of test mode', () => {
  it('reaches accounts of test mode alone, and nothing that another key made, by gRPC and by REST', async () => {
    const paid = await created();
    const [{ merchant_id: merchantId } = { merchant_id: '' }] = await environment.sql<{
      merchant_id: string;
    }>('SELECT merchant_id FROM payments WHERE id = $1', [paid.id]);
    const { key } = (await environment.command(
      'api-keys',
      'create',
      '--merchant',
      merchantId,
      '--scopes',
      'payments:read,payments:write,payouts:write,recipients:write,webhooks:write,events:read',
      '--test',
    )) as { key: string };
    expect(key).toMatch(/^po_test_/);
    environment.hide(key);
    const trial = new GrpcClient(address, key);
    const trialRest = new ApiClient(() => service.url, key);
    const orders = environment.orders('stripe').length;

    expect(reasonOf(await trial.call('Payments.Create', card(), { key: randomUUID() }))).toBe(
      'psp_account_refused',
    );
    const refused = await trialRest.post('/v1/payments', restCard, randomUUID());
    expect([refused.status, codeOf(refused)]).toEqual([422, 'psp_account_refused']);
    const of = { id: paid.id };
    expect((await trial.call('Payments.Get', of)).code).toBe('NOT_FOUND');
    const refund = { payment_id: paid.id };
    expect((await trial.call('Refunds.Create', refund, { key: randomUUID() })).code).toBe('NOT_FOUND');
    expect((await trialRest.post(`/v1/payments/${paid.id}/refunds`, {}, randomUUID())).status).toBe(404);
    expect(environment.orders('stripe')).toHaveLength(orders);

    const at = { ...restCard.payment_method, tokens: { keyless: tokens.keyless } };
    const tried = await trialRest.post('/v1/payments', { ...restCard, payment_method: at }, randomUUID());
    expect(paymentOf(tried)).toMatchObject({ status: 'captured', psp: 'keyless', test: true });
    expect(paid).toMatchObject({ test: false });
    const { id } = paymentOf(tried);
    const given = await trialRest.post(`/v1/payments/${id}/refunds`, {}, randomUUID());
    expect(JSON.parse(given.text)).toMatchObject({ object: 'refund', test: true });
    expect((await trial.call('Payments.Get', { id })).response).toMatchObject({ payment: { test: true } });
    const recipient = { reference: 'trial', tokens: { keyless: 'ba_trial_account' } };
    const payout = { reference: 'trial', amount: 100, currency: 'EUR', recipient };
    const others = await Promise.all([
      trialRest.post('/v1/payouts', payout, randomUUID()),
      trialRest.post('/v1/recipients', recipient, randomUUID()),
      trialRest.post('/v1/webhook_endpoints', { url: 'https://93.184.216.34/hook' }, randomUUID()),
    ]);
    expect(others.map(({ text }) => JSON.parse(text) as object)).toMatchObject([
      { object: 'payout', test: true },
      { object: 'recipient', test: true },
      { object: 'webhook_endpoint', test: true },
    ]);
    await eventually(async () => {
      const { data } = JSON.parse((await trialRest.get('/v1/events')).text) as {
        data: { type: string; test: boolean; data: { test: boolean } }[];
      };
      const told = data.find(({ type }) => type === 'payment.captured');
      return told?.test === true && told.data.test;
    }, 'its event is of test mode');
    expect((await rest.get(`/v1/payments/${paymentOf(tried).id}`)).status).toBe(404);
    trial.close();
  });

  it('has its mode in objects that are older than the mark of it', async () => {
    const tables = ['payments', 'refunds', 'payouts'];
    const marked = async () =>
      Promise.all(tables.map((table) => environment.sql(`SELECT id, test FROM ${table} ORDER BY id`)));
    const before = await marked();
    expect(before.flat()).toEqual(expect.arrayContaining([expect.objectContaining({ test: true })]));
    const source = await new DataSource({ type: 'postgres', url: environment.database.url }).initialize();
    const runner = source.createQueryRunner();
    const migration = new TestObjects1700000000174();
    await migration.down(runner);
    await migration.up(runner);
    expect(await marked()).toEqual(before);
    await source.destroy();
  });
});

function reasonOf(ended: Awaited<ReturnType<GrpcClient['call']>>): unknown {
  return detailsOf(ended)['ErrorInfo']?.['reason'];
}

function healthAt(where: string) {
  const { Health } = (
    loadPackageDefinition(loadSync(protoPath, { enums: String })) as unknown as {
      grpc: { health: { v1: Record<string, new (...args: unknown[]) => Client> } };
    }
  ).grpc.health.v1;
  const client = new Health!(where, credentials.createInsecure()) as Client & {
    Check(asked: Message, done: (error: unknown, told?: { status: string }) => void): void;
  };
  return {
    check: (name: string) =>
      new Promise<string>((done) =>
        client.Check({ service: name }, (error, told) => done(told?.status ?? String(error))),
      ),
    close: () => client.close(),
  };
}
