import { describe, expect, it } from '@jest/globals';
import { type Instruction } from '../contract.js';
import { adviceFor } from '../decline.js';
import { type ApiResponse } from '../json-api.js';
import {
  answerOfActions,
  answerOfExecute,
  answerOfList,
  executeRequest,
  isOwnName,
  lookupRequest,
  referenceFor,
} from './checkout.mapping.js';
import { checkoutDeclineCategory, checkoutResponseCodes } from './response-codes.js';

/** Bodies as Checkout.com answers them: its reference (https://api-reference.checkout.com) and recorded ones, shortened. */
const instruction = (more: Partial<Instruction> = {}): Instruction => ({
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 200, currency: 'USD' },
  token: 'src_nq6m5dqvxmsunhtzf7adymbq3i',
  reference: 'order-1',
  ...more,
});
const said = (httpStatus: number, body: unknown, headers: Record<string, string> = {}): ApiResponse => ({
  httpStatus,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  header: (name) => headers[name],
});
const approved = {
  id: 'pay_fj3xswqe3emuxckocjx6td73ni',
  action_id: 'act_fj3xswqe3emuxckocjx6td73ni',
  amount: 200,
  currency: 'USD',
  approved: true,
  status: 'Authorized',
  auth_code: '858188',
  response_code: '10000',
  response_summary: 'Approved',
  reference: 'payment-1-charge',
  metadata: { payonce_route: '1', payonce_operation: 'charge' },
};
const bodyOf = (more: Partial<Instruction>) =>
  JSON.parse(executeRequest(instruction(more), undefined)!.body!) as Record<string, unknown>;

describe('answers of payments', () => {
  const answer = (body: unknown, httpStatus = 201) => answerOfExecute(said(httpStatus, body), instruction());

  it.each(['Authorized', 'Captured', 'Partially Refunded', 'Refunded'])('%s is done', (status) => {
    expect(answer({ ...approved, status })).toMatchObject({
      outcome: 'succeeded',
      pspReference: approved.id,
      isNamed: true,
      money: { amount: 200, currency: 'USD' },
    });
  });

  it.each<[object, string, string]>([
    [{ status: 'Declined', approved: false, response_code: '20051' }, 'insufficient_funds', '20051'],
    [{ status: 'Declined', approved: false, response_code: '20154' }, 'authentication_required', '20154'],
    [{ status: 'Declined', approved: false, response_code: '40101' }, 'fraud_suspected', '40101'],
    // Without a status, as recorded.
    [{ status: undefined, approved: undefined, response_code: '20014' }, 'card_invalid', '20014'],
    // Read again, the reason stands with the action.
    [
      {
        status: 'Declined',
        response_code: undefined,
        actions: [{ type: 'Authorization', response_code: '20005' }],
      },
      'do_not_honor',
      '20005',
    ],
  ])('%j is declined', (more, decline, pspCode) => {
    expect(answer({ ...approved, ...more })).toMatchObject({ outcome: 'declined', decline, pspCode });
  });

  it('is waited for, by the customer or by the PSP', () => {
    const href = 'https://3ds2-sandbox.ckotech.co/interceptor/3ds_1';
    const pending = { id: 'pay_1', status: 'Pending', reference: 'payment-1-charge' };
    expect(answer({ ...pending, _links: { redirect: { href } } }, 202)).toMatchObject({
      outcome: 'requires_action',
      nextAction: { type: 'redirect', url: href, method: 'GET', fields: {} },
    });
    expect(answer(pending, 202)).toMatchObject({ outcome: 'pending', pspReference: 'pay_1' });
  });

  it.each<[number, unknown, string]>([
    [422, { error_type: 'request_invalid', error_codes: ['card_number_invalid'] }, 'rejected'],
    [401, '', 'rejected'],
    [409, { error_codes: ['idempotency_key_in_use'] }, 'unknown'],
    [500, '', 'unknown'],
    [502, '<html>', 'unknown'],
    [201, '{"id": "pay_1",', 'unknown'],
    [201, { ...approved, status: 'A New Word' }, 'unknown'],
    [201, {}, 'unknown'],
    [201, { ...approved, amount: '2.00' }, 'conflict'],
  ])('%d %j is %3$s', (httpStatus, body, outcome) => {
    expect(answerOfExecute(said(httpStatus, body), instruction())).toMatchObject({ outcome, httpStatus });
  });

  it('says how long to wait', () => {
    const answered = answerOfExecute(said(429, '', { 'retry-after': '7' }), instruction());
    expect(answered).toMatchObject({ outcome: 'throttled', retryAfterMs: 7_000 });
  });
});

describe('what is done to a payment', () => {
  const capture = instruction({
    operation: 'capture',
    entityKey: 'payment-1-capture',
    parentReference: 'pay_1',
  });
  const action = {
    id: 'act_2f56bhkau5dubequbv5aa6w4qi',
    type: 'Capture',
    amount: 200,
    approved: true,
    response_code: '10000',
    reference: 'payment-1-capture',
    metadata: { payonce_route: '1' },
  };

  it('is accepted under the id of its action', () => {
    const accepted = { action_id: action.id, reference: 'payment-1-capture' };
    const answer = answerOfExecute(said(202, accepted), capture);
    expect(answer).toMatchObject({ outcome: 'succeeded', pspReference: action.id, money: capture.money });
    expect(answerOfExecute(said(202, {}), capture).outcome).toBe('unknown');
  });

  it.each<[object[], object]>([
    [[action], { outcome: 'succeeded', money: { amount: 200, currency: 'USD' }, pspReference: action.id }],
    [[{ ...action, approved: false, response_code: '20051' }], { outcome: 'declined', pspCode: '20051' }],
    [[{ ...action, type: 'Refund' }], { outcome: 'not_found' }],
    [[{ ...action, metadata: { payonce_route: '2' } }], { outcome: 'not_found' }],
    [[], { outcome: 'not_found' }],
    [[action, { ...action, id: 'act_2' }], { outcome: 'conflict', pspCode: 'several_found' }],
    [[{ ...action, amount: null }], { outcome: 'conflict' }],
  ])('is found among the actions of the payment: %j', (actions, found) => {
    expect(answerOfActions(said(200, actions), capture)).toMatchObject(found);
  });

  it.each<[number, unknown]>([
    [404, ''],
    [200, { error: 'no list' }],
    [500, ''],
  ])('is not called missing by %d %j', (httpStatus, body) => {
    expect(answerOfActions(said(httpStatus, body), capture).outcome).toBe('unknown');
  });
});

describe('payments under our reference', () => {
  const list = (...data: object[]) =>
    answerOfList(said(200, { total_count: data.length, data }), instruction());

  it('are told apart by their route', () => {
    expect(list(approved)).toMatchObject({ outcome: 'succeeded', pspReference: approved.id });
    expect(list({ ...approved, metadata: { payonce_route: '2' } }).outcome).toBe('not_found');
    expect(list().outcome).toBe('not_found');
    expect(list(approved, { ...approved, id: 'pay_2' })).toMatchObject({
      outcome: 'conflict',
      pspReferences: [approved.id, 'pay_2'],
    });
    expect(answerOfList(said(200, {}), instruction()).outcome).toBe('unknown');
  });
});

describe('requests', () => {
  it('are the same bytes whatever was learnt since', () => {
    for (const operation of ['charge', 'authorize', 'capture', 'void', 'refund'] as const) {
      const asked = instruction({ operation, parentReference: 'pay_1', returnUrl: 'https://shop.example' });
      const later = { ...asked, pspReference: 'pay_9', sentAt: [new Date(1)] };
      expect(executeRequest(later, 'pc_1')).toEqual(executeRequest(asked, 'pc_1'));
    }
  });

  it('say whose card it is, who starts the payment, and when money moves', () => {
    expect(bodyOf({})).toMatchObject({ source: { type: 'id' }, capture: true, '3ds': { enabled: false } });
    expect(bodyOf({ token: 'tok_1' })).toMatchObject({ source: { type: 'token', token: 'tok_1' } });
    expect(bodyOf({ operation: 'authorize' })).toMatchObject({ capture: false });
    const returnUrl = 'https://shop.example/return';
    expect(bodyOf({ returnUrl })).toMatchObject({ '3ds': { enabled: true }, success_url: returnUrl });
    expect(bodyOf({ returnUrl, initiator: 'merchant', pspCustomer: 'cus_1' })).toMatchObject({
      merchant_initiated: true,
      payment_type: 'Unscheduled',
      customer: { id: 'cus_1' },
      '3ds': { enabled: false },
    });
  });

  it.each([
    ['USD', 1_050, 1_050],
    ['JPY', 500, 500],
    ['KWD', 1_230, 1_230],
    ['CLP', 500, 50_000],
  ])('%s %d is sent as %d', (currency, amount, sent) => {
    expect(bodyOf({ money: { amount, currency } })).toMatchObject({ amount: sent, currency });
  });

  it('shorten names that are too long so that no two become one', () => {
    const long = `payment-${'x'.repeat(100)}`;
    expect(referenceFor(long)).toHaveLength(80);
    expect(referenceFor(`${long}a`)).not.toBe(referenceFor(`${long}b`));
    expect([isOwnName(long, referenceFor(long)), isOwnName(long, 'payment-x')]).toEqual([true, false]);
  });

  it('ask by the id where it is known, and by the reference where it is not', () => {
    expect(lookupRequest(instruction())?.path).toBe('/payments?limit=50&reference=payment-1-charge');
    expect(lookupRequest(instruction({ pspReference: 'pay_1' }))?.path).toBe('/payments/pay_1');
    const refund = instruction({ operation: 'refund', parentReference: 'pay_1' });
    expect(lookupRequest(refund)?.path).toBe('/payments/pay_1/actions');
    expect(lookupRequest(instruction({ operation: 'refund' }))).toBeNull();
  });
});

it('lets another PSP be tried after a soft decline alone', () => {
  for (const [code, category] of Object.entries(checkoutResponseCodes.categories)) {
    expect(checkoutDeclineCategory(code)).toBe(category);
    // Hard declines begin with 3.
    if (code.startsWith('3')) expect([code, adviceFor[category]]).toEqual([code, 'never']);
  }
  expect(checkoutDeclineCategory('29999')).toBe('declined');
  expect(checkoutDeclineCategory(undefined)).toBe('declined');
});
