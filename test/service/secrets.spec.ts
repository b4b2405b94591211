import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type FaultRequest } from '@payonce/simulator';
import { Redis } from 'ioredis';
import { findCardNumber } from '../../src/core/card-number.js';
import { scopes } from '../../src/core/caller.js';
import { GrpcClient, type Message } from '../grpc/grpc-client.js';
import { shopsWithWindow } from '../support/duplicate-window.js';
import { spawnNode } from '../support/process.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  sealKey,
  type ServiceProcess,
  TestEnvironment,
  tokens,
  type PspName,
} from '../support/test-environment.js';

describe('tokens, customers and credentials', () => {
  /**
   * Tokens, what a customer is called and every credential stay out of all that is written down, on
   * the good ways, on the bad ones and where a client or a PSP puts them where they do not belong.
   * The log is as talkative as it can be made.
   */
  let environment: TestEnvironment;
  let service: ServiceProcess;
  let apiKey: string;
  let client: ApiClient;
  const outputs: ServiceProcess[] = [];

  beforeAll(async () => {
    environment = await TestEnvironment.open({
      hangs: true,
      env: { PAYONCE_LOG_LEVEL: 'trace' },
    });
    apiKey = await environment.merchant();
    client = new ApiClient(() => service.url, apiKey);
    await start();
  });
  afterAll(() => environment.close());

  async function start(): Promise<void> {
    service = await environment.startProcess();
    outputs.push(service);
  }

  const tokens = {
    stripe: 'pm_visa_LEAK7f3a',
    adyen: 'shopper-LEAK7f3a-9',
    keyless: 'pm_mc_LEAK7f3a',
  } as const;
  /** Not even a PSP knows this one; Stripe repeats it in its refusal. */
  const unknownToken = 'visa-LEAK7f3a-nobody-knows';
  const email = 'leak7f3a.customer@shop.example';
  /** A reference that is no address is no secret: docs/adr/0190. */
  const customer = 'customer-LEAK7f3a@shop.example';

  const secrets = () => [
    ...Object.values(tokens),
    'LEAK7f3a',
    'leak7f3a',
    apiKey,
    apiKey.slice(-16),
    'sk_test_stage',
    'stage-adyen-api-key',
  ];

  const order = (first: PspName, reference: string, more: object = {}) => ({
    ...orderOf({ first, reference, tokens }),
    customer: { reference: customer, email },
    ...more,
  });

  async function settle(first: PspName, reference: string, more: object = {}) {
    const body = order(first, reference, more);
    return paymentOf(await client.until(() => client.post('/v1/payments', body, reference), atRest));
  }

  const written = () => outputs.map((one) => one.output()).join('\n');

  /** Every row of every table, as text. */
  async function tables(): Promise<Map<string, string>> {
    const names = await environment.sql<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const dumps = new Map<string, string>();
    for (const { name } of names) {
      const rows = await environment.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      dumps.set(name, rows.map(({ row }) => row).join('\n'));
    }
    return dumps;
  }

  async function expectNothingTold(): Promise<void> {
    const dumps = await tables();
    const found = secrets().flatMap((secret) => [
      ...(written().includes(secret) ? [`log: ${secret}`] : []),
      ...[...dumps].filter(([, text]) => text.includes(secret)).map(([name]) => `${name}: ${secret}`),
      // A bytea is shown in hex: what is sealed must not be readable that way either.
      ...[...dumps]
        .filter(([, text]) => text.includes(Buffer.from(secret).toString('hex')))
        .map(([name]) => `${name}, in hex: ${secret}`),
    ]);
    expect(found).toEqual([]);
    // The dump is one: what may be told is in it.
    expect(dumps.get('idempotency_keys')).toContain('plain-stripe');
    expect(dumps.get('payments')).toContain('plain-stripe');
    expect(dumps.get('psp_attempts')).toContain('succeeded');
    expect(dumps.get('payment_transitions')).toContain('opened');
    expect(written().length).toBeGreaterThan(2_000);
  }

  interface Sent {
    readonly method?: string;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }

  it('writes down no token, no customer and no credential, whatever happens', async () => {
    for (const first of ['stripe', 'adyen', 'keyless'] as const) {
      const { id } = await settle(first, `plain-${first}`);
      expect(environment.effects(id)).toHaveLength(1);
    }
    // Captured, and canceled, by hand.
    for (const verb of ['capture', 'cancel']) {
      const { id } = await settle('adyen', `by-hand-${verb}`, { capture: 'manual' });
      const done = await client.post(`/v1/payments/${id}/${verb}`, {}, `by-hand-${verb}-2`);
      expect(done.status).toBe(200);
    }
    const faults: readonly [PspName, FaultRequest][] = [
      ['stripe', { fault: 'hang_after', next: 1 }],
      ['stripe', { fault: 'truncate', next: 1 }],
      ['stripe', { fault: 'html_502_after', next: 1 }],
      ['stripe', { fault: 'decline', code: 'do_not_honor', next: 1 }],
      ['adyen', { fault: 'reset_after', next: 1 }],
      ['adyen', { fault: 'decline', code: '5', next: 1 }],
      ['keyless', { fault: 'error_500_after', next: 1 }],
    ];
    for (const [n, [psp, fault]] of faults.entries()) {
      environment.simulator.faults(psp, fault);
      await settle(psp, `fault-${n}`);
    }
    environment.simulator.faults('adyen', { fault: 'refuse' });
    expect((await settle('adyen', 'refused')).psp).toBe('stripe');
    await environment.simulator.clearFaults();
    await expectNothingTold();
  });

  it('keeps to itself what a PSP repeats of a request that it refuses', async () => {
    const payment_method = { type: 'card', tokens: { stripe: unknownToken } };
    const refused = await settle('stripe', 'unknown-token', { payment_method });
    expect(refused).toMatchObject({ status: 'failed', failure: { category: 'psp_rejected' } });
    expect(JSON.stringify(refused)).not.toContain('LEAK7f3a');
    await expectNothingTold();
  });

  it('keeps to itself what a client sends where it does not belong', async () => {
    const send = (path: string, init: Sent = {}) =>
      fetch(`${service.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...init.headers },
      });
    const post = (body: string, headers: Record<string, string> = {}) =>
      send('/v1/payments', { method: 'POST', body, headers: { 'idempotency-key': 'misplaced', ...headers } });
    const body = JSON.stringify(order('stripe', 'misplaced'));
    const statuses = await Promise.all([
      post(body.slice(0, -1)), // no JSON
      post(body.replace('"amount":1999', `"amount":"${tokens.stripe}"`)),
      post(body.replace('"type":"card"', `"type":"${tokens.stripe}"`)),
      post(body.replace('{', `{"${tokens.stripe}":1,`)),
      post(body, { 'content-type': `text/${tokens.stripe}` }),
      post(body, { authorization: `Bearer ${apiKey}x` }),
      post(body, { authorization: `Basic ${apiKey}` }),
      send(`/v1/payments/${tokens.stripe}`),
      send(`/v1/payments?email=${email}`),
      send(`/v1/payments?created[gte]=${apiKey}`),
      send(`/nowhere/${apiKey}?token=${tokens.adyen}`),
    ]).then((responses) => responses.map(({ status }) => status));
    expect(statuses).toEqual([400, 422, 422, 422, 415, 401, 401, 404, 422, 422, 404]);
    await expectNothingTold();
  });

  it('keeps to itself what a killed service held, and goes on with it', async () => {
    environment.simulator.faults('stripe', { fault: 'hang_before', next: 1 });
    const body = order('stripe', 'killed');
    const ask = () => client.post('/v1/payments', body, 'killed');
    const unanswered = ask().catch(() => null);
    const isSent = () => environment.orders('stripe').some(({ fault }) => fault === 'hang_before');
    await eventually(isSent, 'the call');
    service.kill();
    await service.exit;
    await unanswered;
    // The tokens are still needed: they are kept, sealed.
    const [held] = await environment.sql<{ sealed: boolean }>(
      "SELECT sealed IS NOT NULL AS sealed FROM payments WHERE reference = 'killed'",
    );
    expect(held).toEqual({ sealed: true });
    await expectNothingTold();

    await start();
    const { id } = paymentOf(await client.until(ask, atRest));
    expect(environment.effects(id)).toHaveLength(1);
    // Nobody needs them any more.
    const left = await environment.sql('SELECT reference FROM payments WHERE sealed IS NOT NULL');
    expect(left).toEqual([]);
    await expectNothingTold();
  });
});

describe('planted secrets', () => {
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
          '/ops/api/session',
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
});

describe('the seal key', () => {
  /** Another key reads no token and takes a genuine retry for another request: it is refused at the start. */
  describe('the seal key of a database', () => {
    const another = Buffer.alloc(32, 8).toString('base64');
    const inDoubt = orderOf({ first: 'stripe' });
    let environment: TestEnvironment;
    let key: string;
    beforeAll(async () => {
      environment = await TestEnvironment.open();
    });
    afterAll(() => environment.close());

    it('must be given', async () => {
      await expect(environment.start({ env: { PAYONCE_SEAL_KEY: '' } })).rejects.toThrow(
        'PAYONCE_SEAL_KEY is missing',
      );
    });

    it('is written down by the first start, and no other is taken after it', async () => {
      await (await environment.start()).stop();
      await expect(environment.start({ env: { PAYONCE_SEAL_KEY: another } })).rejects.toThrow(
        'PAYONCE_SEAL_KEY is not the key that this database was written with',
      );
      await (await environment.start()).stop();
    });

    it('is held to what is stored where no start has written it down', async () => {
      const service = await environment.start();
      key = await environment.merchant();
      const client = new ApiClient(() => service.url, key);
      environment.simulator.faults('stripe', { fault: 'reset_after', on: 'any', rate: 1 });
      const reply = await client.post('/v1/payments', inDoubt, 'in-doubt', { deadlineMs: 500 });
      expect(reply.status).toBe(202);
      await service.stop();
      // As it was stored before values carried the id of their key.
      await environment.sql(`UPDATE payments SET sealed = substr(sealed, 13) WHERE sealed IS NOT NULL`);
      await environment.sql('DELETE FROM seal_key');
      await expect(environment.start({ env: { PAYONCE_SEAL_KEY: another } })).rejects.toThrow(
        'PAYONCE_SEAL_KEY is not the key',
      );
      expect(await environment.sql('SELECT key_id FROM seal_key')).toEqual([]);
    });

    it('is changed with the one before beside it: a retry is replayed, and a payment in doubt comes to rest', async () => {
      const before = await environment.start();
      const body = orderOf({ first: 'adyen' });
      const first = await new ApiClient(() => before.url, key).post('/v1/payments', body, 'across');
      await before.stop();
      const after = await environment.start({
        env: { PAYONCE_SEAL_KEY: another, PAYONCE_SEAL_KEY_PREVIOUS: sealKey },
      });
      await environment.simulator.clearFaults('stripe');
      const again = await new ApiClient(() => after.url, key).post('/v1/payments', body, 'across');
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(environment.effects(paymentOf(first).id)).toHaveLength(1);
      const client = new ApiClient(() => after.url, key);
      const rested = await client.until(() => client.post('/v1/payments', inDoubt, 'in-doubt'), atRest);
      expect(paymentOf(rested).status).toBe('captured');
      expect(environment.effects(paymentOf(rested).id)).toHaveLength(1);
      await after.stop();
    });

    it('is changed with a payment in doubt, whose tokens still serve at another PSP', async () => {
      const order = { ...orderOf({ first: 'stripe' }), reference: 'failover' };
      environment.simulator.faults('stripe', { fault: 'close_before', on: 'any', rate: 1 });
      const before = await environment.start();
      const first = await new ApiClient(() => before.url, key).post('/v1/payments', order, 'failover', {
        deadlineMs: 500,
      });
      expect(first.status).toBe(202);
      await before.stop();
      await environment.simulator.clearFaults('stripe');
      environment.simulator.faults('stripe', {
        fault: 'decline',
        code: 'try_again_later',
        on: 'execute',
        rate: 1,
      });

      const after = await environment.start({
        env: { PAYONCE_SEAL_KEY: another, PAYONCE_SEAL_KEY_PREVIOUS: sealKey, PAYONCE_ROLE: 'api' },
      });
      const client = new ApiClient(() => after.url, key);
      const rested = await client.until(() => client.post('/v1/payments', order, 'failover'), atRest);
      await environment.simulator.clearFaults('stripe');
      expect(paymentOf(rested)).toMatchObject({ status: 'captured', psp: 'adyen' });
      expect(environment.effects(paymentOf(rested).id)).toMatchObject([
        { psp: 'adyen', operation: 'charge' },
      ]);
      await after.stop();
    });

    it('is changed process by process: each replays what the other stored, and sees its duplicates', async () => {
      const [old, fresh, unaware] = await Promise.all([
        environment.start({ env: { PAYONCE_SEAL_KEY_PREVIOUS: another } }),
        environment.start({ env: { PAYONCE_SEAL_KEY: another, PAYONCE_SEAL_KEY_PREVIOUS: sealKey } }),
        environment.start(),
      ]);
      const [atOld, atFresh, atUnaware] = (await shopsWithWindow(
        environment,
        [old, fresh, unaware],
        3_600,
      )) as [ApiClient, ApiClient, ApiClient];
      for (const [reference, writer, reader] of [
        ['rolling-1', atOld, atFresh],
        ['rolling-2', atFresh, atOld],
        ['rolling-3', atUnaware, atFresh],
      ] as const) {
        const body = { ...orderOf(), reference };
        const first = await writer.post('/v1/payments', body, reference);
        const again = await reader.post('/v1/payments', body, reference);
        expect([again.status, again.text]).toEqual([first.status, first.text]);
        const changed = await reader.post('/v1/payments', { ...body, amount: 1 }, reference);
        expect([changed.status, codeOf(changed)]).toEqual([422, 'idempotency_key_reused']);
        const doubled = await reader.post('/v1/payments', body, `${reference}-again`);
        expect([doubled.status, codeOf(doubled)]).toEqual([409, 'probable_duplicate']);
        expect(environment.effects(paymentOf(first).id)).toHaveLength(1);
      }
      // One that was left out of the first step cannot tell, and says so; it never asks for a new key.
      const body = { ...orderOf(), reference: 'rolling-4' };
      const first = await atFresh.post('/v1/payments', body, 'rolling-4');
      const again = await atUnaware.post('/v1/payments', body, 'rolling-4');
      expect([again.status, codeOf(again)]).toEqual([409, 'invalid_state']);
      expect(environment.effects(paymentOf(first).id)).toHaveLength(1);
      await Promise.all([old.stop(), fresh.stop(), unaware.stop()]);
    });

    it('has changed when everything is re-encrypted, and the one before is of no use any more', async () => {
      environment.simulator.faults('stripe', { fault: 'reset_after', on: 'any', rate: 1 });
      const before = await environment.start({ env: { PAYONCE_SEAL_KEY_PREVIOUS: another } });
      const late = { ...inDoubt, reference: 'late' };
      const first = await new ApiClient(() => before.url, key).post('/v1/payments', late, 'late', {
        deadlineMs: 500,
      });
      expect(first.status).toBe(202);
      await before.stop();

      const rotate = spawnNode('bin/payonce.mjs', {
        args: ['seal-key', 'rotate', '--json'],
        env: {
          DATABASE_URL: environment.database.url,
          PAYONCE_SEAL_KEY: another,
          PAYONCE_SEAL_KEY_PREVIOUS: sealKey,
        },
      });
      expect(await rotate.exit).toMatchObject({ code: 0 });
      expect(JSON.parse(rotate.stdout())).toEqual({ reencrypted: 1 });

      await environment.simulator.clearFaults('stripe');
      await expect(environment.start()).rejects.toThrow('PAYONCE_SEAL_KEY is not the key');
      const alone = await environment.start({ env: { PAYONCE_SEAL_KEY: another } });
      const client = new ApiClient(() => alone.url, key);
      const rested = await client.until(
        () => client.post('/v1/payments', inDoubt, 'in-doubt'),
        () => true,
      );
      // Its fingerprint is under a key that is gone: not replayed, and not said to be another request.
      expect([rested.status, rested.text]).toEqual([409, expect.stringContaining('invalid_state')]);
      await alone.stop();
    });
  });
});
