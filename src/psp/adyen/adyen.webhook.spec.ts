import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { type NotificationItem, type NotificationReading } from '../notification.js';
import { referenceFor } from './adyen.mapping.js';
import { adyenCapabilities } from './adyen.psp.js';
import { AdyenNotices } from './adyen.webhook.js';
import { adyenRefusalReasons } from './refusal-reasons.js';

const KEY = '0123456789ABCDEF'.repeat(4);
const PREVIOUS = 'fedcba9876543210'.repeat(4);
const TRANSFER_KEY = '11'.repeat(32);
const ACCOUNT = 'PayonceECOM';
const reader = new AdyenNotices({
  merchantAccount: ACCOUNT,
  hmacKeys: [KEY, PREVIOUS],
  balanceAccount: 'BA1',
  transferHmacKeys: [TRANSFER_KEY],
});

type Item = Record<string, unknown>;

const item = (more: Item = {}): Item => ({
  eventCode: 'AUTHORISATION',
  success: 'true',
  pspReference: 'QFQTPCQ8HXSKGK82',
  merchantAccountCode: 'PayonceECOM',
  merchantReference: 'payment-1-charge',
  amount: { currency: 'EUR', value: 1_000 },
  eventDate: '2026-11-21T13:00:00+01:00',
  ...more,
});

const modification = (eventCode: string, more: Item = {}): Item =>
  item({ eventCode, pspReference: 'OWN0000000000001', originalReference: 'QFQTPCQ8HXSKGK82', ...more });

/** As https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures says. */
function signature(one: Item, key: string): string {
  const { value, currency } = (one['amount'] ?? {}) as { value?: number; currency?: string };
  const { pspReference, originalReference, merchantAccountCode, merchantReference, eventCode, success } = one;
  const fields = [pspReference, originalReference, merchantAccountCode, merchantReference, value, currency];
  const text = [...fields, eventCode, success]
    .map((field) => (typeof field === 'string' || typeof field === 'number' ? field : ''))
    .join(':');
  return createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');
}

const signed = (one: Item, key = KEY): Item => ({
  ...one,
  additionalData: { ...(one['additionalData'] as object | undefined), hmacSignature: signature(one, key) },
});

const batch = (...items: readonly unknown[]): string =>
  JSON.stringify({
    live: 'false',
    notificationItems: items.map((one) => ({ NotificationRequestItem: one })),
  });

const read = (body: string, headers: Record<string, string> = {}): NotificationReading =>
  reader.read(Buffer.from(body), headers);

function facts(one: Item): readonly NotificationItem[] {
  const { notices, refused } = read(batch(signed(one)));
  expect(refused).toEqual([]);
  expect(notices).toHaveLength(1);
  return notices[0]!.facts;
}

const money = { amount: 1_000, currency: 'EUR' };

describe('who may tell', () => {
  it.each<[string, Item, string]>([
    ['no signature', item(), 'signature_missing'],
    ['an empty one', { ...item(), additionalData: { hmacSignature: '' } }, 'signature_missing'],
    ['another key', signed(item(), '22'.repeat(32)), 'signature_invalid'],
    [
      'a signature that is too short',
      { ...item(), additionalData: { hmacSignature: 'AAAA' } },
      'signature_invalid',
    ],
    ['another merchant account', signed(item({ merchantAccountCode: 'Other' })), 'other_account'],
  ])('%s: refused', (_, one, refusal) => {
    expect(read(batch(one))).toEqual({ notices: [], refused: [refusal] });
  });

  it.each(['pspReference', 'originalReference', 'merchantAccountCode', 'merchantReference', 'eventCode'])(
    'refuses an item whose %s is not what was signed',
    (field) => {
      const altered = { ...signed(modification('CAPTURE')), [field]: 'ALTERED' };
      expect(read(batch(altered)).refused).toEqual(['signature_invalid']);
    },
  );

  it.each<[string, Item]>([
    ['amount', { amount: { currency: 'EUR', value: 1_001 } }],
    ['currency', { amount: { currency: 'USD', value: 1_000 } }],
    ['success', { success: 'false' }],
  ])('refuses an item whose %s is not what was signed', (_, altered) => {
    expect(read(batch({ ...signed(item()), ...altered })).refused).toEqual(['signature_invalid']);
  });

  it('takes the key before while keys are rotated', () => {
    expect(read(batch(signed(item(), PREVIOUS))).notices).toHaveLength(1);
  });

  it('is signed over references as they stand, colons and backslashes and all', () => {
    const odd = item({ merchantReference: 'a:b\\c', originalReference: ':' });
    expect(read(batch(signed(odd))).notices).toMatchObject([{ type: 'AUTHORISATION', facts: [] }]);
  });

  it('proves nothing where the signature fits other fields as well', () => {
    const [one, two] = [
      'payment-0192ab34-5678-7abc-8def-0123456789ab',
      'payment-0192ab34-5678-7abc-8def-0123456789ac',
    ];
    // What another system at the account may have been told, and what somebody makes of it who has seen it.
    const told = modification('REFUND', {
      merchantReference: `X:${ACCOUNT}:${one}-refund`,
      originalReference: two,
    });
    const { additionalData } = signed(told);
    const made = {
      ...told,
      originalReference: `${two}:${ACCOUNT}:X`,
      merchantReference: `${one}-refund`,
      additionalData,
    };
    expect(read(batch(made))).toMatchObject({ refused: [], notices: [{ facts: [] }] });
    expect(read(batch({ ...told, additionalData }))).toMatchObject({ refused: [], notices: [{ facts: [] }] });
    expect(read(batch({ ...made, pspReference: 'OWN0000000000001:X' })).refused).toEqual(['malformed']);
    // Ours have none: what a merchant names with one is sent under another name, and found by it.
    const named = `${one}-refund-a:b`;
    expect(referenceFor(named)).toMatch(/^[\w.-]{1,80}$/);
    expect(adyenCapabilities.isOwnName!(named, referenceFor(named))).toBe(true);
    expect(referenceFor(`${one}-refund-a:b`)).not.toBe(referenceFor(`${one}-refund-a_b`));
    expect(facts(modification('REFUND', { merchantReference: referenceFor(named) }))).toHaveLength(1);
  });

  it('takes what a batch has of good ones', () => {
    const { notices, refused } = read(
      batch(
        signed(item({ pspReference: 'A1' })),
        item(),
        signed(item({ merchantAccountCode: 'Other' })),
        { eventCode: 7 },
        signed(modification('CAPTURE', { pspReference: 'A2' })),
      ),
    );
    expect(notices.map(({ eventId }) => eventId)).toEqual(['AUTHORISATION:A1:true', 'CAPTURE:A2:true']);
    expect(refused).toEqual(['signature_missing', 'other_account', 'malformed']);
  });

  it('takes 200 items and not one more', () => {
    const one = signed(item());
    const many = (count: number) => batch(...Array.from({ length: count }, () => one));
    expect(read(many(200)).notices).toHaveLength(200);
    expect(read(many(201))).toEqual({ notices: [], refused: ['malformed'] });
  });

  it('has no key that anybody can guess', () => {
    const options = { merchantAccount: 'M', transferHmacKeys: [] };
    for (const key of ['', 'no hexadecimal at all, but long', '00', `${KEY}0`]) {
      expect(() => new AdyenNotices({ ...options, hmacKeys: [key] })).toThrow(RangeError);
    }
  });
});

describe('what an item says', () => {
  it('of an authorisation: the outcome of what it is named by', () => {
    const additionalData = { 'metadata.payonce_route': '3', cardSummary: '1111', expiryDate: '3/2030' };
    expect(facts(item({ additionalData, reason: '058747:1111:3/2030' }))).toEqual([
      {
        entityKey: 'payment-1-charge',
        route: 3,
        ofPayment: null,
        pspReference: 'QFQTPCQ8HXSKGK82',
        parentReference: null,
        operation: null,
        about: 'operation',
        cancelReference: null,
        answer: { outcome: 'succeeded', pspReference: 'QFQTPCQ8HXSKGK82', money },
      },
    ]);
  });

  it.each<[string | null, object, string, string]>([
    ['Not enough balance', {}, 'insufficient_funds', '12'],
    ['NOT_ENOUGH_BALANCE', {}, 'insufficient_funds', '12'],
    ['Refused', {}, 'do_not_honor', '2'],
    ['Refused', { merchantAdviceCode: '03 : Do not try again' }, 'declined', '2'],
    ['', { refusalReasonRaw: '54 : Expired Card' }, 'card_expired', '6'],
    ['a reason to come', {}, 'declined', 'Refused'],
    [null, {}, 'declined', 'Refused'],
  ])('of a refusal with %j %j: %s', (reason, additionalData, decline, pspCode) => {
    expect(facts(item({ success: 'false', reason, additionalData }))).toMatchObject([
      { entityKey: 'payment-1-charge', answer: { outcome: 'declined', decline, pspCode } },
    ]);
  });

  it.each(Object.keys(adyenRefusalReasons.categories))('knows refusal %s by its words', (code) => {
    const reason = Object.entries(adyenRefusalReasons.texts).find(([each]) => each === code)?.[1];
    expect(facts(item({ success: 'false', reason }))[0]?.answer.pspCode).toBe(code);
  });

  it.each<[string, string, string, object]>([
    ['CAPTURE', 'true', 'capture', { outcome: 'succeeded', money }],
    ['CAPTURE', 'false', 'capture', { outcome: 'declined', pspCode: 'CAPTURE' }],
    ['CAPTURE_FAILED', 'true', 'capture', { outcome: 'declined', pspCode: 'CAPTURE_FAILED' }],
    ['REFUND', 'true', 'refund', { outcome: 'succeeded', money }],
    ['REFUND', 'false', 'refund', { outcome: 'declined' }],
    ['REFUND_FAILED', 'true', 'refund', { outcome: 'declined' }],
    ['REFUNDED_REVERSED', 'true', 'refund', { outcome: 'declined', pspCode: 'REFUNDED_REVERSED' }],
  ])('of %s %s: the outcome of the %s', (eventCode, success, operation, answer) => {
    const merchantReference = `payment-1-${operation}-part1`;
    expect(facts(modification(eventCode, { success, merchantReference }))).toEqual([
      {
        entityKey: merchantReference,
        route: null,
        ofPayment: merchantReference,
        pspReference: 'OWN0000000000001',
        parentReference: 'QFQTPCQ8HXSKGK82',
        operation,
        about: 'operation',
        cancelReference: null,
        answer: expect.objectContaining({ ...answer, pspReference: 'OWN0000000000001' }),
      },
    ]);
  });

  it.each<[string, object]>([
    ['REQUEST_FOR_INFORMATION', { stage: 0, status: 'open', withheld: false }],
    ['NOTIFICATION_OF_CHARGEBACK', { stage: 1, status: 'open', withheld: false }],
    ['CHARGEBACK', { stage: 2, status: 'lost', withheld: true }],
    ['CHARGEBACK_REVERSED', { stage: 3, status: 'won', withheld: false }],
    ['SECOND_CHARGEBACK', { stage: 4, status: 'lost', withheld: true }],
    ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', { stage: 5, status: 'won', withheld: false }],
    ['PREARBITRATION_WON', { stage: 5, status: 'won', withheld: false }],
    ['PREARBITRATION_LOST', { stage: 6, status: 'lost', withheld: true }],
  ])('of %s: the course of a dispute of the payment', (eventCode, course) => {
    const merchantReference = 'payment-1-charge';
    expect(facts(modification(eventCode, { merchantReference, reason: 'Fraud' }))).toEqual([
      {
        entityKey: null,
        route: null,
        ofPayment: merchantReference,
        pspReference: null,
        parentReference: 'QFQTPCQ8HXSKGK82',
        operation: null,
        about: 'dispute',
        cancelReference: null,
        dispute: { reference: 'OWN0000000000001', ...course },
        answer: { outcome: 'pending', pspCode: 'Fraud', money },
      },
    ]);
    expect(facts(modification(eventCode, { merchantReference, success: 'false' }))).toEqual([]);
  });

  it.each([
    ['2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00.000Z'],
    ['soon', undefined],
    [undefined, undefined],
  ])('of a dispute: until when the bank takes an answer: %s', (ends, respondBy) => {
    const additionalData = ends === undefined ? {} : { defensePeriodEndsAt: ends };
    const [fact] = facts(modification('NOTIFICATION_OF_CHARGEBACK', { additionalData }));
    expect(fact?.dispute?.respondBy).toBe(respondBy);
  });

  it('hands on the name as it is, be it that of the payment or one that ends like it', () => {
    for (const merchantReference of ['payment-1-charge', 'payment-1-capture-of-a-charge']) {
      expect(facts(modification('CAPTURE', { merchantReference }))).toMatchObject([
        {
          entityKey: merchantReference,
          ofPayment: merchantReference,
          operation: 'capture',
          parentReference: 'QFQTPCQ8HXSKGK82',
        },
      ]);
    }
  });

  it.each<[string, string]>([
    ['TECHNICAL_CANCEL', 'payment-1-charge-cancel'],
    ['TECHNICAL_CANCEL', 'payment-1-charge'],
    ['CANCEL_OR_REFUND', 'payment-1-charge-reversal'],
    ['CANCELLATION', 'payment-1-charge-cancel'],
  ])('of %s by %s: what became of a cancel of the charge', (eventCode, merchantReference) => {
    for (const [success, outcome] of [
      ['true', 'canceled'],
      ['false', 'declined'],
    ]) {
      expect(facts(modification(eventCode, { merchantReference, success }))).toEqual([
        {
          entityKey: 'payment-1-charge',
          route: null,
          ofPayment: merchantReference,
          pspReference: 'QFQTPCQ8HXSKGK82',
          parentReference: null,
          operation: null,
          about: 'cancel',
          cancelReference: 'OWN0000000000001',
          answer: expect.objectContaining({ outcome, pspReference: 'QFQTPCQ8HXSKGK82' }),
        },
      ]);
    }
  });

  it("of a merchant's void: its outcome, and what became of the payment", () => {
    for (const [success, done, canceled] of [
      ['true', 'succeeded', 'canceled'],
      ['false', 'declined', 'declined'],
    ]) {
      expect(
        facts(modification('CANCELLATION', { merchantReference: 'payment-1-void', success })),
      ).toMatchObject([
        {
          operation: 'void',
          entityKey: 'payment-1-void',
          pspReference: 'OWN0000000000001',
          parentReference: 'QFQTPCQ8HXSKGK82',
          about: 'operation',
          answer: { outcome: done },
        },
        {
          entityKey: 'payment-1-void',
          ofPayment: 'payment-1-void',
          pspReference: 'QFQTPCQ8HXSKGK82',
          about: 'cancel',
          cancelReference: 'OWN0000000000001',
          answer: { outcome: canceled },
        },
      ]);
    }
  });

  it.each(['AUTHORISATION_ADJUSTMENT', 'REPORT_AVAILABLE', 'NOTIFICATION_OF_FRAUD', 'A_CODE_TO_COME'])(
    'of %s: nothing, and it is taken',
    (eventCode) => {
      expect(facts(modification(eventCode))).toEqual([]);
    },
  );

  it('of a failure that did not happen: nothing', () => {
    expect(facts(modification('CAPTURE_FAILED', { success: 'false' }))).toEqual([]);
  });

  it('carries a long name as it was sent', () => {
    const name = `payment-1-refund-${'x'.repeat(90)}`;
    const [fact] = facts(modification('REFUND', { merchantReference: referenceFor(name) }));
    expect(fact?.entityKey).toBe(referenceFor(name));
  });

  it('counts CLP as Adyen does', () => {
    const written = (value: unknown) => facts(item({ amount: { currency: 'EUR', value } }))[0]?.answer;
    expect(written('1000')?.money).toEqual({ amount: 1_000, currency: 'EUR' });
    for (const value of ['1e3', '1000.0', ' 1000', '01000', '-1000', '', '9007199254740993']) {
      expect(written(value)).toMatchObject({ outcome: 'conflict', pspCode: 'money_unreadable' });
    }
    const amount = { currency: 'CLP', value: 100_000 };
    expect(facts(item({ amount }))[0]?.answer.money).toEqual({ amount: 1_000, currency: 'CLP' });
  });

  it('keeps nothing of cards and customers', () => {
    const one = item({
      success: 'false',
      reason: 'Card 4242 4242 4242 4242 refused',
      additionalData: { cardSummary: '4242', cardHolderName: 'Ada Lovelace', shopperEmail: 'ada@x.example' },
      merchantReference: '4111111111111111',
    });
    const kept = JSON.stringify(read(batch(signed(one))));
    expect(kept).toContain('[removed]');
    expect(kept).not.toMatch(/4242|4111|Ada|@/);
  });
});

describe('whatever comes', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean(), fc.object());
  const field = fc.constantFrom(...Object.keys(modification('REFUND')), 'reason', 'additionalData');
  const code = fc.constantFrom(
    'AUTHORISATION',
    'CAPTURE',
    'CANCELLATION',
    'TECHNICAL_CANCEL',
    'REFUND_FAILED',
  );

  it('never throws, and says of each item either what it took or why not', () => {
    const items = fc.array(
      fc.tuple(code, fc.dictionary(field, value), fc.boolean()).map(([eventCode, more, right]) => {
        const one = { ...modification(eventCode), ...more };
        return right ? signed({ ...one, additionalData: {} }) : one;
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(items, (given) => {
        const { notices, refused } = read(batch(...given));
        expect(notices.length + refused.length).toBe(given.length);
        for (const { eventId, type } of notices) {
          expect(eventId.length).toBeLessThanOrEqual(200);
          expect(type.length).toBeLessThanOrEqual(100);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never throws over any bytes and headers', () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(
        bodies,
        fc.dictionary(fc.constantFrom('hmacsignature', 'x'), fc.string()),
        (body, headers) => {
          expect(reader.read(Buffer.from(body), headers).notices).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
    expect(read('').refused).toEqual(['malformed']);
    expect(read(`{"notificationItems":${'['.repeat(40)}${']'.repeat(40)}}`).refused).toEqual(['malformed']);
    expect(read(batch('x'.repeat(262_144))).refused).toEqual(['malformed']);
  });
});
