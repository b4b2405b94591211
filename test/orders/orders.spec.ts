import { type Page } from '../../src/core/page.js';
import { type OrderDetailsView } from '../../src/orders/order-details.view.js';
import {
  ApiClient,
  codeOf,
  orderOf as requestOf,
  paymentOf,
  type PostOptions,
  type Reply,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';

let environment: TestEnvironment;
let services: Service[];
let shops: ApiClient[];
let client: ApiClient;
let apiKey: string;

beforeAll(async () => {
  environment = await TestEnvironment.open({ hangs: true, env: { PAYONCE_DEADLINE_MS: '8000' } });
  services = [await environment.start(), await environment.start()];
});
afterAll(() => environment.close());
beforeEach(async () => {
  await environment.simulator.reset();
  apiKey = await environment.merchant();
  shops = services.map((service) => new ApiClient(() => service.url, apiKey));
  client = shops[0]!;
});

let keys = 0;
const newKey = () => `order-key-${++keys}`;
const AMOUNT = 1_000;

/** The same order with one card or another. */
const withCard = (token: string, order: object = {}) => ({
  ...requestOf({ tokens: { stripe: token }, amount: AMOUNT }),
  order: { reference: 'order-77', ...order },
});
const visa = (order: object = {}) => withCard('pm_card_visa', order);
const stolen = (order: object = {}) => withCard('pm_card_visa_chargeDeclinedStolenCard', order);
const challenged = (order: object = {}) => ({
  ...withCard('pm_card_authenticationRequired', order),
  return_url: 'https://shop.example/back',
});

function pay(body: object, more: PostOptions = {}, key = newKey()): Promise<Reply> {
  return client.post('/v1/payments', body, key, more);
}

function saidBy({ status, text }: Reply): object {
  const { code, payment_id } = JSON.parse(text) as Record<string, unknown>;
  return { status, code, payment_id };
}

/** The sums of the order. */
async function sums(reference = 'order-77'): Promise<object | undefined> {
  const [row] = await environment.sql(
    `SELECT amount_due::int AS due, amount_live::int AS live, amount_paid::int AS paid FROM orders
      WHERE reference = $1 ORDER BY created_at DESC LIMIT 1`,
    [reference],
  );
  return row;
}

/** What the PSPs took and did not give back. */
function taken(): number {
  const sign = { charge: 1, capture: 1, refund: -1 } as Readonly<Record<string, number>>;
  return environment
    .effects()
    .reduce((sum, { operation, amount }) => sum + amount * (sign[operation] ?? 0), 0);
}

async function inDoubt(body: object): Promise<string> {
  environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
  const first = await pay(body, { deadlineMs: 500 });
  expect(first.status).toBe(202);
  return paymentOf(first).id;
}

describe('an order', () => {
  it('is paid by the second card once it is proved that the first took nothing', async () => {
    const declined = paymentOf(await pay(stolen()));
    expect(declined).toMatchObject({ status: 'failed', order: 'order-77' });
    expect(await sums()).toEqual({ due: AMOUNT, live: 0, paid: 0 });
    expect(paymentOf(await pay(visa())).status).toBe('captured');
    expect(await sums()).toEqual({ due: AMOUNT, live: AMOUNT, paid: AMOUNT });
    expect(taken()).toBe(AMOUNT);
    expect(await environment.told('order:order-77')).toEqual(['order.released', 'order.paid']);
  });

  it('takes nothing more once it is paid, and says so again under the same key', async () => {
    const { id } = paymentOf(await pay(visa()));
    const key = newKey();
    const refused = await pay(visa(), {}, key);
    expect(saidBy(refused)).toEqual({ status: 409, code: 'order_paid', payment_id: id });
    expect(JSON.parse(refused.text)).toMatchObject({
      amount_due: AMOUNT,
      amount_paid: AMOUNT,
      currency: 'USD',
    });

    await client.post(`/v1/payments/${id}/refunds`, {}, newKey());
    const again = await pay(visa(), {}, key);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([refused.text, 'true']);
    expect(paymentOf(await pay(visa())).status).toBe('captured');
    expect(taken()).toBe(AMOUNT);
  });

  it('answers a retry of the payment that paid it as before', async () => {
    const key = newKey();
    const first = await pay(visa(), {}, key);
    const again = await pay(visa(), {}, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(taken()).toBe(AMOUNT);
  });

  it('waits for a first payment in doubt, and goes ahead when its card is declined after all', async () => {
    const id = await inDoubt(stolen());
    const beside = await pay(visa(), { deadlineMs: 300 });
    expect(saidBy(beside)).toEqual({ status: 409, code: 'order_in_doubt', payment_id: id });
    expect(Number(beside.headers.get('retry-after'))).toBeGreaterThan(0);

    await environment.simulator.clearFaults('stripe');
    expect(paymentOf(await pay(visa())).status).toBe('captured');
    expect(taken()).toBe(AMOUNT);
  });

  it('is paid once where the answer of the first PSP was lost after it had charged', async () => {
    const adyen = { ...requestOf({ first: 'adyen', amount: AMOUNT }), order: { reference: 'order-77' } };
    environment.simulator.faults('adyen', { fault: 'reset_after', on: 'any', rate: 1 });
    const first = await pay(adyen, { deadlineMs: 500 });
    expect(first.status).toBe(202);
    const { id } = paymentOf(first);
    expect(taken()).toBe(AMOUNT);
    const other = { ...visa(), currency: 'EUR' };
    expect(saidBy(await pay(other, { deadlineMs: 300 }))).toMatchObject({ code: 'order_in_doubt' });

    await environment.simulator.clearFaults('adyen');
    const second = await pay(other);
    expect(saidBy(second)).toEqual({ status: 409, code: 'order_paid', payment_id: id });
    expect(taken()).toBe(AMOUNT);
  });

  it('is not stopped by allow_duplicate, nor does that pass anything', async () => {
    const id = await inDoubt(visa());
    const beside = await pay({ ...visa(), allow_duplicate: true }, { deadlineMs: 300 });
    expect(saidBy(beside)).toEqual({ status: 409, code: 'order_in_doubt', payment_id: id });
  });

  it('lets a new card take the place of a payment that its customer left, if it says so', async () => {
    const left = paymentOf(await pay(challenged()));
    expect(left.status).toBe('requires_action');
    expect(saidBy(await pay(visa()))).toEqual({ status: 409, code: 'order_in_doubt', payment_id: left.id });

    const second = paymentOf(await pay(visa({ replace: true })));
    expect(second.status).toBe('captured');
    const first = await client.get(`/v1/payments/${left.id}`);
    expect(JSON.parse(first.text)).toMatchObject({ status: 'canceled' });
    expect(taken()).toBe(AMOUNT);
  });

  it('keeps its amount and currency, unless it is told another amount', async () => {
    await pay(stolen());
    const other = { ...visa(), amount: 900 };
    expect(codeOf(await pay(other))).toBe('order_changed');
    expect(codeOf(await pay({ ...visa(), currency: 'EUR' }))).toBe('order_changed');
    expect(codeOf(await pay({ ...visa(), amount: 1_100 }))).toBe('amount_exceeds_order');
    const voucher = { ...visa({ amount: 900 }), amount: 900, currency: 'EUR' };
    expect(paymentOf(await pay(voucher)).status).toBe('captured');
    expect(await sums()).toEqual({ due: 900, live: 900, paid: 900 });
    // Not paid at this amount: told so, and not for good.
    expect(codeOf(await pay(visa({ amount: 1_500 })))).toBe('order_changed');
  });

  it('is paid in parts where it says so, and never beyond what is due', async () => {
    const part = (amount: number, order: object = {}) => ({ ...visa({ parts: true, ...order }), amount });
    expect(codeOf(await pay(part(400)))).toBe('validation_failed');
    expect(paymentOf(await pay(part(400, { amount: AMOUNT }))).status).toBe('captured');
    expect(codeOf(await pay(part(601)))).toBe('amount_exceeds_order');
    expect(paymentOf(await pay(part(600))).status).toBe('captured');
    expect(codeOf(await pay(part(1)))).toBe('order_paid');
    expect(await environment.told('order:order-77')).toContain('order.paid');
    expect(taken()).toBe(AMOUNT);
  });

  it('does not meet the order of another merchant', async () => {
    expect((await pay(visa())).status).toBe(201);
    const other = new ApiClient(() => services[0]!.url, await environment.merchant());
    expect((await other.post('/v1/payments', visa(), newKey())).status).toBe(201);
  });

  it('is what its payments are found by', async () => {
    const { id } = paymentOf(await pay(visa()));
    await pay(requestOf());
    const list = await client.get('/v1/payments?order=order-77');
    expect(JSON.parse(list.text)).toMatchObject({ data: [{ id, order: 'order-77' }] });
  });
});

describe('an order, read', () => {
  const read = async (reference: string) => {
    const { status, text } = await client.get(`/v1/orders/${encodeURIComponent(reference)}`);
    return { status, body: JSON.parse(text) as OrderDetailsView };
  };

  it('tells of every payment, and why it does not count', async () => {
    const failed = paymentOf(await pay(stolen()));
    const paid = paymentOf(await pay(visa()));
    await client.post(`/v1/payments/${paid.id}/refunds`, { amount: 400 }, newKey());
    const { body } = await read('order-77');
    expect(body).toMatchObject({
      object: 'order',
      status: 'pending',
      entity_key: 'order-order-77-collect',
      amount_due: AMOUNT,
      amount_live: 600,
      amount_paid: 600,
      amount_refunded: 400,
      payments: [
        { payment: { id: failed.id, status: 'failed' }, amount_live: 0, not_counted: 'took_nothing' },
        { payment: { id: paid.id, status: 'partially_refunded' }, amount_live: 600, not_counted: null },
      ],
      orphans: [],
    });
    await client.post(`/v1/payments/${paid.id}/refunds`, { reference: 'rest' }, newKey());
    expect((await read('order-77')).body).toMatchObject({
      status: 'open',
      payments: [{}, { not_counted: 'given_back' }],
    });
  });

  it.each(['a/b?c#d %', '💳'.repeat(127), '...', 'é'.repeat(255)])(
    'is found by its name: %s',
    async (name) => {
      expect((await pay(visa({ reference: name }))).status).toBe(201);
      expect(await read(name)).toMatchObject({ status: 200, body: { reference: name, status: 'paid' } });
    },
  );

  it('is not there before its first payment, nor for another merchant', async () => {
    for (const name of ['order-77', 'no\0name', 'x'.repeat(256)]) expect((await read(name)).status).toBe(404);
    for (const dots of ['.', '..'])
      expect(codeOf(await pay(visa({ reference: dots })))).toBe('validation_failed');
    await pay(visa());
    const other = new ApiClient(() => services[0]!.url, await environment.merchant());
    expect((await other.get('/v1/orders/order-77')).status).toBe(404);
  });

  it('is listed newest first, and by its time, and where it is overpaid', async () => {
    await pay(stolen({ reference: 'open' }));
    await pay({ ...visa({ reference: 'pending' }), capture: 'manual' });
    await pay(visa({ reference: 'paid' }));
    const listed = async (query = '') => {
      const { text } = await client.get(`/v1/orders${query}`);
      return (JSON.parse(text) as Page<OrderDetailsView>).data.map(({ reference }) => reference);
    };
    expect(await listed()).toEqual(['paid', 'pending', 'open']);
    expect(await listed('?status=overpaid')).toEqual([]);
    await environment.sql(`UPDATE orders SET amount_overpaid = 1 WHERE reference = 'paid'`);
    expect(await listed('?status=overpaid')).toEqual(['paid']);
    expect(await listed('?created[lte]=2020-01-01T00:00:00Z')).toEqual([]);
    const first = JSON.parse((await client.get('/v1/orders?limit=1')).text) as Page<OrderDetailsView>;
    expect(await listed(`?limit=1&cursor=${first.next_cursor}`)).toEqual(['pending']);
  });
});

describe('the orders of a merchant', () => {
  it('are the references of its payments, where it is set so', async () => {
    const [{ id }] = (await environment.sql<{ id: string }>(
      'SELECT id FROM merchants ORDER BY created_at DESC LIMIT 1',
    )) as [{ id: string }];
    await environment.command('merchants', 'set-orders', '--merchant', id, '--rule', 'by_reference');
    // Callers are known for 5 s.
    const started = await environment.start();
    const shop = new ApiClient(() => started.url, apiKey);
    const ask = (amount = AMOUNT, reference = 'r-1', more: object = {}) =>
      shop.post('/v1/payments', { ...requestOf({ reference, amount }), ...more }, newKey());
    const first = paymentOf(await ask());
    expect(first).toMatchObject({ status: 'captured', order: 'r-1' });
    expect(saidBy(await ask())).toEqual({ status: 409, code: 'order_paid', payment_id: first.id });
    const named = { ...requestOf({ reference: 'r-1', amount: AMOUNT }), order: { reference: 'other' } };
    expect(paymentOf(await shop.post('/v1/payments', named, newKey()))).toMatchObject({ order: 'other' });
    expect(taken()).toBe(2 * AMOUNT);

    // A voucher: the amount of the payment is what is due, as long as nothing is paid.
    const { payment_method } = stolen();
    expect(paymentOf(await ask(AMOUNT, 'r-2', { payment_method }))).toMatchObject({ status: 'failed' });
    const cheaper = paymentOf(await ask(900, 'r-2'));
    expect(cheaper).toMatchObject({ status: 'captured', amount: 900 });
    expect(saidBy(await ask(AMOUNT, 'r-2'))).toEqual({
      status: 409,
      code: 'order_changed',
      payment_id: cheaper.id,
    });
    expect(taken()).toBe(2 * AMOUNT + 900);
  });
});

describe('many cards for one order at the same moment, on two services', () => {
  const CARDS = 50;
  const all = (body: (n: number) => object) =>
    Promise.all(
      Array.from({ length: CARDS }, (_, n) =>
        shops[n % shops.length]!.post('/v1/payments', body(n), newKey(), { deadlineMs: 8_000 }),
      ),
    );
  const codes = (replies: readonly Reply[]) =>
    new Set(replies.filter(({ status }) => status !== 201).map(codeOf));

  it('are charged once, and the others are told that it is paid', async () => {
    const replies = await all(() => visa());
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(codes(replies)).toEqual(new Set(['order_paid']));
    expect(taken()).toBe(AMOUNT);
  });

  it('are charged once also where some are declined', async () => {
    const replies = await all((n) => (n % 5 === 0 ? visa() : stolen()));
    const captured = replies.filter(
      (reply) => reply.status === 201 && paymentOf(reply).status === 'captured',
    );
    expect(captured.length).toBeLessThanOrEqual(1);
    expect(taken()).toBe(captured.length * AMOUNT);
    expect(await sums()).toMatchObject({ paid: taken(), live: taken() });
  });

  it('are charged up to what is due in parts', async () => {
    const replies = await all(() => ({ ...visa({ parts: true, amount: AMOUNT }), amount: 300 }));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(taken()).toBe(900);
  });
});

describe('the rule of orders in the database', () => {
  it('refuses a process that settles a payment and knows nothing of its order', async () => {
    const { id } = paymentOf(await pay(visa()));
    await expect(
      environment.sql(`UPDATE payments SET status = 'refunded', amount_refunded = amount WHERE id = $1`, [
        id,
      ]),
    ).rejects.toThrow('is for an order, which this session does not know');
    // What changes nothing of the order is nobody's business.
    await environment.sql('UPDATE payments SET status = status, updated_at = now() WHERE id = $1', [id]);
  });

  const copyOf = (id: string, set: string) =>
    environment.sql(
      `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()) || $2)).*
         FROM payments p WHERE id = $1`,
      [id, set],
    );

  it('refuses a second live payment, and more than is due', async () => {
    const { id } = paymentOf(await pay(visa()));
    await expect(copyOf(id, '{}')).rejects.toMatchObject({ constraint: 'payments_one_holds_order' });
    await expect(
      environment.sql(`UPDATE orders SET amount_live = amount_live + 1 WHERE reference = 'order-77'`),
    ).rejects.toMatchObject({ constraint: 'orders_balance' });
  });
});
