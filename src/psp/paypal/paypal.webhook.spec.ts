import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Signer } from '../../../packages/simulator/src/signer.js';
import { PaypalNotices } from './paypal.webhook.js';

const webhookId = 'WH-55TG7562XN2588878';
const PATH = '/v1/notifications/certs/CERT-360caa42-fca2a594';
const signer = new Signer('messageverificationcerts.paypal.com');
let server: Server;
let origin: string;
let asked: string[] = [];
let now: Date;
let reader: PaypalNotices;

const capture = {
  id: '2GG279541U471931P',
  status: 'COMPLETED',
  amount: { currency_code: 'EUR', value: '10.00' },
  custom_id: 'payment-1-charge 1',
  supplementary_data: { related_ids: { order_id: '5O190127TN364715T' } },
};
const eventOf = (kind: string, resource: object) => ({
  id: 'WH-COC11055RA711503B-4YM959094A144403T',
  event_type: 'PAYMENT.CAPTURE.COMPLETED',
  create_time: '2026-11-20T10:00:00Z',
  resource_type: kind,
  resource,
});

function delivered(
  event: unknown,
  certificate = `${origin}${PATH}`,
  id = webhookId,
  at = '2026-11-20T10:00:00Z',
) {
  const raw = Buffer.from(JSON.stringify(event));
  const transmission = randomUUID();
  const headers = {
    'paypal-transmission-id': transmission,
    'paypal-transmission-time': at,
    'paypal-cert-url': certificate,
    'paypal-transmission-sig': signer.sign(`${transmission}|${at}|${id}|${crc32(raw)}`),
  };
  return { raw, headers };
}

async function read(event: unknown, ...of: [certificate?: string, id?: string]) {
  const { raw, headers } = delivered(event, ...of);
  await reader.prepare(headers, now);
  return reader.read(raw, headers);
}

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === PATH) return response.end(signer.certificate);
    if (request.url?.endsWith('/moved')) response.setHeader('location', PATH).statusCode = 302;
    return response.end('no certificate');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  asked = [];
  now = new Date('2026-11-20T10:00:00Z');
  reader = new PaypalNotices({ webhookIds: [webhookId], baseUrl: `${origin}/` });
});

describe('the signature', () => {
  it('is checked by a certificate that is fetched once, by whichever of those that come at once', async () => {
    const readings = [1, 2, 3].map(() => read(eventOf('capture', capture)));
    for (const { notices } of await Promise.all(readings)) expect(notices).toHaveLength(1);
    expect(asked).toEqual([PATH]);
  });

  it.each([
    ['another host', 'https://api.paypal.com.example.com/v1/notifications/certs/CERT-1'],
    ['another address of this machine', 'http://127.0.0.1:1/v1/notifications/certs/CERT-1'],
    ['no TLS', 'http://api.paypal.com/v1/notifications/certs/CERT-1'],
    ['another path', 'PSP/v1/anything'],
    ['a path that leads on', 'PSP/v1/notifications/certs/CERT-1?to=elsewhere'],
    ['no address', 'CERT-1'],
  ])('is not checked by a certificate of %s, which nobody fetches', async (_, url) => {
    const { refused } = await read(eventOf('capture', capture), url.replace('PSP', origin));
    expect([refused, asked]).toEqual([['signature_invalid'], []]);
  });

  it('is not checked by what a redirect leads to, and who names others is not followed each time', async () => {
    for (const name of ['moved', 'other', 'third']) {
      const { refused } = await read(eventOf('capture', capture), `${origin}/v1/notifications/certs/${name}`);
      expect(refused).toEqual(['signature_invalid']);
    }
    expect(asked).toEqual(['/v1/notifications/certs/moved']);
    now = new Date(now.getTime() + 1_000);
    expect((await read(eventOf('capture', capture))).refused).toEqual([]);
    expect(asked).toEqual(['/v1/notifications/certs/moved', PATH]);
  });

  it('is of this webhook, this body and this transmission', async () => {
    expect((await read(eventOf('capture', capture), `${origin}${PATH}`, 'WH-other')).refused).toEqual([
      'signature_invalid',
    ]);
    const { raw, headers } = delivered(eventOf('capture', capture));
    await reader.prepare(headers, now);
    const altered = Buffer.from(raw.toString().replace('10.00', '99.00'));
    expect(reader.read(altered, headers).refused).toEqual(['signature_invalid']);
    const other = { ...headers, 'paypal-transmission-id': randomUUID() };
    expect(reader.read(raw, other).refused).toEqual(['signature_invalid']);
    expect(reader.read(raw, headers).refused).toEqual([]);
  });
});

describe('a notification', () => {
  const factsOf = async (kind: string, resource: object) =>
    (await read(eventOf(kind, resource))).notices[0]?.facts;
  const related = { order_id: '5O190127TN364715T', authorization_id: '8AA831015G517922L' };

  it.each<[string, object]>([
    ['COMPLETED', { outcome: 'succeeded', money: { amount: 1_000, currency: 'EUR' } }],
    ['PENDING', { outcome: 'pending' }],
    ['DECLINED', { outcome: 'declined' }],
  ])('of a capture that is %s is of the charge, by the id of its order', async (status, answer) => {
    expect(await factsOf('capture', { ...capture, status })).toMatchObject([
      {
        operation: 'charge',
        entityKey: 'payment-1-charge',
        route: 1,
        pspReference: related.order_id,
        answer,
      },
    ]);
  });

  it('of a capture of an authorization is of a capture', async () => {
    const facts = await factsOf('capture', { ...capture, supplementary_data: { related_ids: related } });
    expect(facts).toMatchObject([
      {
        operation: 'capture',
        entityKey: null,
        ofPayment: 'payment-1-charge',
        pspReference: capture.id,
        parentReference: related.order_id,
        answer: { outcome: 'succeeded', money: { amount: 1_000, currency: 'EUR' } },
      },
    ]);
  });

  it('of an authorization that is void is of the void and of the payment', async () => {
    const facts = await factsOf('authorization', { ...capture, status: 'VOIDED' });
    expect(facts).toMatchObject([
      { operation: 'authorize', pspReference: related.order_id, answer: { outcome: 'canceled' } },
      { operation: 'void', parentReference: related.order_id, answer: { outcome: 'succeeded' } },
    ]);
    expect(await factsOf('authorization', { ...capture, status: 'CAPTURED' })).toEqual([]);
  });

  it.each<[string, string]>([
    ['COMPLETED', 'succeeded'],
    ['PENDING', 'succeeded'],
    ['FAILED', 'declined'],
  ])('of a refund that is %s: %s', async (status, outcome) => {
    expect(await factsOf('refund', { ...capture, status, custom_id: 'payment-1-refund 1' })).toMatchObject([
      { operation: 'refund', entityKey: 'payment-1-refund', pspReference: capture.id, answer: { outcome } },
    ]);
  });

  it.each<[string, object]>([
    ['capture', { ...capture, custom_id: 'INVOICE 1 of 3' }],
    ['capture', { ...capture, custom_id: undefined }],
    ['capture', { ...capture, supplementary_data: {} }],
    ['checkout-order', { id: related.order_id, status: 'APPROVED' }],
  ])('of a %s that is not ours says nothing: %j', async (kind, resource) => {
    expect(await factsOf(kind, resource)).toEqual([]);
  });
});

describe('a dispute', () => {
  /** As PayPal's specification shows it (customer_disputes_v1.json). */
  const dispute = {
    dispute_id: 'PP-D-12345',
    disputed_transactions: [{ seller_transaction_id: '4LK79837X13577439', custom: 'payment-1-charge 1' }],
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    status: 'WAITING_FOR_SELLER_RESPONSE',
    dispute_amount: { currency_code: 'USD', value: '50.00' },
    dispute_life_cycle_stage: 'INQUIRY',
    seller_response_due_date: '2026-11-30T10:00:00.000Z',
  };
  const newsOf = async (more: object) => {
    const { notices } = await read(eventOf('dispute', { ...dispute, ...more }));
    return notices[0]!.facts[0]?.dispute;
  };

  it('is of the payment that its transaction names, with the money held back', async () => {
    const { notices } = await read(eventOf('dispute', dispute));
    expect(notices[0]!.facts).toMatchObject([
      {
        about: 'dispute',
        ofPayment: 'payment-1-charge',
        dispute: {
          reference: 'PP-D-12345',
          status: 'open',
          withheld: true,
          respondBy: '2026-11-30T10:00:00.000Z',
        },
        answer: { money: { amount: 5_000, currency: 'USD' }, pspCode: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED' },
      },
    ]);
  });

  it('goes on from stage to stage, each of which may be reviewed and resolved', async () => {
    const resolved = { status: 'RESOLVED', dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' } };
    const course = [
      {},
      { status: 'UNDER_REVIEW' },
      resolved,
      { dispute_life_cycle_stage: 'CHARGEBACK' },
      { dispute_life_cycle_stage: 'CHARGEBACK', ...resolved },
      { dispute_life_cycle_stage: 'ARBITRATION' },
    ];
    const stages = await Promise.all(course.map(async (more) => (await newsOf(more))!.stage));
    expect(stages).toEqual(stages.toSorted((a, b) => a - b));
    expect(new Set(stages).size).toBe(course.length);
  });

  it.each([
    ['RESOLVED_SELLER_FAVOUR', 'won'],
    ['RESOLVED_WITH_PAYOUT', 'won'],
    ['CANCELED_BY_BUYER', 'won'],
    ['DENIED', 'won'],
    ['RESOLVED_BUYER_FAVOUR', 'lost'],
    ['ACCEPTED', 'lost'],
  ])('that ends as %s is %s', async (code, status) => {
    const ended = { status: 'RESOLVED', dispute_outcome: { outcome_code: code } };
    expect(await newsOf(ended)).toMatchObject({ status, withheld: status === 'lost' });
  });

  it.each([
    { status: 'RESOLVED', dispute_outcome: { outcome_code: 'NONE' } },
    { dispute_life_cycle_stage: 'OTHER' },
    { dispute_amount: undefined },
    { disputed_transactions: [{ custom: 'Gift' }] },
  ])('is left alone where it says %j', async (more) => {
    expect(await newsOf(more)).toBeUndefined();
  });
});
