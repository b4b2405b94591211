import { resolve } from 'node:path';
import { ApiError, ConnectionError, PayonceClient } from '@payonce/client';
import { grpcFetch, type GrpcFetch } from '@payonce/client/grpc';
import { protos } from '../../packages/client/src/grpc-protos.js';
import { grpcProtos } from '../client/grpc-protos.js';
import { eventually, orderOf, type Service, TestEnvironment } from '../support/test-environment.js';

/** The client of the package by either transport: what it says is the same. */
const root = resolve(__dirname, '../..');
let environment: TestEnvironment;
let service: Service;
let byGrpc: PayonceClient;
let byRest: PayonceClient;
let grpc: GrpcFetch;

beforeAll(async () => {
  environment = await TestEnvironment.open({
    env: { GRPC_PORT: '0', PAYONCE_WEBHOOK_TARGETS: 'any' },
  });
  service = await environment.start();
  const apiKey = await environment.merchant([
    'payments:read',
    'payments:write',
    'payouts:write',
    'events:read',
    'webhooks:read',
    'webhooks:write',
    'recipients:write',
  ]);
  grpc = grpcFetch({ address: service.grpc! });
  byGrpc = new PayonceClient({ apiKey, baseUrl: 'http://payonce.internal', fetch: grpc });
  byRest = new PayonceClient({ apiKey, baseUrl: service.url });
});
afterAll(async () => {
  grpc?.close();
  await environment.close();
});

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

const order = (more: object = {}) => ({ ...orderOf({ first: 'stripe' }), ...more }) as never;

it('has the protos as they are now', () => {
  expect(grpcProtos(root)).toEqual(protos);
});

it('says by gRPC what it says by REST', async () => {
  const created = await byGrpc.payments.create(order({ metadata: { a: '1' } }));
  expect(created).toMatchObject({ status: 201, settled: true, replayed: false });
  const { id } = created.body;
  expect(created.body).toEqual(await byRest.payments.get(id));
  expect(await byGrpc.payments.get(id)).toEqual(created.body);
  const again = await byRest.payments.create(order({ metadata: { a: '1' } }), {
    idempotencyKey: created.idempotencyKey,
  });
  expect(again).toMatchObject({ replayed: true, body: created.body });

  const refund = await byGrpc.payments.refund(id, { amount: 100, reference: 'one' });
  expect(await byRest.refunds.get(refund.body.id)).toEqual(refund.body);
  const same = await byGrpc.payments.refund(id, { amount: 100, reference: 'one' });
  expect(same.body).toEqual({ ...refund.body, existing: true });
  const declined = await byGrpc.payments.create(
    order({ payment_method: { type: 'card', tokens: { stripe: 'pm_card_visa_chargeDeclined' } } }),
  );
  expect(declined.body).toMatchObject({ status: 'failed', failure: { category: expect.any(String) } });
  expect(declined.body).toEqual(await byRest.payments.get(declined.body.id));
  const held = await byGrpc.payments.create(order({ capture: 'manual' }));
  expect((await byGrpc.payments.cancel(held.body.id)).body.status).toBe('canceled');
  const taken = await byGrpc.payments.create(order({ capture: 'manual' }));
  await byGrpc.payments.capture(taken.body.id, { amount: 900 });
  const captures = await all(byGrpc.payments.captures(taken.body.id));
  expect(captures).toMatchObject([{ amount: 900, status: 'captured', reference: null }]);
  expect(captures).toEqual(await all(byRest.payments.captures(taken.body.id)));

  const pages = [await all(byGrpc.payments.list({ limit: 2 })), await all(byRest.payments.list())];
  expect(pages[0]).toEqual(pages[1]);
  const narrow = { metadata: { a: '1' }, 'amount[gte]': 1, 'amount[lte]': 1_000_000, limit: 1 };
  for (const each of [byGrpc, byRest]) expect(await all(each.payments.list(narrow))).toMatchObject([{ id }]);
  for (const each of [byGrpc, byRest])
    expect(await all(each.payments.list({ 'amount[lte]': 1 }))).toEqual([]);
  expect(await all(byGrpc.payments.attempts(id))).toEqual(await all(byRest.payments.attempts(id)));
  // An event can be read once no older transaction is open, which is a moment later.
  const stored = await environment.sql('SELECT FROM events');
  const events = await eventually(async () => {
    const listed = await all(byRest.events.list());
    return listed.length === stored.length && listed;
  }, 'all events can be read');
  expect(await all(byGrpc.events.list({ limit: 3 }))).toEqual(events);
  expect(await byGrpc.events.get(events[0]!.id)).toEqual(events[0]);
});

it.each([
  ['an amount of 0', { amount: 0 }],
  ['half a cent', { amount: 10.5 }],
  ['a mode that does not exist', { capture: 'automatical' }],
  ['a field that does not exist', { captured: true }],
  ['a card number', { reference: '4242424242424242' }],
  ['no PSP', { payment_method: { type: 'card', tokens: { nobody: 'x' } } }],
])('is refused %s by both', async (_, more) => {
  const refusals = await Promise.all(
    [byGrpc, byRest].map((client) =>
      client.payments.create(order(more)).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        const pointers = error.errors.map(({ pointer }) => pointer);
        return { status: error.status, code: error.code, pointers };
      }),
    ),
  );
  expect(refusals[0]).toEqual(refusals[1]);
  expect(refusals[0]).toMatchObject({ status: 422 });
});

it('says that nobody answered', async () => {
  const nowhere = grpcFetch({ address: '127.0.0.1:1' });
  const client = new PayonceClient({
    apiKey: 'po_live_x',
    baseUrl: 'http://payonce.internal',
    fetch: nowhere,
    maxTries: 1,
  });
  await expect(all(client.payments.list())).rejects.toThrow(ConnectionError);
  nowhere.close();
});

it('registers recipients and reads them by either', async () => {
  const body = { reference: 'carrier-1', tokens: { stripe: 'ba_1', adyen: 'SE12345678' } };
  const registered = await byGrpc.recipients.register(body);
  expect(registered).toMatchObject({ object: 'recipient', status: 'active', version: 1 });
  expect(await byRest.recipients.register(body)).toEqual(registered);
  for (const each of [byGrpc, byRest]) {
    expect(await each.recipients.get(registered.id)).toEqual(registered);
    expect(await all(each.recipients.list({ reference: 'carrier-1' }))).toEqual([registered]);
  }
  const removed = await byGrpc.recipients.remove(registered.id);
  expect(removed).toMatchObject({ status: 'removed', version: 2 });
  expect(await byRest.recipients.get(registered.id)).toEqual(removed);
});

it('looks after webhook endpoints, deliveries and replays by either', async () => {
  // Nobody listens there, and no worker sends.
  const body = { url: 'http://127.0.0.1:9/events', events: ['payment.captured' as const] };
  const refused = { code: 'validation_failed' };
  for (const each of [byGrpc, byRest]) {
    await expect(each.webhookEndpoints.create({ url: 'no address' })).rejects.toMatchObject(refused);
    const { secret, ...made } = await each.webhookEndpoints.create(body);
    expect(secret).toMatch(/^whsec_/);
    expect(made).toMatchObject({ object: 'webhook_endpoint', status: 'enabled', ...body });
    const { id } = made;
    const rotated = await each.webhookEndpoints.rotateSecret(id);
    expect(rotated.secret).not.toBe(secret);
    expect(await each.webhookEndpoints.disable(id)).toMatchObject({ disabled_reason: 'asked' });
    const enabled = await each.webhookEndpoints.enable(id);
    const ping = await each.webhookEndpoints.ping(id);
    expect(ping).toMatchObject({ object: 'event', type: 'ping', data: { id } });
    const range = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' };
    expect(await each.webhookEndpoints.replay(id, range)).toEqual({ object: 'replay', deliveries: 0 });
    for (const other of [byGrpc, byRest]) {
      expect(await other.webhookEndpoints.get(id)).toEqual(enabled);
      expect(await all(other.webhookEndpoints.list())).toContainEqual(enabled);
      expect(await all(other.events.deliveries(ping.id))).toMatchObject([
        { object: 'webhook_delivery', event_id: ping.id, endpoint_id: id, status: 'pending' },
      ]);
    }
  }
  expect((await byGrpc.webhookEndpoints.create({ url: body.url })).events).toBeNull();
  const [event] = await eventually(async () => {
    const events = await all(byRest.events.list({ type: 'payment.captured' }));
    return events.length > 0 ? events : null;
  }, 'an event of a payment');
  for (const each of [byGrpc, byRest]) {
    const replayed = await each.events.replay(event!.id);
    expect(replayed).toMatchObject({ object: 'replay', deliveries: expect.any(Number) });
  }
});
