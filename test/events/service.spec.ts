import { type EventView } from '../../src/events/event.view.js';
import {
  eventually,
  orderOf,
  type Reply,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';
import { Receiver } from './receiver.js';

/** The real service: what is asked over HTTP, and what a merchant is told of what happens there. */
const sealKey = Buffer.alloc(32, 7);

let environment: TestEnvironment;
let client: ApiClient;
let receiver: Receiver;
let service: Service;

beforeAll(async () => {
  const env = { PAYONCE_WEBHOOK_TARGETS: 'any', PAYONCE_SEAL_KEY: sealKey.toString('base64') };
  [environment, receiver] = await Promise.all([TestEnvironment.open({ env, hangs: true }), Receiver.open()]);
  service = await environment.start({ role: 'all' });
  client = new ApiClient(() => service.url, await environment.merchant());
});
// Looks through every log and table for the secrets.
afterAll(async () => {
  await receiver.close();
  await environment.close();
});

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what a caller expects
function read<T>({ text }: Reply): T {
  return JSON.parse(text) as T;
}

async function events(of: string): Promise<EventView[]> {
  const { data } = read<{ data: EventView[] }>(await client.get('/v1/events?limit=100'));
  return data.filter(({ data: { id, payment_id: payment } }) => id === of || payment === of).toReversed();
}

it('tells of a payment and its refund, once each, as they were shown; secrets stand nowhere', async () => {
  const made = await client.post(
    '/v1/webhook_endpoints',
    { url: receiver.url, events: ['payment.captured'] },
    'k',
  );
  const { id, secret } = read<{ id: string; secret: string }>(made);
  expect(made.status).toBe(201);
  const rotated = await client.post(`/v1/webhook_endpoints/${id}/rotate_secret`, {}, 'k');
  const { secret: fresh } = read<{ secret: string }>(rotated);
  environment.hide(secret, fresh, secret.slice('whsec_'.length), fresh.slice('whsec_'.length));

  const paid = await client.post('/v1/payments', orderOf(), 'order-1');
  const payment = read<{ id: string }>(paid);
  const refund = await client.post(`/v1/payments/${payment.id}/refunds`, {}, 'refund-1');
  // The same again changes nothing, so nothing is told.
  await client.post('/v1/payments', orderOf(), 'order-1');
  await client.post(`/v1/payments/${payment.id}/refunds`, {}, 'refund-2');
  // A transaction of another database on this server may hold the list back for a moment.
  const told = await eventually(async () => {
    const listed = await events(payment.id);
    return listed.length >= 2 && listed;
  }, 'both events are listed');
  expect(told.map(({ type }) => type)).toEqual(['payment.captured', 'refund.succeeded']);
  expect(told.map(({ data }) => data)).toEqual([read(paid), read(refund)]);

  await receiver.reached(1);
  const [received] = receiver.received;
  expect(read<EventView>(await client.get(`/v1/events/${told[0]!.id}`))).toEqual(told[0]);
  expect(JSON.parse(received!.body)).toEqual(told[0]);
  expect(received!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  const deliveries = await eventually(async () => {
    const path = `/v1/events/${told[0]!.id}/deliveries`;
    const { data } = read<{ data: { status: string }[] }>(await client.get(path));
    return data[0]?.status === 'delivered' && data;
  }, 'it is delivered');
  expect(deliveries).toMatchObject([{ endpoint_id: id, attempts: [{ http_status: 200 }] }]);

  const ping = await client.post(`/v1/webhook_endpoints/${id}/ping`, {}, 'k');
  expect([ping.status, read<EventView>(ping).type]).toEqual([202, 'ping']);
  const again = await client.post(`/v1/events/${told[0]!.id}/replay`, { endpoint_id: id }, 'k');
  expect([again.status, read<object>(again)]).toEqual([202, { object: 'replay', deliveries: 1 }]);
  await receiver.reached(3);
  const came = receiver.received.map(({ body }) => (JSON.parse(body) as EventView).id);
  const pinged = read<EventView>(ping).id;
  expect(came.toSorted()).toEqual([told[0]!.id, told[0]!.id, pinged].toSorted());
});

it('tells what the resolver finds out about a refund that nobody asks about any more', async () => {
  const payment = read<{ id: string }>(await client.post('/v1/payments', orderOf(), 'order-2'));
  environment.simulator.faults('stripe', { fault: 'hang_after', next: 1 });
  const asked = await client.post(`/v1/payments/${payment.id}/refunds`, {}, 'refund-3', { deadlineMs: 1 });
  expect(asked.status).toBe(202);
  const refund = read<{ id: string }>(asked);
  const told = await eventually(async () => {
    const found = await events(payment.id);
    return found.length === 2 && found;
  }, 'the refund is told of');
  expect(told.map(({ type, data }) => [type, data['id']])).toEqual([
    ['payment.captured', payment.id],
    ['refund.succeeded', refund.id],
  ]);
});

it('says what is wrong with a request', async () => {
  const code = async (path: string, body: object) =>
    read<{ code: string }>(await client.post(path, body, 'k')).code;
  const create = (body: object) => code('/v1/webhook_endpoints', body);
  expect(await create({})).toBe('validation_failed');
  expect(await create({ url: 'file:///etc/passwd' })).toBe('validation_failed');
  expect(await create({ url: 'https://user:secret@shop.example/' })).toBe('validation_failed');
  expect(await create({ url: receiver.url, events: ['payment.lost'] })).toBe('validation_failed');
  expect(await create({ url: receiver.url, events: [] })).toBe('validation_failed');
  expect(await create({ url: receiver.url, secret: 'mine' })).toBe('validation_failed');
  expect(await create({ url: 'https://nowhere.invalid/' })).toBe('webhook_target_refused');
  const { id } = read<{ id: string }>(await client.post('/v1/webhook_endpoints', { url: receiver.url }, 'k'));
  const range = { from: '2026-11-21T10:00:00Z', to: '2026-11-21T09:00:00Z' };
  expect(await code(`/v1/webhook_endpoints/${id}/replay`, range)).toBe('validation_failed');
  expect(await code('/v1/webhook_endpoints/019aa5c0-0000-7000-8000-000000000000/disable', {})).toBe(
    'not_found',
  );
  expect((await client.get('/v1/events?type=payment.lost')).status).toBe(422);
});

it('a key for payments neither sees nor changes where events go; one for reading changes nothing', async () => {
  const endpoint = { url: receiver.url };
  const codeOf = ({ status, text }: Reply) => [status, (JSON.parse(text) as { code?: string }).code];
  const checkout = new ApiClient(
    () => service.url,
    await environment.merchant(['payments:read', 'payments:write', 'payouts:write']),
  );
  const absent = '019aa5c0-0000-7000-8000-000000000000';
  for (const answer of [
    await checkout.post('/v1/webhook_endpoints', endpoint, 'k'),
    await checkout.post(`/v1/webhook_endpoints/${absent}/rotate_secret`, {}, 'k'),
    await checkout.post(`/v1/webhook_endpoints/${absent}/replay`, {}, 'k'),
    await checkout.post(`/v1/events/${absent}/replay`, {}, 'k'),
    await checkout.get('/v1/webhook_endpoints'),
    await checkout.get('/v1/events'),
  ]) {
    expect(codeOf(answer)).toEqual([403, 'forbidden']);
  }
  const reader = new ApiClient(() => service.url, await environment.merchant(['webhooks:read']));
  expect((await reader.get('/v1/webhook_endpoints')).status).toBe(200);
  expect(codeOf(await reader.post('/v1/webhook_endpoints', endpoint, 'k'))).toEqual([403, 'forbidden']);
});
