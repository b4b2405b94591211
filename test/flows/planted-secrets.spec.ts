import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { findCardNumber } from '../../src/core/card-number.js';
import { scopes } from '../../src/merchants/caller.js';
import { GrpcClient, type Message } from '../grpc/grpc-client.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  sealKey,
  type ServiceProcess,
  TestEnvironment,
  tokens,
} from '../support/test-environment.js';

/**
 * Forty card numbers and every secret that the service holds, in three hundred places where a client, a PSP or an
 * operator may put them, and then a look at all that is written down or sent: the database, Redis, the log,
 * webhooks and traces hold none of them.
 */
const OPS_TOKEN = 'ops-token-planted-0123456789-abcdef-0123456789';
const PREFIXES = ['4000', '4929', '5105', '5425', '2221', '3714', '3400', '6011', '3530', '6221'];

/** Four of each of ten issuers, with right check digits, written as people write them. */
function cards(): string[] {
  return PREFIXES.flatMap((prefix, issuer) =>
    [0, 1, 2, 3].map((n) => {
      const length = prefix.startsWith('3') && !prefix.startsWith('35') ? 15 : 16;
      const digits = `${prefix}${String(7_351_000_000 + issuer * 97 + n * 13).padStart(12, '1')}`.slice(
        0,
        length - 1,
      );
      const sum = Array.from(digits)
        .toReversed()
        .reduce((total, digit, at) => {
          const twice = Number(digit) * (at % 2 === 0 ? 2 : 1);
          return total + (twice > 9 ? twice - 9 : twice);
        }, 0);
      const number = `${digits}${(10 - (sum % 10)) % 10}`;
      return n === 0 ? number : number.replaceAll(/(\d{4})(?=\d)/g, `$1${[' ', '-', ' - '][n - 1]}`);
    }),
  );
}

describeWithRedis('what must not be written', () => {
  let redis: RedisServer;
  let server: Server;
  let environment: TestEnvironment;
  let service: ServiceProcess;
  let apiKey: string;
  let grpc: GrpcClient;
  /** What the collector of traces and the merchant's endpoint were sent. */
  let received = '';
  let planted = 0;

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => (received += chunk.toString()));
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    redis = await RedisServer.start(true);
    environment = await TestEnvironment.open({
      env: {
        REDIS_URL: redis.url,
        GRPC_PORT: '0',
        OTEL_EXPORTER_OTLP_ENDPOINT: own(),
        PAYONCE_WEBHOOK_TARGETS: 'any',
        PAYONCE_OPS_TOKEN: OPS_TOKEN,
        PAYONCE_LOG_LEVEL: 'trace',
      },
    });
    service = await environment.startProcess();
    apiKey = await environment.merchant(scopes);
    grpc = new GrpcClient(service.grpc!, apiKey);
    environment.notify(service.url);
  });
  afterAll(async () => {
    grpc?.close();
    await environment.close();
    await redis.stop();
    server.closeAllConnections();
    server.close();
  });

  const own = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const secrets = () => ({
    'API key': apiKey,
    "operators' token": OPS_TOKEN,
    'seal key': sealKey,
    'key of Stripe': 'sk_test_stage',
    'key of Adyen': 'stage-adyen-api-key',
    'webhook secret of Stripe': 'whsec_stage_of_stripe',
    'webhook secret of Adyen': '5a'.repeat(32),
    'password of the database': new URL(environment.database.url).password,
    token: tokens.stripe,
  });

  async function send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<void> {
    planted += 1;
    const init = body === undefined ? { method, headers } : { method, headers, body };
    // Node refuses a header that is none; then it was not sent.
    const response = await fetch(`${service.url}${path}`, init);
    expect([response.status < 500, path]).toEqual([true, path]);
    await response.arrayBuffer();
  }

  /** Every place where a text may stand that is not what it belongs to. */
  async function plant(text: string, isCard: boolean): Promise<void> {
    const auth = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const key = () => ({ ...auth, 'idempotency-key': randomUUID() });
    const quoted = JSON.stringify(text);
    const order = orderOf();
    const post = (body: object) => send('POST', '/v1/payments', key(), JSON.stringify(body));
    const encoded = encodeURIComponent(text);
    await Promise.all([
      send('POST', '/v1/payments', key(), `{"reference":${quoted}`),
      post({ ...order, [text]: 1 }),
      post({ ...order, currency: text }),
      post({ ...order, amount: text }),
      send('GET', `/v1/payments?reference=x&status=${encoded}`, auth),
      send('GET', `/v1/payments/${encoded}`, auth),
      send('GET', `/nowhere/${encoded}?q=${encoded}`, { authorization: `Bearer ${encoded}` }),
      send('POST', '/v1/webhooks/stripe', { 'stripe-signature': `t=1,v1=${encoded}` }, `{"id":${quoted}}`),
      send(
        'POST',
        '/v1/webhooks/adyen',
        {},
        `{"notificationItems":[{"NotificationRequestItem":{"a":${quoted}}}]}`,
      ),
      send(
        'POST',
        '/ops/api/console/session',
        { origin: service.url, 'payonce-console': '1', 'content-type': 'application/json' },
        JSON.stringify({ name: text, password: text, code: '123456' }),
      ),
      ...(isCard
        ? [
            post({ ...order, reference: text }),
            post({ ...order, metadata: { note: text } }),
            post({ ...order, payment_method: { type: 'card', tokens: { stripe: text } } }),
            send('POST', '/v1/payments', { ...auth, 'idempotency-key': text }, JSON.stringify(order)),
            callWith({ reference: text, metadata: { note: text } }),
          ]
        : [callWith({ currency: text })]),
    ]);
  }

  async function callWith(more: Message): Promise<void> {
    planted += 1;
    const payment_method = { type: 'PAYMENT_METHOD_TYPE_CARD', tokens: { stripe: tokens.stripe } };
    const request = { reference: 'order-1', amount: 1_000, currency: 'USD', payment_method, ...more };
    const { code } = await grpc.call('Payments.Create', request, { key: randomUUID() });
    expect(code).toBe('INVALID_ARGUMENT');
  }

  /** Every row of every table of every schema, as COPY would write it: pg_dump is bound to the version of its server. */
  async function databaseDump(): Promise<string> {
    const names = await environment.sql<{ name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts = [];
    for (const { name } of names) {
      const rows = await environment.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      texts.push(`${name}\n${rows.map(({ row }) => row).join('\n')}`);
    }
    return texts.join('\n');
  }

  async function redisDump(): Promise<string> {
    const client = new Redis(redis.url);
    const texts: string[] = [];
    for (const name of await client.keys('*')) {
      const type = await client.type(name);
      const value =
        type === 'hash'
          ? await client.hgetall(name)
          : type === 'string'
            ? await client.get(name)
            : type === 'stream'
              ? await client.xrange(name, '-', '+')
              : type === 'zset'
                ? await client.zrange(name, 0, -1)
                : await client.lrange(name, 0, -1);
      texts.push(`${name} ${JSON.stringify(value)}`);
    }
    client.disconnect();
    return texts.join('\n');
  }

  it('is in no dump, no log, no webhook and no trace, wherever it was planted', async () => {
    const client = new ApiClient(() => service.url, apiKey);
    const url = `${own()}/hook`;
    await client.post('/v1/webhook_endpoints', { url, events: ['payment.captured'] }, randomUUID());
    const numbers = cards();
    expect([new Set(numbers).size, numbers.filter((each) => findCardNumber(each) === null)]).toEqual([
      40,
      [],
    ]);
    for (const number of numbers) await plant(number, true);
    for (const secret of Object.values(secrets())) if (secret !== '') await plant(secret, false);
    for (const text of [numbers[0]!, apiKey, OPS_TOKEN]) {
      planted += 3;
      await environment.command('payments', 'show', text).catch(() => null);
      await environment.command('merchants', 'list', `--${text}`).catch(() => null);
      await environment.command('stuck', 'retry', text, '--by', 'spec').catch(() => null);
    }
    expect(planted).toBeGreaterThan(300);
    // What is good goes on beside it, and is seen in each place.
    const { id } = paymentOf(await client.post('/v1/payments', orderOf(), randomUUID()));
    await eventually(
      () => received.includes('payment.captured') && received.includes('psp notification'),
      'the webhook',
    );
    await service.stop();

    const dump = await databaseDump();
    const places = { dump, redis: await redisDump(), log: service.output(), received };
    for (const [place, text] of Object.entries(places)) {
      expect([place, text.length > 200]).toEqual([place, true]);
      const held = [...numbers, ...Object.values(secrets())].filter(
        (each) => each !== '' && text.includes(each),
      );
      const inHex = Object.values(secrets()).filter(
        (each) => each.length > 8 && text.includes(Buffer.from(each).toString('hex')),
      );
      expect([place, held, inHex]).toEqual([place, [], []]);
    }
    expect(dump).toContain(id);
    expect(received).toContain(id);
  });
});
