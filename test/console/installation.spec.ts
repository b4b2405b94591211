import { createServer, get, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import {
  type HealthView,
  type OverviewView,
  type WaitingOrphanRow,
} from '../../src/console/console-views.js';
import { type PageView } from '../../src/core/page.view.js';
import {
  type DeliveryRow,
  type DisputeRow,
  type MerchantPageView,
  type MerchantRow,
  type NewApiKeyView,
  type NotificationRow,
  type PayoutPageView,
  type PayoutRow,
  type PspAccountRow,
  type RefundRow,
  type RoutingView,
} from '../../src/console/installation-views.js';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
  LAST_RULE,
} from '../support/test-environment.js';

/** What the console shows of PSP accounts, merchants, webhooks and payouts, and what it does there. */
let environment: TestEnvironment;
/** Two processes over one database. */
let services: [Service, Service];
let viewer: ConsoleClient;
let operator: ConsoleClient;
let shop: ApiClient;
let apiKey: string;
let receiver: Server;
let received = 0;
let answer = 500;

const pay = (name: string, service = services[0]) =>
  new ApiClient(() => service.url, apiKey).post(
    '/v1/payments',
    orderOf({ first: 'stripe', reference: name }),
    name,
  );
/** Without a client that unpacks it. */
const rawGet = (url: string, encoding: string) =>
  new Promise<{ readonly encoding: string | undefined; readonly bytes: number }>((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding } }, (reply) => {
      let bytes = 0;
      reply.on('data', (chunk: Buffer) => (bytes += chunk.length));
      reply.on('end', () => resolve({ encoding: reply.headers['content-encoding'], bytes }));
    }).on('error', reject);
  });
const psps = async () => (await viewer.get<PageView<PspAccountRow>>('psps')).body.data;
const breaker = async (psp: string) => (await psps()).find((row) => row.psp === psp)!.breaker;

beforeAll(async () => {
  environment = await TestEnvironment.open({ env: { PAYONCE_WEBHOOK_TARGETS: 'any' } });
  services = await Promise.all([environment.start({ role: 'all' }), environment.start()]);
  const url = () => services[0].url;
  apiKey = await environment.merchant([
    'payments:read',
    'payments:write',
    'payouts:write',
    'webhooks:read',
    'webhooks:write',
    'events:read',
  ]);
  shop = new ApiClient(url, apiKey);
  viewer = await ConsoleClient.signedIn(url, await newOperator(environment, 'vic', 'viewer'));
  operator = await ConsoleClient.signedIn(url, await newOperator(environment, 'ada', 'operator'));
  receiver = createServer((_request, reply) => {
    received++;
    reply.writeHead(answer).end();
  }).listen(0, '127.0.0.1');
});
afterAll(async () => {
  receiver?.close();
  await environment.close();
});

describe('PSP accounts', () => {
  it('are shown with their calls and breakers', async () => {
    expect((await pay('order-1')).status).toBe(201);
    const stripe = (await psps()).find(({ psp }) => psp === 'stripe')!;
    expect(stripe.breaker).toMatchObject({ state: 'closed', changed_by: null });
    expect(stripe.calls).toMatchObject({ made: 1, unanswered: 0, succeeded: 1, declined: 0 });
    expect(stripe.calls.p95_ms).toBeGreaterThan(0);
    expect(stripe.operations).toContain('refund');
  });

  it('are stored, changed and disabled by administrators, who see no secret of theirs', async () => {
    const admin = await ConsoleClient.signedIn(
      () => services[0].url,
      await newOperator(environment, 'root', 'admin'),
    );
    const [secretKey, later] = ['sk_test_ofTheConsole000000', 'sk_test_ofTheConsole111111'];
    environment.hide(secretKey, later);
    const account = {
      name: 'by-console',
      adapter: 'stripe',
      account: 'acct_1Console',
      timeoutMs: 1_000,
      baseUrl: environment.simulator.urls.stripe,
      credentials: { secretKey },
    };
    const steps = [
      await admin.post('psps/accounts', { account }),
      await admin.post('psps/accounts', { account }),
      await admin.post('psps/accounts/change', {
        psp: 'by-console',
        change: { credentials: { secretKey: later } },
      }),
      await admin.post('psps/accounts/change', { psp: 'by-console', change: { account: 'acct_1Other' } }),
      await admin.post('psps/accounts/disable', { psp: 'by-console', disabled: true }),
      await admin.post('psps/accounts/disable', { psp: 'nobody', disabled: true }),
    ];
    expect(steps.map(({ status }) => status)).toEqual([200, 409, 200, 409, 200, 404]);
    expect(JSON.stringify(steps)).not.toContain('sk_test_of');
    const row = await eventually(
      async () => (await psps()).find(({ psp, disabled }) => psp === 'by-console' && disabled),
      'the process knows it',
    );
    expect(row).toMatchObject({ kept_in: 'database', merchants: null });
    const acts = await environment.acts({ subject: 'psp:by-console' });
    expect(acts.map(({ action }) => action)).toEqual([
      'psp.account_added',
      'psp.account_changed',
      'psp.account_disabled',
    ]);
  });

  it('say which of them a payment would go to, as the router decides', async () => {
    const example = { operation: 'charge', amount: 1_000, currency: 'EUR' };
    const { body } = await viewer.post<RoutingView>('psps/route', example);
    expect(body).toMatchObject({ rule: 1, passed: [], order: ['adyen', 'stripe', 'keyless'] });
    const other = (
      await viewer.post<RoutingView>('psps/route', { ...example, currency: 'USD', tokens: ['adyen'] })
    ).body;
    expect(other.rule).toBe(LAST_RULE);
    expect(other.order).toEqual(['adyen']);
    expect(other.passed[0]!.because).toBe('the currency is none of EUR');
    expect(other.accounts[0]).toMatchObject({ psp: 'stripe', because: 'there is no token for it' });
  });

  it('are closed off by hand in every process within seconds, and opened again; both are audited', async () => {
    const act = (open: boolean, note: string) => operator.post('psps/breaker', { psp: 'stripe', open, note });
    expect((await act(true, '  ')).status).toBe(422);
    expect((await operator.post('psps/breaker', { psp: 'nobody', open: true, note: 'x' })).status).toBe(404);
    expect((await act(true, 'They have an incident')).status).toBe(200);
    expect(await breaker('stripe')).toMatchObject({
      state: 'held_open',
      changed_by: 'operator:ada',
      note: 'They have an incident',
    });
    const calls = () => environment.simulator.calls('stripe').length;
    for (const [n, service] of services.entries()) {
      const goesElsewhere = async () => {
        const before = calls();
        const { psp } = paymentOf(await pay(`held-${n}-${before}-${Date.now()}`, service));
        return psp === 'adyen' && calls() === before;
      };
      await eventually(goesElsewhere, `process ${n} to leave stripe alone`);
    }
    expect((await act(false, 'It is over')).status).toBe(200);
    for (const [n, service] of services.entries()) {
      const comesBack = async () => paymentOf(await pay(`back-${n}-${Date.now()}`, service)).psp === 'stripe';
      await eventually(comesBack, `process ${n} to use stripe again`);
    }
    expect(await breaker('stripe')).toMatchObject({ state: 'closed', note: 'It is over' });
    expect(await environment.acts({ actor: 'operator:ada', subject: 'psp:stripe' })).toMatchObject([
      { action: 'psp.breaker_opened', detail: { note: 'They have an incident' } },
      { action: 'psp.breaker_closed', detail: { note: 'It is over' } },
    ]);
  });

  it('are shown open where a process opened the breaker by itself, which a person closes', async () => {
    environment.simulator.faults('stripe', { fault: 'error_500_before', rate: 1 });
    const isOpen = async () => {
      await Promise.all(Array.from({ length: 5 }, (_, n) => pay(`failing-${n}-${Date.now()}`)));
      return (await breaker('stripe')).state === 'open';
    };
    await eventually(isOpen, 'the breaker to open');
    await environment.simulator.clearFaults('stripe');
    await operator.post('psps/breaker', { psp: 'stripe', open: false, note: 'Mended' });
    await eventually(async () => (await breaker('stripe')).state === 'closed', 'the breaker to close');
  });
});

it('shows merchants and their keys, and no secret', async () => {
  const { data } = (await viewer.get<PageView<MerchantRow>>('merchants')).body;
  expect(data).toMatchObject([{ name: 'Shop', keys: 1 }]);
  const { body } = await viewer.get<MerchantPageView>(`merchants/${data[0]!.id}`);
  expect(body.keys).toMatchObject([{ revoked_at: null }]);
  expect(apiKey.startsWith(body.keys[0]!.prefix)).toBe(true);
  const text = JSON.stringify(body);
  expect(text).not.toContain(apiKey);
  expect(text).not.toMatch(/hash|secret/);
  const other = await viewer.get('merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42');
  expect(other.status).toBe(404);
});

it('lets administrators create merchants, their keys and limits, and leaves a record of each act', async () => {
  const admin = await ConsoleClient.signedIn(
    () => services[0].url,
    await newOperator(environment, 'kim', 'admin'),
  );
  type Answer = MerchantPageView & NewApiKeyView & { code?: string };
  const made = (await admin.post<MerchantPageView>('merchants', { name: 'Bakery' })).body.merchant;
  const act = (path: string, body: object) => admin.post<Answer>(`merchants/${made.id}/${path}`, body);
  const statusWith = async (key: string) =>
    (await new ApiClient(() => services[0].url, key).get('/v1/payments')).status;

  const first = (await act('keys', { scopes: ['payments:read'], expires_in_hours: 2 })).body;
  const rotated = (await act('keys/rotate', { id: first.id, grace_hours: 1 })).body;
  const test = (await act('keys', { scopes: ['payments:read'], test: true })).body;
  environment.hide(first.key, rotated.key, test.key);
  expect(await Promise.all([first.key, rotated.key, test.key].map(statusWith))).toEqual([200, 200, 200]);
  expect(test.merchant_id).not.toBe(made.id);
  expect((await act('keys/revoke', { id: first.id })).body.keys).toMatchObject([
    { id: rotated.id, revoked_at: null },
    { id: first.id, revoked_at: expect.any(String) },
  ]);
  expect(await statusWith(first.key)).toBe(401);

  const limit = { currency: 'EUR', per: 'recipient', amount: 100_000 };
  expect((await act('payout-limits', limit)).status).toBe(200);
  const window = (value: string) => act('settings', { name: 'duplicate_window', value });
  const page = async () => (await admin.get<MerchantPageView>(`merchants/${made.id}`)).body;
  expect((await window('30')).body.approval).toBeNull();
  expect((await page()).payout_limits).toEqual([{ ...limit, count: null }]);
  expect((await act('payout-limits/remove', limit)).body.code).toBe('validation_failed');
  const { currency } = limit;
  await window('60');
  expect((await page()).settings[0]).toMatchObject({
    name: 'duplicate_window',
    value: '60',
    words: 'within 60 s',
  });

  expect((await act('name', { name: ' Old Bakery ' })).body.merchant.name).toBe('Old Bakery');

  const refusals = [
    await act('name', { name: 'a\u0007b' }),
    await admin.post('merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/name', { name: 'x' }),
    await act('keys', { scopes: ['everything'] }),
    await act('keys/rotate', { id: first.id, grace_hours: 1 }),
    await act('payout-limits', { currency, per: 'merchant' }),
    await act('payout-limits/remove', { currency, per: 'merchant' }),
    await window('-1'),
    await act('settings', { name: 'no_setting', value: '1' }),
    await admin.post('merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/keys', { scopes: ['payments:read'] }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([422, 404, 422, 409, 422, 404, 422, 422, 404]);
  const acts = await environment.acts({ actor: 'operator:kim', merchantId: made.id });
  expect([...new Set(acts.map(({ action }) => action))].toSorted()).toEqual([
    'api_key.created',
    'api_key.revoked',
    'api_key.rotated',
    'merchant.created',
    'merchant.duplicate_window_set',
    'merchant.renamed',
    'payout_limit.set',
  ]);
});

it('shows its health: processes with versions, queues, and tasks, those that fail first', async () => {
  await environment.sql(
    `INSERT INTO schedules (name, every_ms, started_at, ended_at, failures)
     VALUES ('a-task-that-fails', 86400000, '2026-01-01T00:00:00Z', '2026-01-01T00:00:02Z', 3)`,
  );
  const { body: health } = await viewer.get<HealthView>('health');
  expect(health.processes).toHaveLength(services.length);
  expect(new Set(health.processes.map(({ version }) => version))).toEqual(new Set([health.version]));
  expect(health.postgres).toMatch(/^\d+\.\d+/);
  expect(Math.abs(health.clock_difference_ms)).toBeLessThan(2_000);
  expect(health.hold).toBe('none');
  expect(health.queues.map(({ name }) => name)).toContain('Events to fan out');
  expect(health.tasks[0]).toEqual({
    name: 'a-task-that-fails',
    every_s: 86_400,
    is_running: false,
    ended_at: '2026-01-01T00:00:02.000Z',
    next_at: '2026-01-02T00:00:00.000Z',
    failures: 3,
  });
  // Those of the worker among them.
  await eventually(async () => {
    const { tasks } = (await viewer.get<HealthView>('health')).body;
    return tasks.some(({ name, ended_at: at }) => name !== 'a-task-that-fails' && at !== null);
  }, 'a task of the worker to end');
});

it('says why an orphan effect waits, and what the PSP said to giving it back', async () => {
  const { id } = paymentOf(await pay('an-orphan'));
  const key = `payment-${id}-charge`;
  await environment.sql(
    `INSERT INTO orphan_effects (merchant_id, entity_key, route, attempt, psp, amount, currency, found_at, psp_reference, status)
     SELECT merchant_id, entity_key, route, attempt, 'stripe', 1999, 'USD', now(), 'pi_orphan', 'failed' FROM psp_attempts
      WHERE entity_key = $1 LIMIT 1`,
    [key],
  );
  const listed = async () => (await viewer.get<PageView<WaitingOrphanRow>>('orphans')).body.data;
  expect(await listed()).toMatchObject([
    { entity_key: key, reference: 'an-orphan', merchant: 'Shop', said: null },
  ]);
  await environment.sql(
    `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency, psp_idempotency_key,
       verdict, decided_at, fence, opened_at)
     SELECT merchant_id, $2, 1, 'refund', payment_id, psp, amount, currency, 'k-of-orphan', 'ruled_out', now(), 1, now()
       FROM psp_requests WHERE entity_key = $1`,
    [key, `payment-${id}-orphan-1`],
  );
  await environment.sql(
    `INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, trace_id, request, started_at, ended_at, outcome, psp_code, latency_ms)
     SELECT merchant_id, $2, 1, 1, 'execute', 't', '{}', now(), now(), 'declined', 'insufficient_funds', 5
       FROM psp_requests WHERE entity_key = $1`,
    [key, `payment-${id}-orphan-1`],
  );
  expect((await listed())[0]!.said).toMatchObject({ outcome: 'declined', psp_code: 'insufficient_funds' });
});

it('serves its scripts compressed, and as they are to who takes no Brotli', async () => {
  const page = await (await fetch(`${services[0].url}/ops`)).text();
  const [, script] = /src="([^"]+\.js)"/.exec(page)!;
  const url = new URL(script!, `${services[0].url}/ops/`).href;
  const [small, whole] = [await rawGet(url, 'br'), await rawGet(url, 'identity')];
  expect([small.encoding, whole.encoding]).toEqual(['br', undefined]);
  expect(small.bytes).toBeLessThan(whole.bytes / 2);
});

it('lists payouts, and shows one with what happened', async () => {
  const asked = await shop.post(
    '/v1/payouts',
    {
      amount: 2_500,
      currency: 'EUR',
      reference: 'salary-1',
      recipient: { reference: 'driver-7', tokens: { adyen: 'SE322KH223222F5GXZFNM3BGP' } },
    },
    'payout-1',
  );
  const { id } = JSON.parse(asked.text) as { id: string };
  for (const q of [id, 'salary-1', 'driver-7']) {
    const { data } = (await viewer.get<PageView<PayoutRow>>(`payouts?q=${q}`)).body;
    expect([q, data.map((row) => row.id)]).toEqual([q, [id]]);
  }
  const all = (await viewer.get<PageView<PayoutRow>>('payouts')).body.data;
  expect(all).toMatchObject([{ id, recipient: 'driver-7', merchant: 'Shop' }]);
  const status = all[0]!.status;
  expect((await viewer.get<PageView<PayoutRow>>(`payouts?status=${status}`)).body.data).toEqual(all);
  expect((await viewer.get<PageView<PayoutRow>>('payouts?status=failed')).body.data).toEqual([]);
  const page = (await viewer.get<PayoutPageView>(`payouts/${id}`)).body;
  expect(page.explained).toMatch(/^The merchant asked to pay out 25\.00 EUR .* ago\. adyen/);
  expect(page.timeline.some(({ title }) => title.startsWith('execute at adyen'))).toBe(true);
  expect(page.lifecycle.visited.at(-1)).toBe(status);
  expect(await environment.acts({ actor: 'operator:vic', action: 'payout.viewed' })).toHaveLength(1);
});

it('lists refunds and disputes of all merchants, and counts open disputes as urgent', async () => {
  const other = new ApiClient(() => services[0].url, await environment.merchant());
  const paid = paymentOf(
    await other.post('/v1/payments', orderOf({ first: 'stripe', reference: 'of-another' }), 'o'),
  );
  const own = paymentOf(await pay('refunded'));
  const refunds: string[] = [];
  for (const [client, { id }] of [
    [shop, own],
    [other, paid],
    [shop, own],
  ] as const) {
    const asked = await client.post(
      `/v1/payments/${id}/refunds`,
      { amount: 100, reference: `r-${refunds.length}` },
      `refund-${refunds.length}`,
    );
    refunds.push((JSON.parse(asked.text) as { id: string }).id);
  }
  const listed = (await viewer.get<PageView<RefundRow>>('refunds')).body.data;
  expect(listed.map(({ id }) => id)).toEqual(refunds.toReversed());
  expect(listed[1]).toMatchObject({
    payment: 'of-another',
    payment_id: paid.id,
    status: 'succeeded',
    amount: 100,
  });
  const rest = (await viewer.get<PageView<RefundRow>>(`refunds?cursor=${refunds[1]}`)).body.data;
  expect(rest.map(({ id }) => id)).toEqual([refunds[0]]);

  const dispute = (n: number, status: string) => ({
    id: `019aa5c3-1d2e-7f00-8a11-00000000000${n}`,
    pspReference: `du_${n}`,
    status,
    reason: 'fraudulent',
    amount: 500 + n,
    amountWithheld: 500,
    stage: 1,
    openedAt: '2026-01-01T00:00:00.000Z',
    closedAt: null,
  });
  for (const [id, disputes] of [
    [own.id, [dispute(1, 'open'), dispute(3, 'won')]],
    [paid.id, [dispute(2, 'open')]],
  ] as const) {
    await environment.sql('UPDATE payments SET disputes = $1 WHERE id = $2', [JSON.stringify(disputes), id]);
  }
  const shown = async (query: string) =>
    (await viewer.get<PageView<DisputeRow>>(`disputes${query}`)).body.data.map((row) => row.psp_reference);
  expect(await shown('')).toEqual(['du_3', 'du_2', 'du_1']);
  expect(await shown('?status=open')).toEqual(['du_2', 'du_1']);
  expect(await shown(`?cursor=${dispute(2, 'open').id}`)).toEqual(['du_1']);
  const { text } = (await viewer.get<{ text: string }>('disputes.csv?status=won')).body;
  expect(text).toContain(',won,5.03,5.00,USD,stripe,du_3,fraudulent,,2026-01-01T00:00:00.000Z,');
  const { waiting } = (await viewer.get<OverviewView>('overview')).body;
  expect(waiting.find(({ name }) => name === 'disputes')).toMatchObject({
    count: 2,
    oldest_at: '2026-01-01T00:00:00.000Z',
    money: [{ currency: 'USD', amount: 1_003 }],
  });
});

describe('webhooks', () => {
  const deliveries = async (list = '') =>
    (await viewer.get<PageView<DeliveryRow>>(`webhooks/deliveries${list}`)).body.data;

  it('lists deliveries with their last answer, and sends one again', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?token=of-the-merchant`;
    const made = await shop.post('/v1/webhook_endpoints', { url, events: ['payment.captured'] }, 'endpoint');
    expect(made.status).toBe(201);
    const { id } = paymentOf(await pay('order-hook'));
    // The endpoint also gets what was captured before it was made and is not yet given out.
    const own = async (list = '') => (await deliveries(list)).filter(({ payment_id }) => payment_id === id);
    const tried = async () => (await own('?list=undelivered'))[0]?.http_status === 500;
    await eventually(tried, 'a delivery to fail');
    const [row] = await own('?list=undelivered');
    expect(row).toMatchObject({
      type: 'payment.captured',
      status: 'pending',
      merchant: 'Shop',
    });
    // Merchants put secrets into queries.
    expect(row!.url).toBe(url.split('?')[0]);
    answer = 200;
    const before = received;
    const { merchant_id, event_id, endpoint_id } = row!;
    const named = { merchant_id, event_id, endpoint_id };
    expect((await operator.post('webhooks/replay', named)).body).toEqual({ deliveries: 1 });
    await eventually(async () => (await own())[0]?.status === 'delivered', 'the delivery');
    expect(received).toBeGreaterThan(before);
    expect(await own('?list=undelivered')).toEqual([]);
    const [act] = await environment.acts({ action: 'event.replayed' });
    expect(act).toMatchObject({ actor: 'operator:ada' });
    const cursor = `${event_id}.${endpoint_id}`;
    expect(await own(`?cursor=${cursor}`)).toEqual([]);
    expect((await viewer.get('webhooks/deliveries?cursor=x')).status).toBe(422);
  });

  it('lists what PSPs notified', async () => {
    environment.notify(services[0].url, {}, ['stripe']);
    const { id } = paymentOf(await pay('order-notified'));
    const inbox = async (list = '') =>
      (await viewer.get<PageView<NotificationRow>>(`webhooks/inbox${list}`)).body;
    const applied = async () =>
      (await inbox()).data.some((row) => row.payment_id === id && row.state !== 'received');
    await eventually(applied, 'a notification');
    expect((await inbox()).data[0]).toMatchObject({ psp: 'stripe', tries: expect.any(Number) });
    expect((await inbox('?list=undecided')).data).toEqual([]);
  });
});
