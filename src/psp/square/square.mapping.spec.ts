import { type Instruction } from '../contract.js';
import { type ApiResponse } from '../json-api.js';
import { record } from '../json-body.js';
import {
  answerOf,
  executeRequest,
  isOfRoute,
  isOwnName,
  paymentAnswer,
  refundAnswer,
} from './square.mapping.js';

/** Bodies as Square's sandbox answered them (activemerchant/active_merchant, test/unit/gateways/square_test.rb). */
const recorded = {
  id: 'iqrBxAil6rmDtr7cak9g9WO8uaB',
  created_at: '2019-07-10T13:23:49.154Z',
  amount_money: { amount: 200, currency: 'USD' },
  app_fee_money: { amount: 10, currency: 'USD' },
  total_money: { amount: 200, currency: 'USD' },
  source_type: 'CARD',
  card_details: {
    status: 'CAPTURED',
    card: { card_brand: 'VISA', last_4: '2796' },
    auth_result_code: 'nsAyY2',
  },
  location_id: 'XK3DBG77NJBFX',
  reference_id: '123456',
  note: 'Brief description',
};
const recordedRefund = {
  id: 'UNOE3kv2BZwqHlJ830RCt5YCuaB_xVteEWVFkXDvKN1ddidfJWipt8p9whmElKT5mZtJ7wZ',
  status: 'PENDING',
  amount_money: { amount: 100, currency: 'USD' },
  payment_id: 'UNOE3kv2BZwqHlJ830RCt5YCuaB',
  reason: 'Customer Canceled',
};

const instruction = (more: Partial<Instruction> = {}): Instruction => ({
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 200, currency: 'USD' },
  token: 'cnon:card-nonce-ok',
  reference: 'order-1',
  ...more,
});
const answered = (httpStatus: number, body: unknown, header: ApiResponse['header'] = () => undefined) =>
  answerOf({ httpStatus, text: typeof body === 'string' ? body : JSON.stringify(body), header }, (json) =>
    paymentAnswer(record(json['payment']), instruction()),
  );
const bodyOf = (more: Partial<Instruction> = {}) =>
  JSON.parse(executeRequest(instruction(more), 'L1').body ?? '') as Record<string, unknown>;

describe('a payment', () => {
  it.each([
    ['charge', 'COMPLETED', 'succeeded'],
    ['charge', 'APPROVED', 'pending'],
    ['charge', 'PENDING', 'pending'],
    ['charge', 'CANCELED', 'canceled'],
    ['charge', 'FAILED', 'declined'],
    ['charge', 'SOMETHING', 'unknown'],
    ['authorize', 'APPROVED', 'succeeded'],
    ['authorize', 'COMPLETED', 'succeeded'],
    ['authorize', 'CANCELED', 'canceled'],
    ['capture', 'COMPLETED', 'succeeded'],
    ['capture', 'APPROVED', 'not_found'],
    ['capture', 'CANCELED', 'declined'],
    ['capture', 'FAILED', 'unknown'],
    ['void', 'CANCELED', 'succeeded'],
    ['void', 'APPROVED', 'not_found'],
    ['void', 'COMPLETED', 'conflict'],
  ] as const)('of a %s that is %s: %s', (operation, status, outcome) => {
    const answer = paymentAnswer({ ...recorded, status }, { operation, entityKey: 'payment-1-charge' });
    expect(answer.outcome).toBe(outcome);
    if (outcome === 'succeeded' && operation !== 'void') {
      expect(answer).toMatchObject({ pspReference: recorded.id, money: { amount: 200, currency: 'USD' } });
    }
  });

  it('carries our names where it is ours', () => {
    const note = 'payment-1-charge 1';
    const answer = paymentAnswer({ ...recorded, note, status: 'COMPLETED' }, instruction());
    expect(answer.isNamed).toBe(true);
    expect(paymentAnswer({ ...recorded, status: 'COMPLETED' }, instruction()).isNamed).toBeUndefined();
    expect([isOfRoute(note, instruction()), isOfRoute(note, instruction({ route: 2 }))]).toEqual([
      true,
      false,
    ]);
  });

  it('without an amount that can be read is for a person', () => {
    const answer = paymentAnswer({ ...recorded, amount_money: {}, status: 'COMPLETED' }, instruction());
    expect(answer).toMatchObject({ outcome: 'conflict', pspCode: 'money_unreadable' });
  });
});

describe('an answer', () => {
  const error = (category: string, code: string) => ({ errors: [{ category, code, detail: 'why' }] });

  it.each([
    [200, { payment: { ...recorded, status: 'COMPLETED' } }, 'succeeded'],
    [200, { payment: { ...recorded, status: 'FAILED' } }, 'declined'],
    [200, '<html>', 'unknown'],
    [200, {}, 'unknown'],
    [400, error('INVALID_REQUEST_ERROR', 'MISSING_REQUIRED_PARAMETER'), 'rejected'],
    [400, error('INVALID_REQUEST_ERROR', 'IDEMPOTENCY_KEY_REUSED'), 'conflict'],
    [400, error('PAYMENT_METHOD_ERROR', 'CVV_FAILURE'), 'declined'],
    [401, error('AUTHENTICATION_ERROR', 'UNAUTHORIZED'), 'rejected'],
    [402, error('PAYMENT_METHOD_ERROR', 'INSUFFICIENT_FUNDS'), 'declined'],
    [404, error('INVALID_REQUEST_ERROR', 'NOT_FOUND'), 'rejected'],
    [400, error('API_ERROR', 'TEMPORARY_ERROR'), 'unknown'],
    [408, error('API_ERROR', 'REQUEST_TIMEOUT'), 'unknown'],
    [409, error('INVALID_REQUEST_ERROR', 'CONFLICT'), 'unknown'],
    [429, error('RATE_LIMIT_ERROR', 'RATE_LIMITED'), 'throttled'],
    [500, error('API_ERROR', 'INTERNAL_SERVER_ERROR'), 'unknown'],
    [502, '<html>bad gateway</html>', 'unknown'],
    [404, '<html>a proxy</html>', 'unknown'],
  ] as const)('%i %j: %s', (status, body, outcome) => {
    expect(answered(status, body)).toMatchObject({ outcome, httpStatus: status });
  });

  it.each([
    ['GENERIC_DECLINE', 'do_not_honor'],
    ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
    ['CARD_DECLINED_VERIFICATION_REQUIRED', 'authentication_required'],
    ['toString', 'declined'],
  ])('declined with %s: %s', (code, decline) => {
    expect(answered(402, error('PAYMENT_METHOD_ERROR', code))).toMatchObject({ decline, pspCode: code });
  });
});

it.each([
  ['PENDING', 'succeeded'],
  ['COMPLETED', 'succeeded'],
  ['REJECTED', 'declined'],
  ['FAILED', 'declined'],
  ['OTHER', 'unknown'],
] as const)('a refund that is %s: %s', (status, outcome) => {
  const answer = refundAnswer({ ...recordedRefund, status }, 'payment-1-refund');
  expect(answer).toMatchObject({ outcome, pspReference: recordedRefund.id });
  if (outcome === 'succeeded') expect(answer.money).toEqual({ amount: 100, currency: 'USD' });
});

describe('a request', () => {
  it('holds our names within what Square takes', () => {
    const entityKey = `payment-${'1'.repeat(200)}-charge`;
    const idempotencyKey = 'k'.repeat(64);
    const body = bodyOf({ entityKey, idempotencyKey, reference: 'r'.repeat(60) });
    expect(String(body['note']).length).toBeLessThanOrEqual(160);
    expect(isOwnName(entityKey, String(body['note']).split(' ')[0]!)).toBe(true);
    expect(String(body['idempotency_key'])).toHaveLength(45);
    expect(String(body['reference_id'])).toHaveLength(40);
  });

  it('is the same bytes at every resend, and takes the money at once for a charge alone', () => {
    expect(executeRequest(instruction({ sentAt: [new Date()] }), 'L1')).toEqual(
      executeRequest(instruction(), 'L1'),
    );
    expect([bodyOf()['autocomplete'], bodyOf({ operation: 'authorize' })['autocomplete']]).toEqual([
      true,
      false,
    ]);
  });

  it('names the customer of a stored card', () => {
    expect(bodyOf({ token: 'ccof:1', pspCustomer: 'CUST' })['customer_id']).toBe('CUST');
    expect(bodyOf()).not.toHaveProperty('customer_id');
  });
});
