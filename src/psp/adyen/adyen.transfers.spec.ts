import { type Instruction } from '../contract.js';
import { cancelRequest, executeRequest, referenceFor } from './adyen.mapping.js';
import { answerOfTransfer, transferRequest } from './adyen.transfers.js';

const instruction = (more: Partial<Instruction> = {}): Instruction => ({
  operation: 'payout',
  entityKey: 'payout-1-payout',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 1_230, currency: 'EUR' },
  token: 'SE1',
  reference: 'salary-1',
  ...more,
});

const said = (body: object, httpStatus = 202) =>
  answerOfTransfer({ httpStatus, text: JSON.stringify(body), transient: false }, instruction());

describe('the transfer of a payout', () => {
  const bodyOf = (more: Partial<Instruction> = {}): unknown =>
    JSON.parse(transferRequest(instruction(more), 'BA1')?.body ?? 'null');

  it('goes from the balance account to the transfer instrument', () => {
    expect(transferRequest(instruction(), 'BA1')).toMatchObject({
      path: '/transfers',
      idempotencyKey: 'key-1',
    });
    expect(bodyOf()).toEqual({
      amount: { value: 1_230, currency: 'EUR' },
      balanceAccountId: 'BA1',
      category: 'bank',
      counterparty: { transferInstrumentId: 'SE1' },
      priority: 'regular',
      reference: 'payout-1-payout',
      description: 'salary-1',
    });
  });

  it('is described in the characters that banks take', () => {
    const statementDescriptor = `Löhne_<Mai> 'A' ${'x'.repeat(200)}`;
    const { description } = bodyOf({ statementDescriptor }) as { description: string };
    expect(description).toHaveLength(140);
    expect(description.startsWith("L hne  Mai  'A' xxx")).toBe(true);
  });

  it('is not sent where the amount cannot be told exactly', () => {
    const money = { amount: 123, currency: 'IDR' };
    expect(transferRequest(instruction({ money }), 'BA1')).toBeNull();
  });

  it.each(['received', 'authorised', 'booked', 'pendingExecution'])('%s: done', (status) => {
    const answer = said({ id: 'T1', status, amount: { value: 1_230, currency: 'EUR' } });
    expect(answer).toEqual({
      outcome: 'succeeded',
      pspReference: 'T1',
      pspCode: status,
      money: { amount: 1_230, currency: 'EUR' },
      httpStatus: 202,
    });
  });

  it.each([
    ['approvalPending', 'pending'],
    ['pendingApproval', 'pending'],
    ['error', 'unknown'],
    ['returned', 'declined'],
    ['a_status_of_tomorrow', 'unknown'],
    [undefined, 'unknown'],
  ])('%s: %s', (status, outcome) => {
    expect(said({ id: 'T1', status }).outcome).toBe(outcome);
  });

  it.each([
    ['refused', 'notEnoughBalance', 'insufficient_funds'],
    ['failed', 'counterpartyAccountClosed', 'account_invalid'],
    ['rejected', 'counterpartyBankUnavailable', 'issuer_unavailable'],
    ['refused', 'counterpartyBankTimedOut', 'declined'],
    ['refused', 'constructor', 'declined'],
  ])('%s for %s: %s', (status, reason, decline) => {
    expect(said({ id: 'T1', status, reason })).toMatchObject({
      outcome: 'declined',
      decline,
      pspCode: reason,
      pspReference: 'T1',
    });
  });

  it.each([
    [422, 'rejected'],
    [403, 'rejected'],
    [500, 'unknown'],
    [429, 'throttled'],
  ])('a problem document with %d: %s', (httpStatus, outcome) => {
    const problem = { type: 'about:blank', title: 'No', detail: 'priority is required', errorCode: '29_001' };
    const answer = said({ ...problem, status: httpStatus }, httpStatus);
    expect(answer).toMatchObject({ outcome, pspCode: '29_001', message: 'priority is required' });
  });

  it('the key in use, and what is no JSON: unknown', () => {
    expect(said({ errorCode: '704' }, 422).outcome).toBe('unknown');
    expect(
      answerOfTransfer({ httpStatus: 202, text: '<html>', transient: false }, instruction()).outcome,
    ).toBe('unknown');
  });
});

describe('references at Adyen', () => {
  const long = `payment-1-refund-${'r'.repeat(100)}`;

  it('are as they are up to 80 characters, and stay apart beyond', () => {
    expect(referenceFor('r'.repeat(80))).toBe('r'.repeat(80));
    const names = [`${long}a`, `${long}b`].map(referenceFor);
    expect(names[0]).not.toBe(names[1]);
    for (const name of names) {
      expect(name).toHaveLength(80);
      expect(name.startsWith('payment-1-refund-rrr')).toBe(true);
    }
    expect(referenceFor(long)).toBe(referenceFor(long));
  });

  it('name the same payment when it is made and when it is called back', () => {
    const asked = instruction({ operation: 'charge', entityKey: long });
    const made = JSON.parse(executeRequest(asked, 'Shop')?.body ?? '{}') as { reference: string };
    const canceled = JSON.parse(cancelRequest(asked, 'Shop').body) as { paymentReference: string };
    expect(canceled.paymentReference).toBe(made.reference);
  });

  it('are told with a refund, which is one of a payment', () => {
    const refund = instruction({ operation: 'refund', parentReference: 'P/1' });
    expect(executeRequest(refund, 'Shop')).toEqual({
      path: '/payments/P%2F1/refunds',
      idempotencyKey: 'key-1',
      body: JSON.stringify({
        merchantAccount: 'Shop',
        amount: { currency: 'EUR', value: 1_230 },
        reference: 'payout-1-payout',
      }),
    });
  });
});
