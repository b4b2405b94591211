import { captured, paymentRequest, smallestPaymentRequest } from '../../src/payments/payment.examples.js';
import { refund } from '../../src/refunds/refund.examples.js';
import { Problem } from '../../src/core/problem.js';
import { VERSION } from '../../src/core/version.js';
import { PAYMENT_ID, RunningApi } from './fake-api.js';
import { callerFixture } from '../support/caller.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the REST surface', () => {
  let api: RunningApi;

  beforeEach(async () => {
    api = await RunningApi.start();
  });
  afterEach(() => api.app.close());

  it('hands a payment on as the flow takes it', async () => {
    const answer = await api.send({
      body: paymentRequest,
      idempotencyKey: '"key-1"',
      headers: { prefer: 'wait=10', 'payonce-deadline': '12000', 'request-id': 'mine' },
    });
    const [flow, asked, ask] = api.payments.calls[0]!;
    expect(flow).toBe('create');
    expect(asked).toEqual({
      caller: callerFixture({
        scopes: [
          'payments:read',
          'payments:write',
          'recipients:write',
          'webhooks:read',
          'webhooks:write',
          'events:read',
        ],
        sourceAddress: '127.0.0.1',
      }),
      key: 'key-1',
      waitMs: 10_000,
      deadlineMs: 12_000,
      requestId: answer.headers['request-id'],
    });
    expect(ask).toEqual({
      reference: 'order-1234',
      amount: 1000,
      currency: 'EUR',
      capture: 'automatic',
      paymentMethod: {
        type: 'card',
        tokens: { stripe: 'pm_card_visa', adyen: '8415718415172204' },
        customers: { stripe: 'cus_9s6XKzkNRiz8i3', adyen: 'shopper-9' },
        card: { brand: 'visa', country: 'DE' },
      },
      customer: { reference: 'cust-9', email: 'a@example.com' },
      returnUrl: 'https://shop.example/return',
      statementDescriptor: 'SHOP',
      metadata: {},
    });
    expect(answer.headers['request-id']).toMatch(UUID_V7);
    expect(answer.headers['preference-applied']).toBe('wait=10');
  });

  it('leaves nothing optional undefined', async () => {
    await api.send({ body: smallestPaymentRequest });
    expect(api.payments.calls[0]![2]).toEqual({
      reference: 'order-1235',
      amount: 1200,
      currency: 'JPY',
      capture: 'automatic',
      paymentMethod: {
        type: 'card',
        tokens: { stripe: 'pm_card_visa' },
        card: { brand: null, country: null },
      },
      customer: { reference: null, email: null },
      returnUrl: null,
      statementDescriptor: null,
      metadata: {},
    });
  });

  it.each([
    [201, 'application/json'],
    [202, 'application/json'],
    [409, 'application/problem+json'],
    [422, 'application/problem+json'],
  ])('sends the stored bytes of a %i as they are', async (status, type) => {
    const body = '{ "spaced" :1.0, "é":"\\u00e9" }';
    api.payments.answer = () => Promise.resolve({ status, body, replayed: true });
    const answer = await api.send({ body: paymentRequest });
    expect(answer).toMatchObject({ status, text: `${body}\n` });
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'idempotent-replayed': 'true',
      'request-id': expect.stringMatching(UUID_V7),
    });
    api.payments.answer = () => Promise.resolve({ status, body, replayed: false });
    expect((await api.send({ body: paymentRequest })).headers).not.toHaveProperty('idempotent-replayed');
  });

  it('leads on from what was made, from what is under way, and from what was refused', async () => {
    const id = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43';
    const answered = async (status: number, body: object) => {
      const stored = { status, body: JSON.stringify(body), replayed: true };
      api.payments.answer = () => Promise.resolve(stored);
      const {
        location,
        'retry-after': retryAfter,
        link,
      } = (await api.send({ body: paymentRequest })).headers;
      return { location, retryAfter, link };
    };
    const none = { location: undefined, retryAfter: undefined, link: undefined };
    const payment = { object: 'payment', id, status: 'processing' };
    const at = { ...none, location: `/v1/payments/${id}` };
    expect(await answered(201, payment)).toEqual(at);
    expect(await answered(202, payment)).toEqual({ ...at, retryAfter: '1' });
    const refund = { object: 'refund', id, status: 'processing' };
    expect(await answered(202, refund)).toMatchObject({ location: `/v1/refunds/${id}` });
    const help = { ...none, link: '</docs/problems/no_route>; rel="help"' };
    expect(await answered(422, new Problem('no_route', 'None.').document())).toEqual(help);
    // What is not stored as well.
    const unknown = await api.send({ method: 'GET', path: '/v1/nothing' });
    expect(unknown.headers['link']).toBe('</docs/problems/not_found>; rel="help"');
  });

  it('leads a browser to the documentation, and nothing else', async () => {
    const ask = { method: 'GET', path: '/' } as const;
    const browser = await api.send({ ...ask, headers: { accept: 'text/html,application/xhtml+xml' } });
    expect([browser.status, browser.headers['location']]).toEqual([302, '/docs']);
    const program = await api.send(ask);
    expect(program.status).toBe(404);
    expect(program.json()).toMatchObject({
      detail: 'There is nothing at this path. /docs tells what there is.',
    });
  });

  it.each([
    [undefined, '1'],
    [3, '3'],
    [0.2, '1'],
  ])('asks to retry a request in progress (%s s)', async (retryAfterS, shown) => {
    const more = retryAfterS === undefined ? {} : { retryAfterS };
    api.payments.answer = () => Promise.reject(new Problem('request_in_progress', 'It runs.', more));
    const answer = await api.send({ body: paymentRequest });
    expect(answer.status).toBe(409);
    expect(answer.headers['retry-after']).toBe(shown);
    expect(answer.json()).toMatchObject({
      code: 'request_in_progress',
      request_id: answer.headers['request-id'],
    });
  });

  it.each([
    new Error('connect ECONNREFUSED 4242 4242 4242 4242'),
    Object.assign(new Error('Unauthorized'), { statusCode: 401, code: 'resource_missing' }),
    'a string',
  ])('says nothing of what went wrong inside', async (thrown) => {
    api.payments.answer = async () => {
      throw thrown;
    };
    const answer = await api.send({ body: paymentRequest });
    expect(answer.status).toBe(500);
    expect(answer.json()).toEqual({
      type: expect.any(String),
      title: expect.any(String),
      status: 500,
      code: 'internal_error',
      detail: 'Internal error. Quote request_id when you contact support.',
      request_id: answer.headers['request-id'],
    });
    const errors = api.logged.filter((line) => line.includes('"error"'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(answer.headers['request-id']);
    expect(errors[0]).not.toContain('4242 4242');
  });

  it('captures all, a part, and cancels, with and without a body', async () => {
    const capture = `/v1/payments/${PAYMENT_ID.toUpperCase()}/capture`;
    const cancel = `/v1/payments/${PAYMENT_ID}/cancel`;
    const empty = { 'content-type': 'application/json', 'content-length': '0' };
    await api.send({ path: capture });
    await api.send({ path: capture, headers: empty });
    await api.send({ path: capture, body: {} });
    await api.send({ path: capture, body: { amount: 400, reference: 'parcel-1' } });
    await api.send({ path: cancel });
    await api.send({ path: cancel, body: {} });
    expect(api.payments.calls.map(([flow, , id, ask]) => [flow, id, ask])).toEqual([
      ['capture', PAYMENT_ID, { amount: null, reference: null }],
      ['capture', PAYMENT_ID, { amount: null, reference: null }],
      ['capture', PAYMENT_ID, { amount: null, reference: null }],
      ['capture', PAYMENT_ID, { amount: 400, reference: 'parcel-1' }],
      ['cancel', PAYMENT_ID, undefined],
      ['cancel', PAYMENT_ID, undefined],
    ]);
  });

  it('refunds all, a part, and reads refunds', async () => {
    const path = `/v1/payments/${PAYMENT_ID}/refunds`;
    const part = { amount: 400, reference: 'parcel-1', reason: 'returned', metadata: { by: 'shop' } };
    await api.send({ path });
    expect((await api.send({ path, body: part })).json()).toEqual(refund);
    await api.send({ method: 'GET', path: `${path}?limit=3` });
    expect((await api.send({ method: 'GET', path: `/v1/refunds/${refund.id}` })).json()).toEqual(refund);
    expect(api.refunds.calls.map(([method, , ...more]) => [method, ...more])).toEqual([
      ['create', PAYMENT_ID, { amount: null, reference: null, reason: null, metadata: {} }],
      ['create', PAYMENT_ID, part],
      ['list', PAYMENT_ID, 3, null],
      ['get', refund.id],
    ]);
    for (const reference of ['', '-a', 'a b', 'a'.repeat(65)]) {
      expect((await api.send({ path, body: { reference } })).json().code).toBe('validation_failed');
    }
  });

  it('reads one, its attempts, and lists', async () => {
    const read = await api.send({ method: 'GET', path: `/v1/payments/${PAYMENT_ID}` });
    expect(read.json()).toEqual(captured);
    expect(read.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    await api.send({ method: 'GET', path: `/v1/payments/${PAYMENT_ID}/attempts` });
    await api.send({ method: 'GET', path: '/v1/payments' });
    await api.send({
      method: 'GET',
      path: '/v1/payments?limit=100&cursor=01900000-0000-7000-8000-000000000009&status=failed&psp=stripe&reference=order%201&created%5Bgte%5D=2026-01-01T00:00:00Z&created[lte]=2026-02-01T01:00:00%2B01:00',
    });
    const lists = api.payments.calls.filter(([flow]) => flow === 'list').map(([, , ...ask]) => ask);
    expect(lists).toEqual([
      [{}, 20, null],
      [
        {
          status: 'failed',
          psp: 'stripe',
          reference: 'order 1',
          createdFrom: new Date('2026-01-01T00:00:00Z'),
          createdTo: new Date('2026-02-01T00:00:00Z'),
        },
        100,
        '01900000-0000-7000-8000-000000000009',
      ],
    ]);
  });

  it('writes one line a request, with the pattern of the route and nothing of the client', async () => {
    await api.send({
      method: 'GET',
      path: `/v1/payments/${PAYMENT_ID}?x=secret`,
      headers: { cookie: 'secret' },
    });
    const answer = await api.send({
      method: 'GET',
      path: `/v1/payments/${PAYMENT_ID}`,
      headers: { 'user-agent': 'secret' },
    });
    expect(api.logged).toHaveLength(2);
    expect(JSON.parse(api.logged[1]!)).toEqual({
      level: 'info',
      time: expect.any(String),
      request_id: answer.headers['request-id'],
      method: 'GET',
      route: '/v1/payments/:id',
      status: 200,
      code: null,
      ms: expect.any(Number),
      merchant_id: 'm-1',
      api_key_id: 'k-1',
      source_address: '127.0.0.1',
      msg: 'request',
    });
    expect(api.logged.join('')).not.toMatch(/secret/);
  });

  it('tells its health and its metrics', async () => {
    expect((await api.send({ method: 'GET', path: '/health/live', apiKey: null })).json()).toEqual({
      status: 'live',
      version: VERSION,
    });
    expect((await api.send({ method: 'GET', path: '/health/ready', apiKey: null })).json()).toEqual({
      status: 'ready',
      checks: { database: 'up' },
    });
    const metrics = await api.send({ method: 'GET', path: '/metrics', apiKey: null });
    expect(metrics.text).toContain(
      'payonce_http_request_seconds_count{method="GET",route="/health/ready",status="200"} 1',
    );
    expect(metrics.text).toContain('payonce_http_requests_in_flight 0');
  });
});

test('is not ready when something it needs is down', async () => {
  const api = await RunningApi.start({
    readiness: () => Promise.resolve({ ready: false, checks: { database: 'down' } }),
  });
  const answer = await api.send({ method: 'GET', path: '/health/ready', apiKey: null });
  expect(answer.status).toBe(503);
  expect(answer.json()).toEqual({ status: 'not_ready', checks: { database: 'down' } });
  await api.app.close();
});
