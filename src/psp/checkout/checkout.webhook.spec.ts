import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { CheckoutNotices } from './checkout.webhook.js';

const secret = 'whsec_of_checkout';
const reader = new CheckoutNotices({ secrets: ['whsec_new', secret] });

const event = (type: string, data: object = {}) => ({
  id: 'evt_xyjzqfzstq2u5k2zw6v7ao2kqm',
  type,
  version: '1.0.0',
  created_on: '2026-11-22T10:00:00Z',
  data: {
    id: 'pay_ok2ynq6ubn3ufmo6jsdfmdvy5q',
    action_id: 'act_aj2bb4kn6zwulojhvsbzrl6vdq',
    amount: 200,
    currency: 'USD',
    response_code: '10000',
    reference: 'payment-1-charge',
    metadata: { payonce_route: '1', payonce_operation: 'charge' },
    ...data,
  },
});

function read(body: unknown, signature?: string) {
  const raw = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const signed = createHmac('sha256', secret).update(raw).digest('hex');
  return reader.read(raw, { 'cko-signature': signature ?? signed });
}
const factOf = (body: unknown) => read(body).notices[0]?.facts[0];

describe('a notification', () => {
  it.each<[string, object]>([
    ['payment_approved', { outcome: 'succeeded', money: { amount: 200, currency: 'USD' } }],
    ['payment_declined', { outcome: 'declined' }],
    ['payment_canceled', { outcome: 'canceled' }],
    ['payment_expired', { outcome: 'canceled' }],
  ])('%s says what became of the payment', (type, answer) => {
    expect(factOf(event(type, { response_code: '20051' }))).toMatchObject({
      entityKey: 'payment-1-charge',
      route: 1,
      pspReference: 'pay_ok2ynq6ubn3ufmo6jsdfmdvy5q',
      operation: 'charge',
      about: 'operation',
      answer,
    });
  });

  it.each<[string, string, object]>([
    ['payment_captured', 'capture', { outcome: 'succeeded', money: { amount: 200, currency: 'USD' } }],
    ['payment_capture_declined', 'capture', { outcome: 'declined', pspCode: '20051' }],
    ['payment_refunded', 'refund', { outcome: 'succeeded' }],
    ['payment_refund_declined', 'refund', { outcome: 'declined', decline: 'insufficient_funds' }],
    ['payment_voided', 'void', { outcome: 'succeeded' }],
    ['payment_void_declined', 'void', { outcome: 'declined' }],
  ])('%s says what became of a %s', (type, operation, answer) => {
    const data = { reference: `payment-1-${operation}`, response_code: '20051' };
    expect(factOf(event(type, data))).toMatchObject({
      entityKey: `payment-1-${operation}`,
      pspReference: 'act_aj2bb4kn6zwulojhvsbzrl6vdq',
      parentReference: 'pay_ok2ynq6ubn3ufmo6jsdfmdvy5q',
      operation,
      answer,
    });
  });

  const dispute = (type: string, more: object = {}) => ({
    id: 'evt_b6anegml5j6u7kwzuzdg6r4sem',
    type,
    timestamp: '2026-11-23T15:20:32.582+00:00',
    data: {
      id: 'dsp_9rjdlsd4epepfjyyf9vl',
      category: 'fraudulent',
      amount: 8_150,
      currency: 'GBP',
      reason_code: '10.4',
      payment_id: 'pay_ok2ynq6ubn3ufmo6jsdfmdvy5q',
      ...more,
    },
  });

  it.each([
    ['dispute_received', 'open', true],
    ['dispute_evidence_required', 'open', true],
    ['dispute_evidence_submitted', 'open', true],
    ['dispute_evidence_acknowledged_by_scheme', 'open', true],
    ['dispute_accepted', 'lost', true],
    ['dispute_expired', 'lost', true],
    ['dispute_lost', 'lost', true],
    ['dispute_resolved', 'won', false],
    ['dispute_canceled', 'won', false],
    ['dispute_won', 'won', false],
    ['dispute_arbitration_lost', 'lost', true],
    ['dispute_arbitration_won', 'won', false],
  ])('%s is a dispute that is %s', (type, status, withheld) => {
    expect(factOf(dispute(type, { evidence_required_by: '2026-12-01T18:00:00+00:00' }))).toMatchObject({
      about: 'dispute',
      entityKey: null,
      parentReference: 'pay_ok2ynq6ubn3ufmo6jsdfmdvy5q',
      dispute: {
        reference: 'dsp_9rjdlsd4epepfjyyf9vl',
        status,
        withheld,
        respondBy: '2026-12-01T18:00:00.000Z',
      },
      answer: { outcome: 'pending', money: { amount: 8_150, currency: 'GBP' }, pspCode: '10.4' },
    });
  });

  it('has the time of either envelope', () => {
    expect(read(dispute('dispute_won')).notices[0]?.occurredAt).toEqual(new Date('2026-11-23T15:20:32.582Z'));
    expect(read(event('payment_approved')).notices[0]?.occurredAt).toEqual(new Date('2026-11-22T10:00:00Z'));
  });

  it.each<[string, object]>([
    ['dispute_arbitration_sent_to_scheme', {}],
    ['dispute_won', { amount: 81.5 }],
    ['dispute_won', { id: undefined }],
  ])('says nothing about a dispute by %s with %j', (type, data) => {
    expect(read(dispute(type, data)).notices[0]?.facts).toEqual([]);
  });

  it('leaves a charge that was approved and not captured to a person', () => {
    expect(factOf(event('payment_capture_declined'))).toMatchObject({
      entityKey: 'payment-1-charge',
      pspReference: 'pay_ok2ynq6ubn3ufmo6jsdfmdvy5q',
      operation: 'charge',
      answer: { outcome: 'conflict', pspCode: 'capture_declined' },
    });
    const authorized = event('payment_capture_declined', { reference: 'payment-1-authorize' });
    expect(read(authorized).notices[0]?.facts).toEqual([]);
  });

  it('says that what we called back is void', () => {
    const data = { reference: 'payment-1-charge-cancel', metadata: {} };
    expect(factOf(event('payment_voided', data))).toMatchObject({
      entityKey: 'payment-1-charge',
      pspReference: 'pay_ok2ynq6ubn3ufmo6jsdfmdvy5q',
      answer: { outcome: 'canceled' },
    });
    expect(factOf(event('payment_void_declined', data))).toBeUndefined();
  });

  it('is of payments that are ours, and of types that are known', () => {
    expect(read(event('payment_approved', { metadata: {} })).notices).toMatchObject([{ facts: [] }]);
    // A charge is captured by itself.
    expect(read(event('payment_captured')).notices).toMatchObject([{ facts: [] }]);
    expect(read(event('card_verified')).notices).toMatchObject([{ type: 'card_verified', facts: [] }]);
  });

  it.each<[string, unknown, string | undefined, string]>([
    ['without a signature', event('payment_approved'), '', 'signature_missing'],
    ['with another one', event('payment_approved'), '00'.repeat(32), 'signature_invalid'],
    ['with one that is no hexadecimal', event('payment_approved'), 'x', 'signature_invalid'],
    ['that is no event', [1], undefined, 'malformed'],
    ['that is no JSON', 'x', undefined, 'malformed'],
  ])('is refused %s', (_, body, signature, refusal) => {
    expect(read(body, signature)).toEqual({ notices: [], refused: [refusal] });
  });

  it('is not what was signed once a byte of it is another', () => {
    const raw = Buffer.from(JSON.stringify(event('payment_approved')));
    const signature = createHmac('sha256', secret).update(raw).digest('hex');
    const other = Buffer.from(raw.toString().replace('200', '999'));
    expect(reader.read(other, { 'cko-signature': signature }).refused).toEqual(['signature_invalid']);
  });
});
