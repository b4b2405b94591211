import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import StripeSdk from 'stripe';
import { type NotificationReader, type NotificationReading } from '../../src/psp/notification.js';
import { noticeReaderOf } from '../../src/psp/psps-config.js';

/**
 * Notifications in the shape that the vendors document, with all that comes beside what is read. The
 * simulator sends less; what is not to be kept stands only here.
 */
const samples = join(__dirname, 'notices/samples');
const text = (name: string): string => readFileSync(join(samples, name), 'utf8');
const now = new Date('2026-11-21T12:00:00Z');
const hmacKey = 'C3'.repeat(32);
const webhookSecret = 'whsec_ofTheSamples';

function readerOf(adapter: string, credentials: Record<string, string>): NotificationReader {
  const reader = noticeReaderOf({ name: 'account', adapter, timeoutMs: 1_000, credentials });
  if (!reader) throw new Error('the account has no reader');
  return reader;
}

const stripe = readerOf('stripe', { secretKey: 'sk_live_x', webhookSecret });
const adyen = readerOf('adyen', {
  apiKey: 'AQEx',
  merchantAccount: 'PayonceECOM',
  balanceAccount: 'BA00000000000000000000001',
  hmacKey,
});

const hmac = (signed: string): string =>
  createHmac('sha256', Buffer.from(hmacKey, 'hex')).update(signed).digest('base64');

function readStripe(name: string): NotificationReading {
  const payload = text(name);
  const timestamp = now.getTime() / 1_000;
  const signature = StripeSdk.webhooks.generateTestHeaderString({
    payload,
    secret: webhookSecret,
    timestamp,
  });
  return stripe.read(Buffer.from(payload), { 'stripe-signature': signature }, now);
}

interface Item {
  readonly pspReference: string;
  readonly originalReference?: string;
  readonly merchantAccountCode: string;
  readonly merchantReference: string;
  readonly amount: { readonly value: number; readonly currency: string };
  readonly eventCode: string;
  readonly success: string;
  additionalData?: Record<string, string>;
}

function readBatch(): NotificationReading {
  const batch = JSON.parse(text('adyen.batch.json')) as {
    notificationItems: { NotificationRequestItem: Item }[];
  };
  for (const { NotificationRequestItem: item } of batch.notificationItems) {
    const { pspReference, originalReference = '', merchantAccountCode, merchantReference, amount } = item;
    const names = [pspReference, originalReference, merchantAccountCode, merchantReference];
    const signed = [...names, amount.value, amount.currency, item.eventCode, item.success].join(':');
    item.additionalData = { ...item.additionalData, hmacSignature: hmac(signed) };
  }
  return adyen.read(Buffer.from(JSON.stringify(batch)), {}, now);
}

function readTransfer(): NotificationReading {
  const body = text('adyen.transfer.updated.json');
  return adyen.read(Buffer.from(body), { hmacsignature: hmac(body) }, now);
}

describe('notifications as the vendors document them', () => {
  it('Stripe: a payment that failed', () => {
    expect(readStripe('stripe.payment_intent.payment_failed.json')).toMatchObject({
      refused: [],
      notices: [
        {
          eventId: 'evt_3Qa7Lm2nBcDeFgHi0jKlMnOp',
          occurredAt: new Date(1_795_262_400_000),
          facts: [
            {
              operation: 'charge',
              entityKey: 'payment-0199f1d2-7c3a-7b44-9f0e-5a1c2d3e4f50-charge',
              route: 1,
              // generic_decline alone would be soft; the advice overrules it.
              answer: { outcome: 'declined', decline: 'declined', pspCode: 'generic_decline' },
            },
          ],
        },
      ],
    });
  });

  it('Stripe: a refund that failed a day later, and a payout that arrived', () => {
    expect(readStripe('stripe.refund.failed.json').notices[0]?.facts).toMatchObject([
      {
        operation: 'refund',
        entityKey: 'payment-0199f1d2-7c3a-7b44-9f0e-5a1c2d3e4f50-refund-return-7',
        parentReference: 'pi_3Qa7Lm2nBcDeFgHi1WxYzAbC',
        answer: { outcome: 'declined', decline: 'card_expired' },
      },
    ]);
    expect(readStripe('stripe.payout.paid.json').notices[0]?.facts).toMatchObject([
      { operation: 'payout', answer: { outcome: 'succeeded', money: { amount: 120_000, currency: 'EUR' } } },
    ]);
  });

  it('Adyen: a batch', () => {
    const { notices, refused } = readBatch();
    expect(refused).toEqual([]);
    expect(notices.map(({ eventId }) => eventId)).toEqual([
      'AUTHORISATION:QFQTPCQ8HXSKGK82:true',
      'AUTHORISATION:NC6HT9CRT65ZGN82:false',
      'CAPTURE_FAILED:JDD6LKT8MBLZNN84:true',
      'TECHNICAL_CANCEL:FZ2B7WNRJ8VKGK82:true',
      'REPORT_AVAILABLE:settlement_detail_report_batch_41.csv:true',
    ]);
    expect(notices[0]?.occurredAt).toEqual(new Date('2026-11-21T12:05:22Z'));
    expect(notices.map(({ facts }) => facts)).toMatchObject([
      [{ route: 1, answer: { outcome: 'succeeded', money: { amount: 1_999, currency: 'EUR' } } }],
      [{ answer: { outcome: 'declined', decline: 'insufficient_funds', pspCode: '12' } }],
      [{ operation: 'capture', parentReference: 'KHQC5N7G84BLNK43', answer: { outcome: 'declined' } }],
      [
        {
          about: 'cancel',
          entityKey: 'payment-0199f1d6-4444-7555-8666-c777888999aa-charge',
          pspReference: 'ZB4QBK6DJXNG5S82',
          cancelReference: 'FZ2B7WNRJ8VKGK82',
          answer: { outcome: 'canceled' },
        },
      ],
      [],
    ]);
  });

  it('Adyen: a transfer', () => {
    expect(readTransfer().notices[0]).toMatchObject({
      eventId: 'balancePlatform.transfer.updated:3JERI65X0B8SMQOV:booked:3',
      facts: [
        { operation: 'payout', entityKey: 'payout-0199f1d3-1111-7222-8333-944455566677-send', route: null },
      ],
    });
  });

  it('leave nothing behind of cards, customers and secrets', () => {
    const stripes = readdirSync(samples).filter((name) => name.startsWith('stripe.'));
    expect(stripes).toHaveLength(3);
    const kept = JSON.stringify([...stripes.map(readStripe), readBatch(), readTransfer()]);
    expect(kept).not.toMatch(
      /_secret_|pm_|cus_|ada@|Ada|Lovelace|0002|1142|2031|058747|https:(?!\/\/ca-live\.adyen\.com\/reports\/)|SE0000|AH0000/,
    );
  });
});
