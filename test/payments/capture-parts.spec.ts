import { type PaymentView } from '../../src/payments/payment.view.js';
import {
  codeOf,
  openWithService,
  orderOf,
  paymentOf,
  type Started,
  type Service,
  tokens,
} from '../support/test-environment.js';

/** Captures of a part mean the same at every PSP: either the rest stays authorized, or it is released. */
let { environment, client } = {} as Started<Service>;
let count = 0;

beforeAll(async () => {
  ({ environment, client } = await openWithService());
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

const keyOf = () => `parts-${(count += 1)}`;
const captures = () => environment.effects().filter(({ operation }) => operation === 'capture');

async function authorized(first: 'stripe' | 'adyen', more: object = {}): Promise<PaymentView> {
  const body = { ...orderOf({ first, capture: 'manual' }), ...more };
  const payment = paymentOf(await client.post('/v1/payments', body, keyOf()));
  expect(payment.status).toBe('authorized');
  return payment;
}
const capture = (payment: PaymentView, body: object, key = keyOf()) =>
  client.post(`/v1/payments/${payment.id}/capture`, body, key);

describe('a part of an authorization', () => {
  it('is refused by a PSP that captures once, before it is called, unless the rest may go', async () => {
    const payment = await authorized('stripe');
    const asked = environment.orders('stripe').length;
    const key = keyOf();
    for (const body of [
      { amount: 500, reference: 'parcel-1' },
      { amount: 500, reference: 'parcel-1', final: false },
      { amount: 500, final: false },
    ]) {
      const reply = await capture(payment, body);
      expect([reply.status, codeOf(reply)]).toEqual([409, 'capture_in_parts_unsupported']);
    }
    expect(codeOf(await capture(payment, { amount: 500, reference: 'parcel-1' }, key))).toBe(
      'capture_in_parts_unsupported',
    );
    expect(environment.orders('stripe')).toHaveLength(asked);
    expect(await client.payment(payment.id)).toMatchObject({
      status: 'authorized',
      amount_capturable: 1_999,
    });

    const last = await capture(payment, { amount: 500, reference: 'parcel-1', final: true });
    expect(paymentOf(last)).toMatchObject({ status: 'captured', amount_captured: 500, amount_capturable: 0 });
    expect(captures()).toMatchObject([{ amount: 500 }]);
    // The refusal is the answer of its key.
    expect(codeOf(await capture(payment, { amount: 500, reference: 'parcel-1' }, key))).toBe(
      'capture_in_parts_unsupported',
    );
  });

  it('that is all of it is none, also with a reference', async () => {
    const payment = await authorized('stripe');
    const all = await capture(payment, { amount: 1_999, reference: 'parcel-1' });
    expect(paymentOf(all)).toMatchObject({ status: 'captured', amount_captured: 1_999 });
  });

  it('leaves the rest authorized where the PSP captures in parts, until one is final', async () => {
    const payment = await authorized('adyen');
    const parts = [
      [
        { amount: 500, reference: 'parcel-1' },
        { status: 'authorized', amount_captured: 500, amount_capturable: 1_499 },
      ],
      [
        { amount: 300, final: false },
        { status: 'authorized', amount_captured: 800, amount_capturable: 1_199 },
      ],
      [
        { amount: 200, reference: 'parcel-2', final: true },
        { status: 'captured', amount_captured: 1_000, amount_capturable: 0 },
      ],
    ] as const;
    for (const [body, is] of parts) {
      const key = keyOf();
      const reply = await capture(payment, body, key);
      expect(paymentOf(reply)).toMatchObject(is);
      expect((await capture(payment, body, key)).text).toBe(reply.text);
    }
    expect(captures().map(({ amount }) => amount)).toEqual([500, 300, 200]);
    const late = await capture(payment, { amount: 100, reference: 'parcel-3' });
    expect([late.status, codeOf(late)]).toEqual([409, 'invalid_state']);
  });

  it('ends as it was asked when its answer is lost and it is settled later', async () => {
    const payment = await authorized('adyen');
    environment.simulator.faults('adyen', { fault: 'reset_after', next: 1 });
    const body = { amount: 500, reference: 'parcel-1', final: true };
    const key = keyOf();
    const settled = await client.until(
      () => capture(payment, body, key),
      ({ status }) => status === 200,
    );
    expect(paymentOf(settled)).toMatchObject({ status: 'captured', amount_captured: 500 });
    expect(captures()).toHaveLength(1);
  });
});

describe('a payment that will be captured in parts', () => {
  it('goes to a PSP that captures in parts, though another is preferred', async () => {
    const payment = await authorized('stripe', { capture_parts: true });
    expect(payment).toMatchObject({ psp: 'adyen', currency: 'USD' });
    const part = await capture(payment, { amount: 500, reference: 'parcel-1' });
    expect(paymentOf(part)).toMatchObject({ status: 'authorized', amount_captured: 500 });
  });

  it('has no route without one, and is refused where it is captured at once', async () => {
    const alone = {
      ...orderOf({ tokens: { stripe: tokens.stripe }, capture: 'manual' }),
      capture_parts: true,
    };
    expect(codeOf(await client.post('/v1/payments', alone, keyOf()))).toBe('no_route');
    const atOnce = await client.post('/v1/payments', { ...orderOf(), capture_parts: true }, keyOf());
    expect(atOnce.status).toBe(422);
    expect(atOnce.text).toContain('/capture_parts');
  });
});
