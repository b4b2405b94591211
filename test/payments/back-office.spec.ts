import { type Page } from '../../src/core/page.js';
import { type DisputeView } from '../../src/payments/dispute.view.js';
import { type PaymentView } from '../../src/payments/payment.view.js';
import { type RefundView } from '../../src/refunds/refund.view.js';
import { refunded, refundOf } from '../support/refunds.js';
import {
  ApiClient,
  email,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';

/** The lists that people behind a shop work with: refunds, disputes, and what one customer paid. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
let payments: PaymentView[];

const read = async <T>(path: string, of = client): Promise<readonly T[]> =>
  (JSON.parse((await of.get(path)).text) as Page<T>).data;
const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start();
  client = new ApiClient(() => service.url, await environment.merchant());
  payments = [];
  for (let n = 0; n < 3; n++) {
    const customer = { reference: `cust-${n}`, email: n === 0 ? 'Other@shop.example' : email };
    const body = { ...orderOf({ reference: `o-${n}` }), customer };
    payments.push(paymentOf(await client.post('/v1/payments', body, `o-${n}`)));
  }
});
afterAll(() => environment.close());

describe('refunds of all payments', () => {
  it('are listed newest first, by status, name and time, page by page', async () => {
    const made: RefundView[] = [];
    for (const [n, { id }] of payments.entries()) {
      const body = { amount: 100, reference: n === 1 ? 'parcel' : 'other' };
      made.push(refundOf(await refunded(client, id, body, `refund-${n}`)));
    }
    const newest = ids(made).toReversed();
    expect(ids(await read('/v1/refunds'))).toEqual(newest);
    expect(ids(await read('/v1/refunds?reference=parcel'))).toEqual([made[1]!.id]);
    expect(await read('/v1/refunds?status=failed')).toEqual([]);
    expect(await read('/v1/refunds?created[lte]=2020-01-01T00:00:00Z')).toEqual([]);
    const first = JSON.parse((await client.get('/v1/refunds?limit=2')).text) as Page<RefundView>;
    expect(ids(await read(`/v1/refunds?limit=2&cursor=${first.next_cursor}`))).toEqual(newest.slice(2));
    const stranger = new ApiClient(() => service.url, await environment.merchant());
    expect(await read('/v1/refunds', stranger)).toEqual([]);
  });
});

describe('payments of a customer', () => {
  it('are found by the whole reference or address, which no table holds', async () => {
    expect(ids(await read(`/v1/payments?customer=cust-1`))).toEqual([payments[1]!.id]);
    expect(ids(await read(`/v1/payments?customer=${email}`))).toEqual(ids(payments).slice(1).toReversed());
    expect(ids(await read(`/v1/payments?customer=other@SHOP.example`))).toEqual([payments[0]!.id]);
    expect(await read(`/v1/payments?customer=cust`)).toEqual([]);
    expect(ids(await read(`/v1/payments?customer=${email}&reference=o-2`))).toEqual([payments[2]!.id]);
    const first = JSON.parse(
      (await client.get(`/v1/payments?customer=${email}&limit=1`)).text,
    ) as Page<PaymentView>;
    expect(ids(await read(`/v1/payments?customer=${email}&limit=1&cursor=${first.next_cursor}`))).toEqual([
      payments[1]!.id,
    ]);
  });
});

describe('disputes of all payments', () => {
  it('are listed newest first, by status, page by page', async () => {
    const dispute = (n: number, status: string) => ({
      id: `019aa5c3-1d2e-7f00-8a11-00000000000${n}`,
      pspReference: `du_${n}`,
      status,
      reason: 'fraudulent',
      amount: 100,
      amountWithheld: 100,
      stage: 1,
      openedAt: '2026-01-01T00:00:00.000Z',
      closedAt: null,
    });
    const stored: [id: string, disputes: object[]][] = [
      [payments[0]!.id, [dispute(1, 'open'), dispute(3, 'lost')]],
      [payments[2]!.id, [dispute(2, 'open')]],
    ];
    for (const [id, disputes] of stored) {
      await environment.sql('UPDATE payments SET disputes = $1 WHERE id = $2', [
        JSON.stringify(disputes),
        id,
      ]);
    }
    const shown = async (query = '') =>
      (await read<DisputeView>(`/v1/disputes${query}`)).map(({ psp_reference: id }) => id);
    expect(await shown()).toEqual(['du_3', 'du_2', 'du_1']);
    expect(await shown('?status=open')).toEqual(['du_2', 'du_1']);
    expect(await read('/v1/disputes?limit=1')).toMatchObject([
      { object: 'dispute', payment_id: payments[0]!.id, psp: 'stripe', currency: 'USD', status: 'lost' },
    ]);
    expect(await shown(`?limit=1&cursor=${dispute(3, 'lost').id}`)).toEqual(['du_2']);
  });
});

describe('a payment', () => {
  it('tells what it was asked for, and how much of it can be captured', async () => {
    const card = { brand: 'visa', country: 'DE' };
    const { payment_method: method, ...rest } = orderOf({ capture: 'manual', amount: 1_000 });
    const body = {
      ...rest,
      payment_method: { ...method, card },
      return_url: 'https://shop.example/back',
      customer: { reference: 'cust-9', email: 'a@example.com' },
    };
    const payment = paymentOf(await client.post('/v1/payments', body, 'manual'));
    expect(payment).toMatchObject({
      capture: 'manual',
      amount_capturable: 1_000,
      payment_method: { type: 'card', ...card },
      return_url: body.return_url,
      order: null,
      customer: 'cust-9',
    });
    await client.post(`/v1/payments/${payment.id}/capture`, { amount: 400 }, 'part');
    expect(await client.payment(payment.id)).toMatchObject({ amount_captured: 400, amount_capturable: 0 });
  });

  it('does not keep an e-mail address that was given as reference of its customer, and is found by it', async () => {
    const address = 'anna@shop.example';
    const sent = await client.post(
      '/v1/payments',
      { ...orderOf(), customer: { reference: address } },
      'anna',
    );
    const { id } = paymentOf(sent);
    const stored = await environment.sql(
      `SELECT p::text AS text FROM payments p UNION ALL SELECT e::text FROM events e
        UNION ALL SELECT k::text FROM idempotency_keys k`,
    );
    expect(stored.map(({ text }) => text).join()).not.toContain(address);
    const found = await client.get(`/v1/payments?customer=${encodeURIComponent(address)}`);
    expect(JSON.parse(found.text)).toMatchObject({ data: [{ id, customer: null }] });
  });
});
