import { inspect } from 'node:util';
import { attempt, captured, paymentRequest as order } from '../../../src/payments/payment.examples.js';
import { refund } from '../../../src/refunds/refund.examples.js';
import { firstPayoutRequest, paid } from '../../../src/payouts/payout.examples.js';
import {
  answer,
  created,
  failureOf,
  problem,
  ScriptedApi,
  type Turn,
} from '../../../test/client/scripted-api.js';
import { type ClientOptions, PayonceClient } from './index.js';

const ID = captured.id;
const page =
  (data: readonly unknown[], next: string | null = null): Turn =>
  () =>
    answer(200, { data, has_more: next !== null, next_cursor: next });

async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) {
    if (items.push(item) > 100) throw new Error('no end of it');
  }
  return items;
}

describe('the methods of payments', () => {
  it('ask what they say', async () => {
    const api = new ScriptedApi([created]);
    const { payments } = api.client;
    await payments.create(order);
    await payments.get(ID);
    await payments.capture(ID, { amount: 400 }, { idempotencyKey: 'k' });
    await payments.capture(ID);
    await payments.cancel(ID);
    await payments.refund(ID, { amount: 400, reference: 'parcel-1' });
    await payments.refund(ID);
    const asked = api.sent.map(({ method, url, body }) => [
      `${method} ${url.replace('https://payonce.test', '')}`,
      body,
    ]);
    expect(asked).toEqual([
      ['POST /v1/payments', JSON.stringify(order)],
      [`GET /v1/payments/${ID}`, undefined],
      [`POST /v1/payments/${ID}/capture`, '{"amount":400}'],
      [`POST /v1/payments/${ID}/capture`, undefined],
      [`POST /v1/payments/${ID}/cancel`, undefined],
      [`POST /v1/payments/${ID}/refunds`, '{"amount":400,"reference":"parcel-1"}'],
      [`POST /v1/payments/${ID}/refunds`, undefined],
    ]);
    expect(api.keys).toEqual(['made-1', undefined, 'k', 'made-2', 'made-3', 'made-4', 'made-5']);
    const [first, read] = api.sent;
    expect(first?.headers).toMatchObject({
      authorization: 'Bearer po_live_secretsecretsecret',
      'content-type': 'application/json',
    });
    expect(Object.keys(read!.headers)).toEqual(['accept', 'authorization']);
  });

  it('read again what could not be read, and know that nothing can have happened', async () => {
    const api = new ScriptedApi([problem(503, 'overloaded'), () => answer(200, captured)]);
    expect(await api.client.payments.get(ID)).toEqual(captured);
    const down = new ScriptedApi([problem(503, 'overloaded')]);
    const error = await failureOf(down.client.payments.get(ID, { deadlineMs: 1_200 }));
    expect(error).toMatchObject({ name: 'DeadlineError', outcomeKnown: true, idempotencyKey: null });
    expect(String(error)).not.toContain('key');
  });

  it.each(['', '.', '..'])('take no id that would make it another path: %j', async (id) => {
    const api = new ScriptedApi([created]);
    expect(await failureOf(api.client.payments.get(id))).toBeInstanceOf(TypeError);
    expect(await failureOf(api.client.payments.capture(id))).toBeInstanceOf(TypeError);
    expect(api.sent).toHaveLength(0);
  });

  it('keep an id within its place', async () => {
    const api = new ScriptedApi([created]);
    await api.client.payments.get('../merchants?x=1#y');
    expect(api.sent[0]?.url).toBe('https://payonce.test/v1/payments/..%2Fmerchants%3Fx%3D1%23y');
  });
});

describe('a refusal that names another object', () => {
  it.each([
    ['probable_duplicate', 'payment_id', 'paymentId'],
    ['refund_exists', 'refund_id', 'refundId'],
    ['refund_reversed', 'refund_id', 'refundId'],
    ['payout_in_progress', 'payout_id', 'payoutId'],
  ])('%s tells its id, is not tried again and leaves nothing in doubt', async (code, member, property) => {
    const document = { title: 't', detail: 'd', status: 409, code };
    const api = new ScriptedApi([() => answer(409, { ...document, [member]: ID })]);
    const error = await failureOf(api.client.payments.create(order));
    const none = { paymentId: null, refundId: null, payoutId: null };
    expect(error).toMatchObject({ code, ...none, [property]: ID, outcomeKnown: true, tries: 1 });
  });

  it('names none where there is none', async () => {
    const api = new ScriptedApi([() => answer(409, { code: 'payout_sequence_stale', payout_id: null })]);
    expect(await failureOf(api.client.payments.create(order))).toMatchObject({ payoutId: null });
  });
});

describe('the methods of refunds and payouts', () => {
  it('ask what they say', async () => {
    const api = new ScriptedApi([
      () => answer(200, refund),
      page([refund]),
      () => answer(201, paid),
      () => answer(200, paid),
      page([paid]),
    ]);
    const { payments, payouts, refunds } = api.client;
    expect(await refunds.get(refund.id)).toEqual(refund);
    expect(await all(payments.refunds(ID, { limit: 5 }))).toEqual([refund]);
    expect(await payouts.create(firstPayoutRequest)).toMatchObject({ settled: true, body: paid });
    expect(await payouts.get(paid.id)).toEqual(paid);
    expect(await all(payouts.list({ recipient: 'recipient-1' }))).toEqual([paid]);
    expect(api.sent.map(({ method, url }) => `${method} ${url.replace('https://payonce.test', '')}`)).toEqual(
      [
        `GET /v1/refunds/${refund.id}`,
        `GET /v1/payments/${ID}/refunds?limit=5`,
        'POST /v1/payouts',
        `GET /v1/payouts/${paid.id}`,
        'GET /v1/payouts?recipient=recipient-1',
      ],
    );
    expect(api.keys).toEqual([undefined, undefined, 'made-1', undefined, undefined]);
  });
});

describe('a list', () => {
  it('goes through all pages, each asked for with the cursor of the one before', async () => {
    const api = new ScriptedApi([
      page([1, 2], 'c-1'),
      problem(503, 'overloaded'),
      page([3], 'c-2'),
      page([]),
    ]);
    const found = await all(api.client.payments.list({ limit: 2, 'created[gte]': '2026-11-21T10:00:00Z' }));
    expect(found).toEqual([1, 2, 3]);
    const asked = api.sent.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
    const filter = { limit: '2', 'created[gte]': '2026-11-21T10:00:00Z' };
    expect(asked).toEqual([
      filter,
      { ...filter, cursor: 'c-1' },
      { ...filter, cursor: 'c-1' },
      { ...filter, cursor: 'c-2' },
    ]);
  });

  it('asks for no page before it is wanted', async () => {
    const api = new ScriptedApi([page([1, 2], 'c-1'), page([3])]);
    for await (const payment of api.client.payments.list()) {
      expect(payment).toBe(1);
      break;
    }
    expect(api.sent).toHaveLength(1);
    expect(new URL(api.sent[0]!.url).search).toBe('');
  });

  it('can be had page by page', async () => {
    const api = new ScriptedApi([page([attempt], 'c-1'), page([])]);
    const pages = await all(api.client.payments.attempts(ID).pages());
    expect(pages.map(({ data }) => data.length)).toEqual([1, 0]);
  });

  it('begins at a cursor that was kept', async () => {
    const api = new ScriptedApi([page([3], 'c-2'), page([4])]);
    expect(await all(api.client.payments.list({ cursor: 'c-1' }))).toEqual([3, 4]);
    const cursors = api.sent.map(({ url }) => new URL(url).searchParams.getAll('cursor'));
    expect(cursors).toEqual([['c-1'], ['c-2']]);
  });

  it('that goes in circles ends', async () => {
    const api = new ScriptedApi([page([1], 'c-1'), page([2], 'c-2'), page([1], 'c-1')]);
    expect(await failureOf(all(api.client.payments.list()))).toMatchObject({
      message: expect.stringContaining('came back to a page'),
    });
    expect(api.sent).toHaveLength(3);
  });
});

describe('events', () => {
  const events = (...ids: string[]) => ids.map((id) => ({ object: 'event', id }));

  it('are listed, and read one by one', async () => {
    const api = new ScriptedApi([page(events('e3', 'e2'), 'c-1'), page(events('e1'))]);
    const listed = await all(api.client.events.list({ type: 'payment.captured', limit: 2 }));
    expect(listed.map(({ id }) => id)).toEqual(['e3', 'e2', 'e1']);
    await api.client.events.get('e1');
    expect(api.sent.map(({ url }) => url.replace('https://payonce.test', ''))).toEqual([
      '/v1/events?type=payment.captured&limit=2',
      '/v1/events?type=payment.captured&limit=2&cursor=c-1',
      '/v1/events/e1',
    ]);
  });

  it('that came after one that is known are gone through up to it, and no page more', async () => {
    const pages = [page(events('e4', 'e3'), 'c-1'), page(events('e2', 'e1'), 'c-2'), page(events('e0'))];
    const api = new ScriptedApi(pages);
    expect((await all(api.client.events.since('e2'))).map(({ id }) => id)).toEqual(['e4', 'e3']);
    expect(api.sent).toHaveLength(2);
    const afresh = new ScriptedApi(pages);
    expect(await all(afresh.client.events.since(null))).toHaveLength(5);
  });
});

describe('the options', () => {
  const options: ClientOptions = { apiKey: 'po_live_secretsecretsecret', baseUrl: 'https://payonce.test' };

  it.each<[string, Partial<ClientOptions>]>([
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: 'po_live_secret\r\nx: y' }],
    ['baseUrl', { baseUrl: 'secret.payonce.test' }],
    ['baseUrl', { baseUrl: 'ftp://payonce.test' }],
    ['baseUrl', { baseUrl: 'https://user:secret@payonce.test' }],
    ['baseUrl', { baseUrl: 'https://payonce.test/?x=1' }],
    ['deadlineMs', { deadlineMs: 0 }],
    ['tryTimeoutMs', { tryTimeoutMs: Number.NaN }],
    ['maxTries', { maxTries: 1.5 }],
    ['initialDelayMs', { initialDelayMs: -1 }],
    ['maxDelayMs', { maxDelayMs: 100 }],
  ])('that cannot be right are refused by their name: %s %j', (name, wrong) => {
    expect(() => new PayonceClient({ ...options, ...wrong })).toThrow(TypeError);
    expect(() => new PayonceClient({ ...options, ...wrong })).toThrow(`${name}: must`);
    expect(() => new PayonceClient({ ...options, ...wrong })).not.toThrow('secret');
  });

  it('of a call are refused before anything is sent', async () => {
    const api = new ScriptedApi([created]);
    const { payments } = api.client;
    for (const wrong of [
      { idempotencyKey: '' },
      { idempotencyKey: 'a\nb' },
      { idempotencyKey: 'é' },
      { idempotencyKey: 'x'.repeat(256) },
      { waitUntilSettledMs: -1 },
      { deadlineMs: 0 },
    ]) {
      expect(await failureOf(payments.create(order, wrong))).toBeInstanceOf(TypeError);
    }
    expect(api.sent).toHaveLength(0);
  });

  it('take a service under a path', async () => {
    const api = new ScriptedApi([created], undefined, { baseUrl: 'https://shop.test/pay/' });
    await api.client.payments.create(order);
    expect(api.sent[0]?.url).toBe('https://shop.test/pay/v1/payments');
  });

  it('make a key of 122 random bits where none is given', async () => {
    const api = new ScriptedApi([created], undefined, { newIdempotencyKey: undefined });
    for (let n = 0; n < 100; n++) await api.client.payments.create(order);
    expect(new Set(api.keys).size).toBe(100);
    for (const key of api.keys)
      expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('are not shown by a client that is printed, nor by an error', async () => {
    const api = new ScriptedApi([() => Promise.reject(new TypeError('fetch failed'))]);
    const error = await failureOf(api.client.payments.create(order, { maxTries: 1 }));
    for (const shown of [api.client, error]) {
      expect(inspect(shown, { depth: 20, showHidden: true })).not.toContain('secretsecret');
      expect(JSON.stringify(shown)).not.toContain('secretsecret');
    }
  });
});
