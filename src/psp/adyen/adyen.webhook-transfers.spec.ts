import { createHmac } from 'node:crypto';
import { type NotificationReading } from '../notification.js';
import { AdyenNotices } from './adyen.webhook.js';

const TRANSFER_KEY = '11'.repeat(32);
/** Of standard webhooks. */
const OTHER_KEY = '0123456789ABCDEF'.repeat(4);
const reader = new AdyenNotices({
  merchantAccount: 'PayonceECOM',
  hmacKeys: [OTHER_KEY],
  balanceAccount: 'BA1',
  transferHmacKeys: [TRANSFER_KEY],
});
const read = (body: string, headers: Record<string, string>): NotificationReading =>
  reader.read(Buffer.from(body), headers);
const money = { amount: 1_000, currency: 'EUR' };

describe('transfers of the balance platform', () => {
  const data = {
    id: '3JERI65X0B8SMQOV',
    status: 'booked',
    reason: 'approved',
    reference: 'payout-1-send',
    amount: { currency: 'EUR', value: 1_000 },
    balanceAccount: { id: 'BA1' },
    category: 'bank',
    direction: 'outgoing',
    sequenceNumber: 3,
  };
  const event = (more: object = {}, type = 'balancePlatform.transfer.updated'): string =>
    JSON.stringify({
      data: { ...data, ...more },
      environment: 'test',
      timestamp: '2026-11-21T12:00:00Z',
      type,
    });
  const hmac = (body: string, key = TRANSFER_KEY): Record<string, string> => ({
    hmacsignature: createHmac('sha256', Buffer.from(key, 'hex')).update(body).digest('base64'),
  });
  const readEvent = (more: object) => read(event(more), hmac(event(more)));

  it.each<[string, object, object]>([
    ['authorised', {}, { outcome: 'succeeded', money }],
    ['booked', {}, { outcome: 'succeeded', money }],
    ['pendingApproval', {}, { outcome: 'pending' }],
    ['refused', { reason: 'counterpartyAccountClosed' }, { outcome: 'declined', decline: 'account_invalid' }],
    ['returned', {}, { outcome: 'declined' }],
  ])('%s: what became of the payout', (status, more, answer) => {
    expect(readEvent({ ...more, status })).toMatchObject({
      notices: [
        {
          eventId: `balancePlatform.transfer.updated:3JERI65X0B8SMQOV:${status}:3`,
          occurredAt: new Date('2026-11-21T12:00:00Z'),
          facts: [
            { operation: 'payout', entityKey: 'payout-1-send', pspReference: '3JERI65X0B8SMQOV', answer },
          ],
        },
      ],
      refused: [],
    });
  });

  it('says nothing of what is no payout, and of a state that says nothing', () => {
    const silent = [{ direction: 'incoming' }, { category: 'internal' }, { status: 'error' }];
    for (const more of [...silent, { status: 'received' }]) {
      expect(readEvent(more)).toMatchObject({ notices: [{ facts: [] }], refused: [] });
    }
    const other = event({}, 'balancePlatform.accountHolder.updated');
    expect(read(other, hmac(other))).toMatchObject({ notices: [{ facts: [] }], refused: [] });
  });

  it.each<[string, string, Record<string, string>, string]>([
    ['no signature', event(), { hmacsignature: '' }, 'signature_missing'],
    ['the key of other webhooks', event(), hmac(event(), OTHER_KEY), 'signature_invalid'],
    ['another body', event(), hmac(`${event()} `), 'signature_invalid'],
    [
      'another balance account',
      event({ balanceAccount: { id: 'BA2' } }),
      hmac(event({ balanceAccount: { id: 'BA2' } })),
      'other_account',
    ],
    ['no transfer', event({ amount: 1 }), hmac(event({ amount: 1 })), 'malformed'],
  ])('%s: refused', (_, body, headers, refusal) => {
    expect(read(body, headers)).toEqual({ notices: [], refused: [refusal] });
  });
});
