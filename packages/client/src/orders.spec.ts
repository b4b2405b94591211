import {
  captured,
  declined,
  paymentRequest,
  processing,
  redirect,
} from '../../../src/payments/payment.examples.js';
import { orderDetails } from '../../../src/orders/order.examples.js';
import {
  answer,
  created,
  failureOf,
  problem,
  ScriptedApi,
  type Turn,
} from '../../../test/client/scripted-api.js';

const order = { reference: 'order-1234' };
const doubt: Turn = () =>
  answer(
    409,
    { code: 'order_in_doubt', title: 't', detail: 'd', status: 409, payment_id: captured.id },
    { 'retry-after': '2' },
  );
const paidBefore: Turn = () =>
  answer(409, { code: 'order_paid', title: 't', detail: 'd', status: 409, payment_id: captured.id });
const says =
  (status: number, body: object): Turn =>
  () =>
    answer(status, body);

const outcomeOf = async (...turns: Turn[]) => {
  const api = new ScriptedApi(turns);
  return { api, outcome: await api.client.orders.pay(order, paymentRequest) };
};

describe('paying an order', () => {
  it.each([
    ['is paid', created, { outcome: 'paid', payment: captured }],
    ['is declined', says(201, declined), { outcome: 'declined', payment: declined }],
    ['asks the customer to act', says(202, redirect), { outcome: 'action', payment: redirect }],
    ['was paid before', paidBefore, { outcome: 'paid_before', paymentId: captured.id }],
  ])('%s, after one request', async (_, turn, expected) => {
    const { api, outcome } = await outcomeOf(turn);
    expect(outcome).toEqual(expected);
    expect(api.sent.map(({ body }) => JSON.parse(body!) as object)).toEqual([{ ...paymentRequest, order }]);
  });

  it('asks again with the same key while another try is in doubt, as the service says when', async () => {
    const { api, outcome } = await outcomeOf(doubt, doubt, created);
    expect(outcome).toMatchObject({ outcome: 'paid' });
    expect(api.keys).toEqual(['made-1', 'made-1', 'made-1']);
    expect(api.sent[2]!.atMs - api.sent[0]!.atMs).toBeGreaterThanOrEqual(4_000);
  });

  it('is in doubt when its patience is over, with the key to ask again with', async () => {
    const another = await outcomeOf(doubt);
    expect(another.outcome).toEqual({
      outcome: 'in_doubt',
      idempotencyKey: 'made-1',
      paymentId: captured.id,
    });
    expect(another.api.sent.length).toBeLessThan(40);
    const own = await outcomeOf(says(202, processing));
    expect(own.outcome).toEqual({ outcome: 'in_doubt', idempotencyKey: 'made-1', paymentId: processing.id });
  });

  it('throws what is no outcome of a try, and stops when it is told to', async () => {
    const api = new ScriptedApi([problem(409, 'order_changed')]);
    expect(await failureOf(api.client.orders.pay(order, paymentRequest))).toMatchObject({
      code: 'order_changed',
    });
    const stop = new AbortController();
    const waiting = new ScriptedApi([
      () => {
        setImmediate(() => stop.abort(new Error('closed')));
        return doubt({} as never);
      },
    ]);
    const options = { signal: stop.signal, idempotencyKey: 'mine' };
    const stopped = await failureOf(waiting.client.orders.pay(order, paymentRequest, options));
    expect(stopped).toMatchObject({ name: 'AbortError' });
  });
});

it('reads orders by their names', async () => {
  const api = new ScriptedApi([says(200, orderDetails)]);
  expect(await api.client.orders.get('a/b c')).toEqual(orderDetails);
  expect(api.sent[0]!.url).toBe('https://payonce.test/v1/orders/a%2Fb%20c');
});
