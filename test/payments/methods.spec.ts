import { type PaymentView } from '../../src/payments/payment.view.js';
import {
  ApiClient,
  codeOf,
  eventually,
  paymentOf,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';

/** Payments by other methods than a card, over real sockets; PSPs notify nobody here, and the ledgers judge. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
let count = 0;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start({ role: 'all' });
  client = new ApiClient(() => service.url, await environment.merchant());
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

const keyOf = () => `method-${(count += 1)}`;
const DAY_MS = 24 * 3_600_000;

/** In euros; Adyen is asked first. */
const body = (payment_method: object, more: object = {}) => ({
  reference: 'order-1',
  amount: 2_500,
  currency: 'EUR',
  payment_method,
  return_url: 'https://shop.example/back',
  ...more,
});
const ideal = { type: 'bank_redirect', bank_redirect: { name: 'ideal' } };
const atStripe = { ...ideal, tokens: { stripe: 'pm_ideal' } };
const sepa = {
  type: 'bank_debit',
  bank_debit: { name: 'sepa', mandate: { reference: 'M-1', signed_on: '2026-11-22' } },
  tokens: { stripe: 'pm_sepaDebit' },
};

async function pays(payment_method: object, key = keyOf()): Promise<PaymentView> {
  const reply = await client.post('/v1/payments', body(payment_method), key);
  if (reply.status !== 202) throw new Error(reply.text);
  return paymentOf(reply);
}

describe('a payment at the page of a bank', () => {
  it('needs no token, and is captured once by the PSP that was asked first', async () => {
    const payment = await pays(ideal);
    expect(payment).toMatchObject({
      status: 'requires_action',
      psp: 'adyen',
      payment_method: { type: 'bank_redirect', name: 'ideal', brand: null, country: null },
      next_action: { type: 'redirect', method: 'GET' },
    });
    expect(environment.effects()).toEqual([]);
    const { details } = environment.simulator.authenticate('adyen', payment.psp_reference!, 'succeeded')!;
    const path = `/v1/payments/${payment.id}/complete`;
    const completed = await client.post(path, { details: details! }, keyOf());
    expect(paymentOf(completed)).toMatchObject({ status: 'captured', amount_captured: 2_500 });
    expect(environment.effects(payment.id)).toHaveLength(1);
  });

  it('goes to another PSP when the first was not reached, and is told to nobody twice', async () => {
    environment.simulator.faults('adyen', { fault: 'refuse' });
    const key = keyOf();
    const payment = await pays(ideal, key);
    await environment.simulator.clearFaults('adyen');
    expect(payment).toMatchObject({ status: 'requires_action', psp: 'stripe' });
    environment.simulator.authenticate('stripe', payment.psp_reference!, 'succeeded');
    const captured = await client.until(
      () => client.post('/v1/payments', body(ideal), key),
      ({ status }) => status === 201,
    );
    expect(paymentOf(captured)).toMatchObject({ id: payment.id, status: 'captured', psp: 'stripe' });
    expect(environment.effects().map(({ psp_reference: id }) => id)).toEqual([payment.psp_reference]);
  });

  it('fails when the customer gives up there', async () => {
    const key = keyOf();
    const payment = await pays(atStripe, key);
    expect(payment.psp).toBe('stripe');
    environment.simulator.authenticate('stripe', payment.psp_reference!, 'failed');
    const ended = await client.until(
      () => client.post('/v1/payments', body(atStripe), key),
      ({ status }) => status !== 202,
    );
    expect(paymentOf(ended)).toMatchObject({ id: payment.id, status: 'failed', next_action: null });
    expect(environment.effects()).toEqual([]);
  });
});

it.each([
  ['where the customer has to act', atStripe],
  ['that the PSP has accepted', sepa],
])('a payment %s is answered at once, however near the next look at the PSP is', async (_, method) => {
  // When that look is due is drawn: for one of five within the two seconds that a client in doubt waits.
  const payments: PaymentView[] = [];
  for (let n = 0; n < 40; n++) payments.push(await pays(method));
  const looks = await environment.sql(
    `SELECT FROM psp_attempts l JOIN psp_attempts e USING (merchant_id, entity_key, trace_id)
      WHERE l.kind = 'lookup' AND e.kind = 'execute' AND e.entity_key = ANY ($1)`,
    [payments.map(({ entity_key }) => entity_key)],
  );
  expect(looks).toEqual([]);
});

describe('a wallet', () => {
  it('is paid with its token, as long as Apple makes it', async () => {
    const token = 'a'.repeat(9_000);
    environment.hide(token);
    const method = { type: 'wallet', wallet: { name: 'apple_pay' }, tokens: { adyen: token } };
    const reply = await client.post('/v1/payments', body(method), keyOf());
    expect(paymentOf(reply)).toMatchObject({
      status: 'captured',
      psp: 'adyen',
      payment_method: { type: 'wallet', name: 'apple_pay' },
    });
    expect(environment.effects()).toHaveLength(1);
    const sent = environment.simulator.calls('adyen').at(-1)!;
    expect(JSON.stringify(sent)).not.toContain('storedPaymentMethodId');
  });
});

describe('a bank debit', () => {
  it('is pending until the bank answers, for weeks and without a person, and charged once', async () => {
    const key = keyOf();
    const payment = await pays(sepa, key);
    expect(payment).toMatchObject({
      status: 'processing',
      payment_method: { type: 'bank_debit', name: 'sepa' },
    });
    await service.stop();
    environment.simulator.advance(9 * DAY_MS);
    await environment.travel(9 * DAY_MS);
    const lookups = () =>
      environment.simulator.calls('stripe').filter(({ method }) => method === 'GET').length;
    const before = lookups();
    service = await environment.start({ role: 'all' });
    await eventually(() => lookups() > before, 'the PSP to be asked on the ninth day');
    const route = `SELECT stuck_at, next_step_at FROM psp_requests WHERE entity_key = $1`;
    await eventually(async () => {
      const [row] = await environment.sql<{ stuck_at: Date | null; next_step_at: Date | null }>(route, [
        payment.entity_key,
      ]);
      expect(row!.stuck_at).toBeNull();
      return row!.next_step_at !== null;
    }, 'the next look to be planned');
    const [{ id }] = (await environment.sql<{ id: string }>(
      'SELECT psp_reference AS id FROM psp_requests WHERE entity_key = $1',
      [payment.entity_key],
    )) as [{ id: string }];
    environment.simulator.authenticate('stripe', id, 'succeeded');
    const captured = await client.until(
      () => client.post('/v1/payments', body(sepa), key),
      ({ status }) => status === 201,
    );
    expect(paymentOf(captured)).toMatchObject({ id: payment.id, status: 'captured' });
    expect(environment.effects(payment.id)).toHaveLength(1);
  });
});

describe('a payment method that no PSP could take so', () => {
  it.each<[string, object, object, string[]]>([
    ['in another currency', ideal, { currency: 'USD' }, ['/currency']],
    ['to be captured later', ideal, { capture: 'manual' }, ['/capture']],
    ['without a page to come back to', ideal, { return_url: undefined }, ['/return_url']],
    [
      'without the token that says who pays',
      { type: 'wallet', wallet: { name: 'google_pay' } },
      {},
      ['/payment_method/tokens'],
    ],
    [
      'of another type than its fields',
      { ...ideal, type: 'wallet' },
      {},
      ['/payment_method/bank_redirect', '/payment_method/wallet'],
    ],
    ['of no type that there is', { type: 'cash' }, {}, ['/payment_method/type']],
    ['of no type', { tokens: { stripe: 'pm_1' } }, {}, ['/payment_method/type']],
    [
      'with a mandate that was never signed',
      { ...sepa, bank_debit: { name: 'sepa', mandate: { reference: 'M-1', signed_on: '2026-02-30' } } },
      {},
      ['/payment_method/bank_debit/mandate/signed_on'],
    ],
    [
      'for an account that there is not',
      { ...ideal, tokens: { strpe: 'pm_1' } },
      {},
      ['/payment_method/tokens/strpe'],
    ],
  ])('is refused %s', async (_, method, more, pointers) => {
    const reply = await client.post('/v1/payments', body(method, more), keyOf());
    expect([reply.status, codeOf(reply)]).toEqual([422, 'validation_failed']);
    const { errors } = JSON.parse(reply.text) as { errors: { pointer: string }[] };
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(environment.orders('stripe').length + environment.orders('adyen').length).toBe(0);
  });

  it('has no route where each account wants what is not there', async () => {
    const klarna = { type: 'pay_later', pay_later: { name: 'klarna' } };
    const reply = await client.post('/v1/payments', body(klarna), keyOf());
    expect([reply.status, codeOf(reply)]).toEqual([422, 'no_route']);
  });
});
