import { type Instruction } from '../contract.js';
import { answerOf, executeRequest, isOfRoute, moneyIn, partAnswer, paymentAnswer } from './mollie.mapping.js';

/** Bodies as Mollie's specification shows them (mollie/openapi, specs.yaml). */
const payment = {
  resource: 'payment',
  id: 'tr_5B8cwPMGnU6qLbRvo7qEZo',
  mode: 'live',
  amount: { value: '10.00', currency: 'EUR' },
  description: 'Order #12345',
  metadata: '{"order_id":12345}',
  status: 'open',
  isCancelable: false,
  _links: {
    checkout: { href: 'https://www.mollie.com/checkout/select-method/7UhSN1zuXS', type: 'text/html' },
  },
};
const partlyCaptured = {
  ...payment,
  method: 'creditcard',
  status: 'paid',
  amountCaptured: { value: '4.00', currency: 'EUR' },
};
const authenticationFailed = {
  ...payment,
  status: 'failed',
  details: { failureReason: 'authentication_failed', failureMessage: '3-D Secure authenticatie is gefaald.' },
};
const refund = {
  resource: 'refund',
  id: 're_4qqhO89gsT',
  amount: { currency: 'EUR', value: '5.95' },
  status: 'pending',
  metadata: '{"bookkeeping_id":12345}',
  paymentId: 'tr_5B8cwPMGnU6qLbRvo7qEZo',
};

const instruction = (more: Partial<Instruction> = {}): Instruction => ({
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 1_000, currency: 'EUR' },
  token: 'tkn_1',
  reference: 'order-1',
  returnUrl: 'https://shop.example/back',
  ...more,
});
const bodyOf = (more: Partial<Instruction> = {}) =>
  JSON.parse(
    executeRequest(instruction(more), 'https://pay.example/v1/webhooks/mollie')?.body ?? 'null',
  ) as Record<string, unknown>;

describe('a payment', () => {
  const of = (operation: Instruction['operation']) => ({ operation, entityKey: 'payment-1-charge' });

  it.each([
    ['charge', 'open', 'requires_action'],
    ['charge', 'pending', 'pending'],
    ['charge', 'authorized', 'pending'],
    ['charge', 'paid', 'succeeded'],
    ['charge', 'canceled', 'canceled'],
    ['charge', 'expired', 'canceled'],
    ['charge', 'failed', 'declined'],
    ['charge', 'other', 'unknown'],
    ['authorize', 'authorized', 'succeeded'],
    ['authorize', 'paid', 'succeeded'],
    ['void', 'canceled', 'succeeded'],
    ['void', 'authorized', 'not_found'],
    ['void', 'paid', 'conflict'],
    ['void', 'failed', 'unknown'],
  ] as const)('of a %s that is %s: %s', (operation, status, outcome) => {
    expect(paymentAnswer({ ...payment, status }, of(operation)).outcome).toBe(outcome);
  });

  it('is of the amount that it says, in minor units', () => {
    expect(paymentAnswer({ ...payment, status: 'paid' }, of('charge')).money).toEqual({
      amount: 1_000,
      currency: 'EUR',
    });
    const unreadable = { ...payment, status: 'paid', amount: { value: '10.001', currency: 'EUR' } };
    expect(paymentAnswer(unreadable, of('charge'))).toMatchObject({
      outcome: 'conflict',
      pspCode: 'money_unreadable',
    });
  });

  it('is void where less was captured than authorized, and released', () => {
    expect(paymentAnswer(partlyCaptured, of('void')).outcome).toBe('succeeded');
  });

  it('names the reason why it failed', () => {
    expect(paymentAnswer(authenticationFailed, of('charge'))).toMatchObject({
      decline: 'authentication_required',
      pspCode: 'authentication_failed',
    });
    const unnamed = paymentAnswer({ ...payment, status: 'failed' }, of('charge'));
    expect(unnamed).toMatchObject({ decline: 'declined', pspCode: 'failed' });
  });

  it.each([
    ['card_declined', 'do_not_honor'],
    ['insufficient_funds', 'insufficient_funds'],
    ['stolen_card', 'card_lost_or_stolen'],
    ['possible_fraud', 'fraud_suspected'],
    ['a_reason_of_next_year', 'declined'],
  ])('%s of a card or of a debit is %s', (reason, decline) => {
    const failed = { ...payment, status: 'failed' };
    for (const said of [{ details: { failureReason: reason } }, { statusReason: { code: reason } }]) {
      expect(paymentAnswer({ ...failed, ...said }, of('charge'))).toMatchObject({ decline, pspCode: reason });
    }
  });

  it('is ours by its metadata, as an object or as its text', () => {
    const metadata = { payonce_key: 'payment-1-charge', payonce_route: '1' };
    for (const kept of [metadata, JSON.stringify(metadata)]) {
      expect(isOfRoute({ ...payment, metadata: kept }, instruction())).toBe(true);
      expect(isOfRoute({ ...payment, metadata: kept }, instruction({ route: 2 }))).toBe(false);
    }
    expect(isOfRoute(payment, instruction())).toBe(false);
  });
});

it.each([
  ['queued', 'succeeded'],
  ['pending', 'succeeded'],
  ['processing', 'succeeded'],
  ['refunded', 'succeeded'],
  ['succeeded', 'succeeded'],
  ['failed', 'declined'],
  ['canceled', 'declined'],
  ['toString', 'unknown'],
] as const)('a refund or capture that is %s: %s', (status, outcome) => {
  expect(partAnswer({ ...refund, status }, 'payment-1-refund')).toMatchObject({
    outcome,
    pspReference: refund.id,
  });
});

it.each([
  [201, payment, 'requires_action'],
  [201, '[]', 'unknown'],
  [401, { status: 401, title: 'Unauthorized Request', detail: 'Missing authentication' }, 'rejected'],
  [404, { status: 404, title: 'Not Found', detail: 'No payment exists with token tr_x' }, 'rejected'],
  [404, '<html>', 'unknown'],
  [409, { status: 409, title: 'Conflict', detail: 'A duplicate refund has been detected' }, 'unknown'],
  [
    422,
    { status: 422, title: 'Unprocessable Entity', detail: 'The amount is too low', field: 'amount' },
    'rejected',
  ],
  [429, { status: 429, title: 'Too Many Requests' }, 'throttled'],
  [500, { status: 500, title: 'Internal Server Error' }, 'unknown'],
] as const)('an answer of %i %j: %s', (httpStatus, body, outcome) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = answerOf({ httpStatus, text, header: () => undefined }, (json) =>
    paymentAnswer(json, instruction()),
  );
  expect(answer).toMatchObject({ outcome, httpStatus });
});

it.each([
  ['10.00', 'EUR', 1_000],
  ['1000', 'JPY', 1_000],
  ['1.230', 'KWD', 1_230],
  ['1.2', 'EUR', 120],
  ['1,00', 'EUR', null],
  ['1.005', 'EUR', null],
  ['1.00', 'ABC', null],
] as const)('reads %s %s', (value, currency, amount) => {
  expect(moneyIn({ value, currency })).toEqual(amount === null ? null : { amount, currency });
});

describe('a request', () => {
  it('is the same bytes at every resend, and says where news are told', () => {
    expect(bodyOf({ sentAt: [new Date()], pspReference: 'tr_1' })).toEqual(bodyOf());
    expect(bodyOf()).toMatchObject({
      amount: { currency: 'EUR', value: '10.00' },
      method: 'creditcard',
      cardToken: 'tkn_1',
      webhookUrl: 'https://pay.example/v1/webhooks/mollie',
      metadata: { payonce_key: 'payment-1-charge', payonce_route: '1' },
    });
  });

  it('charges a mandate of its customer, and sends nobody anywhere', () => {
    const { returnUrl: _, ...recurring } = instruction({
      token: 'mdt_1',
      pspCustomer: 'cst_1',
      initiator: 'merchant',
    });
    const body = bodyOf(recurring);
    expect(body).toMatchObject({ sequenceType: 'recurring', mandateId: 'mdt_1', customerId: 'cst_1' });
    expect(bodyOf({ initiator: 'merchant' })).not.toHaveProperty('redirectUrl');
  });

  it.each([
    ['ideal', 'ideal'],
    ['bancontact', 'bancontact'],
    ['paypal', 'paypal'],
    ['sepa', 'directdebit'],
  ] as const)('by %s is called %s', (method, name) => {
    const { token: _, ...without } = instruction({ method });
    const request = executeRequest(without, undefined);
    expect(JSON.parse(request?.body ?? '{}')).toMatchObject({ method: name });
  });

  it('is not made for a method that Mollie does not have', () => {
    expect(executeRequest(instruction({ method: 'ach' }), undefined)).toBeNull();
  });
});
