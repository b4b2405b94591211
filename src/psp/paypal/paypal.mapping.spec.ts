import { type Instruction } from '../contract.js';
import {
  answerOf,
  completeRequest,
  isOwnName,
  moneyIn,
  orderAnswer,
  orderRequest,
  partAnswer,
  partRequest,
  refundAnswer,
} from './paypal.mapping.js';

/** Bodies as PayPal's reference shows them (developer.paypal.com/docs/api/orders/v2). */
const created = {
  id: '5O190127TN364715T',
  status: 'PAYER_ACTION_REQUIRED',
  payment_source: { paypal: {} },
  links: [
    { href: 'https://api-m.paypal.com/v2/checkout/orders/5O190127TN364715T', rel: 'self', method: 'GET' },
    {
      href: 'https://www.paypal.com/checkoutnow?token=5O190127TN364715T',
      rel: 'payer-action',
      method: 'GET',
    },
  ],
};
const capture = {
  id: '3C679366HH908993F',
  status: 'COMPLETED',
  amount: { currency_code: 'USD', value: '100.00' },
  final_capture: true,
  create_time: '2018-04-01T21:20:49Z',
};
const authorization = { ...capture, id: '0AW2184448108334S', status: 'CREATED' };
const captured = {
  id: '5O190127TN364715T',
  status: 'COMPLETED',
  purchase_units: [
    { reference_id: 'd9f80740', custom_id: 'payment-1-charge 1', payments: { captures: [capture] } },
  ],
};
const authorized = {
  id: '5O190127TN364715T',
  status: 'COMPLETED',
  purchase_units: [{ custom_id: 'payment-1-authorize 1', payments: { authorizations: [authorization] } }],
};
const refund = {
  id: '1JU08902781691411',
  amount: { value: '10.99', currency_code: 'USD' },
  status: 'COMPLETED',
};
const error = (issue: string) => ({
  name: 'UNPROCESSABLE_ENTITY',
  details: [{ issue, description: 'why' }],
  message: 'The requested action could not be performed.',
  debug_id: '370bb9c1b3dc8',
});

const instruction = (more: Partial<Instruction> = {}): Instruction => ({
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 10_000, currency: 'USD' },
  token: 'vault-1',
  reference: 'order-1',
  ...more,
});
const bodyOf = (request: { readonly body?: string } | null) =>
  JSON.parse(request?.body ?? 'null') as Record<string, unknown>;

describe('an order', () => {
  it('waits for its customer, at the page that it names', () => {
    expect(orderAnswer(created, instruction())).toMatchObject({
      outcome: 'requires_action',
      pspReference: '5O190127TN364715T',
      nextAction: { type: 'redirect', url: 'https://www.paypal.com/checkoutnow?token=5O190127TN364715T' },
    });
    expect(orderAnswer({ ...created, status: 'APPROVED', links: [] }, instruction()).outcome).toBe(
      'requires_action',
    );
  });

  it('is done when its money was taken, under the id of the order', () => {
    expect(orderAnswer(captured, instruction())).toMatchObject({
      outcome: 'succeeded',
      pspReference: '5O190127TN364715T',
      isNamed: true,
      money: { amount: 10_000, currency: 'USD' },
    });
  });

  it.each([
    ['charge', captured, 'COMPLETED', 'succeeded'],
    ['charge', captured, 'PENDING', 'pending'],
    ['charge', captured, 'DECLINED', 'declined'],
    ['charge', captured, 'REFUNDED', 'succeeded'],
    ['charge', captured, 'OTHER', 'unknown'],
    ['authorize', authorized, 'CREATED', 'succeeded'],
    ['authorize', authorized, 'CAPTURED', 'succeeded'],
    ['authorize', authorized, 'VOIDED', 'canceled'],
    ['authorize', authorized, 'DENIED', 'declined'],
    ['capture', captured, 'COMPLETED', 'succeeded'],
    ['capture', authorized, 'CREATED', 'not_found'],
    ['capture', authorized, 'VOIDED', 'declined'],
    ['void', authorized, 'VOIDED', 'succeeded'],
    ['void', authorized, 'CREATED', 'not_found'],
    ['void', authorized, 'CAPTURED', 'conflict'],
  ] as const)('of a %s, %j, that is %s: %s', (operation, order, status, outcome) => {
    const json = JSON.stringify(order).replace(
      /"status":"(?:COMPLETED|CREATED)","amount"/,
      `"status":"${status}","amount"`,
    );
    const answer = orderAnswer(JSON.parse(json) as typeof order, instruction({ operation }));
    expect(answer.outcome).toBe(outcome);
  });

  it('names the code of a card that was declined', () => {
    const declined = { ...capture, status: 'DECLINED', processor_response: { response_code: '5120' } };
    expect(partAnswer(declined)).toMatchObject({ decline: 'insufficient_funds', pspCode: '5120' });
  });

  it('shows the refund of this route alone', () => {
    const asked = instruction({ operation: 'refund', entityKey: 'payment-1-refund' });
    const of = (...refunds: object[]) =>
      orderAnswer({ purchase_units: [{ payments: { captures: [capture], refunds } }] }, asked);
    expect(of({ ...refund, custom_id: 'payment-1-refund 1' })).toMatchObject({
      outcome: 'succeeded',
      isNamed: true,
    });
    expect(of({ ...refund, custom_id: 'payment-1-refund 2' }).outcome).toBe('not_found');
    const twice = { ...refund, custom_id: 'payment-1-refund 1' };
    expect(of(twice, { ...twice, id: '2' })).toMatchObject({
      outcome: 'conflict',
      pspReferences: [refund.id, '2'],
    });
  });
});

it.each([
  ['COMPLETED', 'succeeded'],
  ['PENDING', 'succeeded'],
  ['FAILED', 'declined'],
  ['CANCELLED', 'declined'],
  ['OTHER', 'unknown'],
] as const)('a refund that is %s: %s', (status, outcome) => {
  const answer = refundAnswer({ ...refund, status }, 'payment-1-refund');
  expect(answer).toMatchObject({ outcome, pspReference: refund.id });
  if (outcome === 'succeeded') expect(answer.money).toEqual({ amount: 1_099, currency: 'USD' });
});

it.each([
  [200, captured, 'succeeded'],
  [201, created, 'requires_action'],
  [201, '[]', 'unknown'],
  [400, { name: 'INVALID_REQUEST', message: 'not well-formed' }, 'rejected'],
  [401, { name: 'AUTHENTICATION_FAILURE' }, 'rejected'],
  [404, { name: 'RESOURCE_NOT_FOUND' }, 'rejected'],
  [404, '<html>', 'unknown'],
  [409, { name: 'RESOURCE_CONFLICT' }, 'unknown'],
  [422, error('INSTRUMENT_DECLINED'), 'declined'],
  [422, error('CURRENCY_NOT_SUPPORTED'), 'rejected'],
  [422, error('ORDER_ALREADY_CAPTURED'), 'unknown'],
  [422, error('DUPLICATE_REQUEST_ID'), 'conflict'],
  [429, { name: 'RATE_LIMIT_REACHED' }, 'throttled'],
  [500, { name: 'INTERNAL_SERVER_ERROR' }, 'unknown'],
] as const)('an answer of %i %j: %s', (httpStatus, body, outcome) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = answerOf({ httpStatus, text, header: () => undefined }, (order) =>
    orderAnswer(order, instruction()),
  );
  expect(answer).toMatchObject({ outcome, httpStatus });
});

it.each([
  ['100.00', 'USD', 10_000],
  ['500', 'JPY', 500],
  ['500', 'HUF', 50_000],
  ['1.005', 'USD', null],
  ['abc', 'HUF', null],
] as const)('reads %s %s', (value, currency, amount) => {
  expect(moneyIn({ value, currency_code: currency })).toEqual(amount === null ? null : { amount, currency });
});

describe('a request', () => {
  it('is the same bytes at every resend, under the key', () => {
    expect(orderRequest(instruction({ sentAt: [new Date()] }))).toEqual(orderRequest(instruction()));
    expect(orderRequest(instruction())?.headers).toMatchObject({ 'PayPal-Request-Id': 'key-1' });
    const [unit] = bodyOf(orderRequest(instruction()))['purchase_units'] as Record<string, unknown>[];
    expect(unit).toMatchObject({
      custom_id: 'payment-1-charge 1',
      amount: { currency_code: 'USD', value: '100.00' },
    });
  });

  it.each([
    ['JPY', 500, '500'],
    ['HUF', 50_000, '500'],
    ['USD', 5, '0.05'],
  ])('writes %s %d as %s', (currency, amount, value) => {
    const [unit] = bodyOf(orderRequest(instruction({ money: { amount, currency } })))['purchase_units'] as [
      object,
    ];
    expect(unit).toMatchObject({ amount: { currency_code: currency, value } });
  });

  it('is not made for an amount that PayPal cannot be told', () => {
    expect(orderRequest(instruction({ money: { amount: 50_050, currency: 'HUF' } }))).toBeNull();
    const asked = instruction({ operation: 'refund', money: { amount: 1, currency: 'TWD' } });
    expect(partRequest(asked, '3C679366HH908993F')).toBeNull();
  });

  it('sends a wallet to its page, and a card that is kept nowhere', () => {
    const { token: _, ...wallet } = instruction({ method: 'paypal', returnUrl: 'https://shop.example/back' });
    expect(bodyOf(orderRequest(wallet))['payment_source']).toMatchObject({
      paypal: { experience_context: { return_url: 'https://shop.example/back' } },
    });
    const merchants = instruction({ initiator: 'merchant', returnUrl: 'https://shop.example/back' });
    const source = bodyOf(orderRequest(merchants))['payment_source'] as { card: object };
    expect(source.card).toMatchObject({
      vault_id: 'vault-1',
      stored_credential: { payment_initiator: 'MERCHANT' },
    });
    expect(source.card).not.toHaveProperty('experience_context');
  });

  it('holds names within what PayPal takes, and a key of its own for what the customer agreed to', () => {
    const entityKey = `payment-${'1'.repeat(200)}-charge`;
    const [unit] = bodyOf(orderRequest(instruction({ entityKey })))['purchase_units'] as [
      { custom_id: string },
    ];
    expect(unit.custom_id.length).toBeLessThanOrEqual(127);
    expect(isOwnName(entityKey, unit.custom_id.split(' ')[0]!)).toBe(true);
    const complete = completeRequest(instruction({ pspReference: '5O190127TN364715T' }));
    expect(complete).toMatchObject({ path: '/v2/checkout/orders/5O190127TN364715T/capture' });
    expect(complete.headers).toMatchObject({ 'PayPal-Request-Id': 'key-1-complete' });
  });
});
