import { type Stripe } from 'stripe';
import { type Instruction } from '../contract.js';
import { answerOfPayout, answerOfRefund, payoutParams, refundParams } from './stripe-kinds.js';

const refund = { id: 're_1', amount: 1_230, currency: 'eur' } as Stripe.Refund;
const payout = { id: 'po_1', amount: 1_230, currency: 'eur' } as Stripe.Payout;
const money = { amount: 1_230, currency: 'EUR' };

const instruction = (more: Partial<Instruction> = {}): Instruction => ({
  operation: 'payout',
  entityKey: 'payout-1-payout',
  route: 2,
  idempotencyKey: 'key-1',
  money,
  token: 'ba_1',
  reference: 'salary-1',
  ...more,
});

describe('a refund of Stripe', () => {
  it.each(['succeeded', 'pending'])('%s: done, since accepted counts', (status) => {
    const answer = { outcome: 'succeeded', pspReference: 're_1', pspCode: status, money };
    expect(answerOfRefund({ ...refund, status })).toEqual(answer);
  });

  it('that waits for the customer may come to nothing', () => {
    expect(answerOfRefund({ ...refund, status: 'requires_action' }).outcome).toBe('pending');
  });

  it.each([
    ['lost_or_stolen_card', 'card_lost_or_stolen'],
    ['expired_or_canceled_card', 'card_expired'],
    ['merchant_request', 'declined'],
    ['toString', 'declined'],
  ])('failed for %s: %s', (failure_reason, decline) => {
    const answer = answerOfRefund({ ...refund, status: 'failed', failure_reason });
    expect(answer).toMatchObject({ outcome: 'declined', decline, pspCode: failure_reason });
  });

  it('canceled: declined', () => {
    expect(answerOfRefund({ ...refund, status: 'canceled' })).toMatchObject({
      outcome: 'declined',
      pspCode: 'canceled',
    });
  });

  it.each([null, 'postponed'])('%s is no status: unknown', (status) => {
    expect(answerOfRefund({ ...refund, status }).outcome).toBe('unknown');
  });

  it('of an amount that is no amount of ours: a conflict', () => {
    // Isk are sent in hundredths, of which ours are whole ones.
    expect(answerOfRefund({ ...refund, currency: 'isk', amount: 150, status: 'succeeded' }).outcome).toBe(
      'conflict',
    );
  });

  it('is asked for by payment, in its units, under our names', () => {
    const asked = instruction({ operation: 'refund', parentReference: 'pi_1' });
    expect(refundParams(asked)).toEqual({
      payment_intent: 'pi_1',
      amount: 1_230,
      metadata: { payonce_entity_key: 'payout-1-payout', payonce_route: '2', reference: 'salary-1' },
    });
    expect(refundParams(instruction({ money: { amount: 1_231, currency: 'KWD' } }))).toBeNull();
  });
});

describe('a payout of Stripe', () => {
  it.each(['pending', 'in_transit', 'paid'])('%s: done, since accepted counts', (status) => {
    const answer = { outcome: 'succeeded', pspReference: 'po_1', pspCode: status, money };
    expect(answerOfPayout({ ...payout, status })).toEqual(answer);
  });

  it.each([
    ['account_closed', 'account_invalid'],
    ['insufficient_funds', 'insufficient_funds'],
    ['could_not_process', 'processing_error'],
    ['a_code_of_tomorrow', 'declined'],
  ])('failed for %s: %s', (failure_code, decline) => {
    const answer = answerOfPayout({ ...payout, status: 'failed', failure_code, failure_message: 'No.' });
    expect(answer).toMatchObject({
      outcome: 'declined',
      decline,
      pspCode: failure_code,
      message: 'No.',
    });
  });

  it('of another status: unknown', () => {
    expect(answerOfPayout({ ...payout, status: 'postponed' }).outcome).toBe('unknown');
  });

  it('goes to the token, with a descriptor that Stripe takes', () => {
    expect(payoutParams(instruction({ statementDescriptor: 'Shop "42" of the long street' }))).toMatchObject({
      amount: 1_230,
      currency: 'eur',
      destination: 'ba_1',
      statement_descriptor: 'Shop  42  of the long ',
    });
  });

  it.each(['HUF', 'TWD'])('of %s is of whole units only, and never rounded', (currency) => {
    expect(payoutParams(instruction({ money: { amount: 1_230, currency } }))).toBeNull();
    expect(payoutParams(instruction({ money: { amount: 1_200, currency } }))?.amount).toBe(1_200);
  });
});
