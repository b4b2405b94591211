import { type FaultRequest, type PspName } from '@payonce/simulator';
import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type ServiceProcess,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

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
    timeoutMs: 800,
    lockTtlMs: 2_000,
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
const customer = 'customer-LEAK7f3a';

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
