import { randomUUID } from 'node:crypto';
import { type Page } from '../../src/core/page.js';
import { type PaymentView } from '../../src/payments/payment.view.js';
import { type PspName } from '@payonce/simulator';
import {
  codeOf,
  orderOf,
  paymentOf,
  type Reply,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

let environment: TestEnvironment;
let client: ApiClient;
let otherShop: ApiClient;
let readOnlyShop: ApiClient;
let asMerchant: (...scopes: Parameters<TestEnvironment['merchant']>) => Promise<ApiClient>;
let keys = 0;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  const service = await environment.start();
  asMerchant = async (...scopes) => new ApiClient(() => service.url, await environment.merchant(...scopes));
  client = await asMerchant();
  otherShop = await asMerchant();
  readOnlyShop = await asMerchant(['payments:read']);
});
afterAll(() => environment.close());

const newKey = () => `operation-${(keys += 1)}`;

async function authorized(first: PspName, amount = 1_999): Promise<PaymentView> {
  const reply = await client.post('/v1/payments', orderOf({ first, amount, capture: 'manual' }), newKey());
  expect(reply.status).toBe(201);
  const payment = paymentOf(reply);
  expect(payment).toMatchObject({ status: 'authorized', psp: first, amount_captured: 0 });
  return payment;
}

const capture = (id: string, body: object = {}, key = newKey()) =>
  client.post(`/v1/payments/${id}/capture`, body, key);
const cancel = (id: string, key = newKey()) => client.post(`/v1/payments/${id}/cancel`, {}, key);

const effectsOf = ({ id }: PaymentView) =>
  environment.effects(id).map(({ operation, amount }) => `${operation} ${amount}`);

function expectProblem(reply: Reply, status: number, code: string): void {
  expect({ status: reply.status, code: codeOf(reply) }).toEqual({ status, code });
}

describe.each(['stripe', 'adyen', 'keyless'] as const)('an authorization at %s', (first) => {
  it('is captured whole, once, by whichever key it is asked for', async () => {
    const payment = await authorized(first);
    const key = newKey();
    const captured = await capture(payment.id, {}, key);
    expect(captured.status).toBe(200);
    expect(paymentOf(captured)).toMatchObject({ status: 'captured', amount_captured: 1_999 });
    const again = await capture(payment.id, {}, key);
    expect([again.status, again.text]).toEqual([200, captured.text]);
    expectProblem(await capture(payment.id), 409, 'invalid_state');
    expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 1999']);
  });

  it('is captured in part', async () => {
    const payment = await authorized(first);
    const captured = await capture(payment.id, { amount: 700 });
    expect(paymentOf(captured)).toMatchObject({ status: 'captured', amount: 1_999, amount_captured: 700 });
    expectProblem(await capture(payment.id, { amount: 1_299 }), 409, 'invalid_state');
    expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 700']);
  });

  it('is never captured beyond its amount, and can still be captured rightly', async () => {
    const payment = await authorized(first);
    const tooMuch = newKey();
    expectProblem(await capture(payment.id, { amount: 2_000 }, tooMuch), 409, 'amount_exceeds_authorized');
    // The refusal is an answer like any other: kept for its key, and nothing to the next one.
    const replay = await capture(payment.id, { amount: 2_000 }, tooMuch);
    expectProblem(replay, 409, 'amount_exceeds_authorized');
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(paymentOf(await capture(payment.id, { amount: 1_999 })).amount_captured).toBe(1_999);
    expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 1999']);
  });

  it('is canceled once; then nothing can be captured', async () => {
    const payment = await authorized(first);
    const canceled = await cancel(payment.id);
    expect(canceled.status).toBe(200);
    expect(paymentOf(canceled)).toMatchObject({ status: 'canceled', amount_captured: 0 });
    expectProblem(await capture(payment.id), 409, 'invalid_state');
    expect(effectsOf(payment)).toEqual(['authorize 1999', 'void 1999']);
  });

  it('cannot be canceled any more once it is captured', async () => {
    const payment = await authorized(first);
    await capture(payment.id);
    expectProblem(await cancel(payment.id), 409, 'invalid_state');
    expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 1999']);
    expect(await client.payment(payment.id)).toMatchObject({ status: 'captured' });
  });

  it('is captured once though the answer of the capture is lost', async () => {
    const payment = await authorized(first);
    environment.simulator.faults(first, { fault: 'reset_after', next: 1 });
    const key = newKey();
    const captured = await client.until(
      () => capture(payment.id, { amount: 900 }, key),
      ({ status }) => status === 200,
    );
    expect(paymentOf(captured)).toMatchObject({ status: 'captured', amount_captured: 900 });
    expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 900']);
  });
});

describe('a key', () => {
  it('is for one request: another one under it is refused, and does nothing', async () => {
    const key = newKey();
    const payment = paymentOf(await client.post('/v1/payments', orderOf({ amount: 500 }), key));
    expectProblem(
      await client.post('/v1/payments', orderOf({ amount: 501 }), key),
      422,
      'idempotency_key_reused',
    );
    expectProblem(await cancel(payment.id, key), 422, 'idempotency_key_reused');
    expect(effectsOf(payment)).toEqual(['charge 500']);
  });

  it('belongs to its merchant: another one may use the same', async () => {
    const key = newKey();
    const mine = paymentOf(await client.post('/v1/payments', orderOf(), key));
    const theirs = paymentOf(await otherShop.post('/v1/payments', orderOf(), key));
    expect(theirs.id).not.toBe(mine.id);
    expect([...effectsOf(mine), ...effectsOf(theirs)]).toEqual(['charge 1999', 'charge 1999']);
  });
});

describe("another merchant's payment", () => {
  it('is not there', async () => {
    const payment = await authorized('stripe');
    const path = `/v1/payments/${payment.id}`;
    for (const reply of [
      await otherShop.get(path),
      await otherShop.get(`${path}/attempts`),
      await otherShop.post(`${path}/capture`, {}, newKey()),
      await otherShop.post(`${path}/cancel`, {}, newKey()),
      await client.get(`/v1/payments/${randomUUID()}`),
    ]) {
      expectProblem(reply, 404, 'not_found');
    }
    const { data } = JSON.parse((await otherShop.get('/v1/payments?limit=100')).text) as Page<PaymentView>;
    expect(data.some(({ id }) => id === payment.id)).toBe(false);
    expect(effectsOf(payment)).toEqual(['authorize 1999']);
  });
});

describe('a key that may only read', () => {
  it('moves nothing', async () => {
    const before = environment.effects().length;
    expectProblem(await readOnlyShop.post('/v1/payments', orderOf(), newKey()), 403, 'forbidden');
    expect(environment.effects()).toHaveLength(before);
    expect((await readOnlyShop.get('/v1/payments')).status).toBe(200);
  });
});

describe('the list', () => {
  it('turns its pages without a gap or a repeat, newest first, and filters', async () => {
    const fresh = await asMerchant();
    const made: PaymentView[] = [];
    for (let n = 0; n < 7; n++) {
      const first = n % 2 === 0 ? 'stripe' : 'adyen';
      const order = orderOf({ first, reference: `list-${n % 3}`, capture: n < 2 ? 'manual' : 'automatic' });
      made.push(paymentOf(await fresh.post('/v1/payments', order, newKey())));
    }
    const newest = made.toReversed().map(({ id }) => id);
    const list = async (query: string) =>
      JSON.parse((await fresh.get(`/v1/payments?${query}`)).text) as Page<PaymentView>;

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<PaymentView> = await list(`limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.data.map(({ id }) => id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual(newest);

    const ids = async (query: string) => (await list(query)).data.map(({ id }) => id).toReversed();
    const those = (wanted: (payment: PaymentView) => boolean) => made.filter(wanted).map(({ id }) => id);
    expect(await ids('psp=adyen')).toEqual(those(({ psp }) => psp === 'adyen'));
    expect(await ids('status=authorized')).toEqual(those(({ status }) => status === 'authorized'));
    expect(await ids('reference=list-1')).toEqual(those(({ reference }) => reference === 'list-1'));
    expect(await ids('reference=list-1&psp=stripe')).toEqual(
      those(({ reference, psp }) => reference === 'list-1' && psp === 'stripe'),
    );
    const from = made[4]!.created_at;
    const inRange = `created[gte]=${encodeURIComponent(from)}`;
    expect(await ids(inRange)).toEqual(those(({ created_at }) => created_at >= from));
    expect((await list('limit=100')).data[0]).toEqual(made.at(-1));
    expectProblem(await fresh.get('/v1/payments?limit=0'), 422, 'validation_failed');
  });
});

describe('the attempts', () => {
  it('tell every call of every operation, newest first', async () => {
    const payment = await authorized('stripe');
    await capture(payment.id, { amount: 100 });
    const told = await client.attempts(payment.id);
    expect(
      told.map(({ entity_key, kind, outcome, verdict }) => [entity_key, kind, outcome, verdict]),
    ).toEqual([
      [`payment-${payment.id}-authorize`, 'execute', 'succeeded', 'effective'],
      [`payment-${payment.id}-capture`, 'execute', 'succeeded', 'effective'],
    ]);
    for (const attempt of told) {
      expect(Date.parse(attempt.ended_at!)).toBeGreaterThanOrEqual(Date.parse(attempt.started_at));
    }
  });
});
