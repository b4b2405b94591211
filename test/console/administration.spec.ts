import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import {
  type AdapterView,
  type ChangedEndpointView,
  type ConnectionView,
  type MerchantPageView,
  type StoredPspRow,
} from '../../src/console/installation-views.js';
import { type PageView } from '../../src/core/page.view.js';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import { eventually, pspNames, type Service, TestEnvironment } from '../support/test-environment.js';

/** Acts of administrators in the console: connections to PSPs, accounts by their fields, endpoints of merchants. */
let environment: TestEnvironment;
let service: Service;
let admin: ConsoleClient;

beforeAll(async () => {
  environment = await TestEnvironment.open({ env: { PAYONCE_WEBHOOK_TARGETS: 'any' } });
  service = await environment.start({ role: 'all' });
  admin = await ConsoleClient.signedIn(() => service.url, await newOperator(environment, 'root', 'admin'));
});
afterAll(() => environment.close());

type Refused = { readonly code?: string; readonly errors?: readonly { readonly pointer: string }[] };

describe('a connection to a PSP', () => {
  const check = async (psp: string) => (await admin.post<ConnectionView>('psps/check', { psp })).body;

  it('is tested by a question that changes nothing', async () => {
    const before = environment.effects().length;
    expect(await check('stripe')).toEqual({
      works: true,
      says: 'Stripe takes the key, and lets it read payments.',
    });
    const { works, says } = await check('adyen');
    expect([works, says]).toEqual([
      true,
      expect.stringMatching(/^Adyen takes the key for the merchant account /),
    ]);
    expect(environment.effects()).toHaveLength(before);
    expect((await admin.post('psps/check', { psp: 'nobody' })).status).toBe(404);
  });

  it('tells what a PSP says against it, or that nothing answers', async () => {
    const account = {
      name: 'nobody-there',
      adapter: 'stripe',
      account: 'acct_1Nobody',
      baseUrl: 'http://127.0.0.1:1',
      credentials: { secretKey: 'a-key-of-nobody-00000000' },
    };
    environment.hide(account.credentials.secretKey);
    const { stripe: baseUrl } = environment.simulator.urls;
    const unknown = await admin.post<ConnectionView>('psps/accounts/check', {
      account: { name: 'unknown', adapter: 'stripe', baseUrl, credentials: account.credentials },
    });
    expect(unknown.body).toEqual({
      works: false,
      says: expect.stringContaining('Invalid API Key provided'),
    });
    const asked = await admin.post<ConnectionView>('psps/accounts/check', { account });
    expect(asked.body).toEqual({ works: false, says: expect.stringContaining('ECONNREFUSED') });
    const faulty = await admin.post<Refused>('psps/accounts/check', {
      account: { ...account, credentials: {} },
    });
    expect([faulty.status, faulty.body.errors]).toMatchObject([422, [{ pointer: '/credentials' }]]);
  });

  it('tells a key that is of another account, and shows no secret', async () => {
    const account = {
      name: 'wrong',
      adapter: 'stripe',
      account: 'acct_1Configured',
      baseUrl: environment.simulator.urls.stripe,
      credentials: { secretKey: 'sk_test_unnamed00000000000' },
    };
    environment.hide(account.credentials.secretKey);
    const { body } = await admin.post<ConnectionView>('psps/accounts/check', { account });
    expect(body).toEqual({
      works: false,
      says: 'The secret key is of another account than the one that is configured',
    });
  });
});

it('says what accounts are written with, and of a stored one all but its secrets', async () => {
  const { data } = (await admin.get<PageView<AdapterView>>('psps/adapters')).body;
  expect(data.map(({ adapter }) => adapter).toSorted()).toEqual([...pspNames].toSorted());
  const adyen = data.find(({ adapter }) => adapter === 'adyen')!;
  expect(adyen.credentials.slice(0, 2)).toEqual([
    { name: 'apiKey', required: true, secret: true },
    { name: 'merchantAccount', required: true, secret: false },
  ]);
  const apiKey = 'a-key-of-adyen-00000000';
  environment.hide(apiKey);
  const account = {
    name: 'shop-adyen',
    adapter: 'adyen',
    timeoutMs: 1_000,
    baseUrl: `${environment.simulator.urls.adyen}/v71`,
    credentials: { apiKey, merchantAccount: 'ShopECOM' },
  };
  expect((await admin.post('psps/accounts', { account })).status).toBe(200);
  const { body } = await admin.get<StoredPspRow>('psps/accounts?psp=shop-adyen');
  expect(body).toMatchObject({
    adapter: 'adyen',
    credentials: ['apiKey', 'merchantAccount'],
    shown: { merchantAccount: 'ShopECOM' },
    base_url: account.baseUrl,
    timeout_ms: 1_000,
    test: false,
  });
  expect(JSON.stringify(body)).not.toContain(apiKey);
  expect((await admin.get('psps/accounts?psp=nobody')).status).toBe(404);
});

describe('webhook endpoints', () => {
  let receiver: Server;
  const got: { readonly body: string; readonly headers: IncomingMessage['headers'] }[] = [];
  beforeAll(async () => {
    receiver = createServer((request, reply) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        got.push({ body, headers: request.headers });
        reply.writeHead(204).end();
      });
    }).listen(0, '127.0.0.1');
  });
  afterAll(() => {
    receiver.closeAllConnections();
    receiver.close();
  });

  it('are made, tried, rotated, disabled and enabled for a merchant, with a record of each act', async () => {
    const { id } = (await admin.post<MerchantPageView>('merchants', { name: 'Bakery' })).body.merchant;
    const act = (path: string, body: object) =>
      admin.post<ChangedEndpointView & Refused>(`merchants/${id}/endpoints${path}`, body);
    const endpoint = async () => (await admin.get<MerchantPageView>(`merchants/${id}`)).body.endpoints[0]!;
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/payonce`;
    const made = (await act('', { url, events: ['payment.captured'], description: 'The till' })).body;
    environment.hide(made.secret!);
    expect(await endpoint()).toMatchObject({
      url,
      events: ['payment.captured'],
      description: 'The till',
      disabled_reason: null,
    });

    expect((await act('/ping', { id: made.id })).status).toBe(200);
    const ping = await eventually(() => got[0] ?? null, 'the ping to arrive');
    const verified = new Webhook(made.secret!).verify(ping.body, ping.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'ping' });

    const rotated = (await act('/rotate', { id: made.id })).body;
    environment.hide(rotated.secret!);
    expect(rotated.secret).not.toBe(made.secret);
    expect((await act('/disable', { id: made.id })).body).toEqual({ id: made.id, secret: null });
    expect((await endpoint()).disabled_reason).toBe('asked');
    expect((await act('/ping', { id: made.id })).status).toBe(409);
    expect((await act('/enable', { id: made.id })).status).toBe(200);
    expect((await endpoint()).disabled_reason).toBeNull();

    const refusals = [
      await act('', { url: 'ftp://127.0.0.1/' }),
      await act('', { url, events: ['no.event'] }),
      await act('/disable', { id: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42' }),
      await admin.post('merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/endpoints', { url }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([422, 422, 404, 404]);
    const acts = await environment.acts({ actor: 'operator:root', merchantId: id });
    expect(acts.map(({ action }) => action)).toEqual([
      'merchant.created',
      'webhook_endpoint.created',
      'webhook_endpoint.secret_rotated',
      'webhook_endpoint.disabled',
      'webhook_endpoint.enabled',
    ]);
  });
});
