import { createHmac } from 'node:crypto';
import { GocardlessNotices } from './gocardless.webhook.js';

const reader = new GocardlessNotices({ secrets: ['secret-of-the-endpoint'] });
const metadata = { payonce_key: 'payment-1-charge', payonce_route: '1' };
/** As GoCardless's guides show it (developer.gocardless.com/partners/webhooks-for-partners). */
const failure = {
  id: 'EV123',
  created_at: '2014-04-08T17:01:06.000Z',
  resource_type: 'payments',
  action: 'failed',
  details: {
    origin: 'bank',
    cause: 'insufficient_funds',
    description: "The customer's account had insufficient funds to make this payment.",
    scheme: 'sepa_core',
    reason_code: 'AM04',
  },
  metadata: {},
  resource_metadata: metadata,
  links: { payment: 'PM123' },
};

function read(events: readonly unknown[]) {
  const raw = Buffer.from(JSON.stringify({ events }));
  const signature = createHmac('sha256', 'secret-of-the-endpoint').update(raw).digest('hex');
  return reader.read(raw, { 'webhook-signature': signature });
}
const factsOf = (event: object) => read([{ ...failure, ...event }]).notices.flatMap(({ facts }) => facts);

it('reads a failure with its cause, by our names and the id', () => {
  expect(factsOf({})).toMatchObject([
    {
      operation: 'charge',
      entityKey: 'payment-1-charge',
      route: 1,
      pspReference: 'PM123',
      answer: { outcome: 'declined', decline: 'insufficient_funds', pspCode: 'insufficient_funds' },
    },
  ]);
});

it.each([
  ['confirmed', 'succeeded'],
  ['paid_out', 'succeeded'],
  ['cancelled', 'canceled'],
  ['customer_approval_denied', 'declined'],
])('reads %s as %s', (action, outcome) => {
  expect(factsOf({ action })).toMatchObject([{ answer: { outcome } }]);
});

it.each(['created', 'submitted', 'resubmission_requested', 'late_failure_settled'])(
  'says nothing of %s',
  (action) => {
    expect(factsOf({ action })).toEqual([]);
  },
);

it('says nothing of a failure that is debited again by itself', () => {
  expect(factsOf({ will_attempt_retry: true })).toEqual([]);
});

it.each([
  ['charged_back', 'open', true],
  ['chargeback_settled', 'lost', true],
  ['chargeback_cancelled', 'won', false],
])('reads %s as a dispute that is %s', (action, status, withheld) => {
  expect(factsOf({ action })).toMatchObject([
    {
      about: 'dispute',
      parentReference: 'PM123',
      dispute: { reference: 'chargeback-PM123', status, withheld },
    },
  ]);
});

it('takes 250 events of one body, each by its id, and not one more', () => {
  const events = (count: number) => Array.from({ length: count }, (_, n) => ({ ...failure, id: `EV${n}` }));
  expect(new Set(read(events(250)).notices.map(({ eventId }) => eventId)).size).toBe(250);
  expect(read(events(251))).toEqual({ notices: [], refused: ['malformed'] });
});

it('refuses events that are none, and takes the others', () => {
  const { notices, refused } = read([failure, { id: 'EV124' }, 'text']);
  expect([notices.length, refused]).toEqual([1, ['malformed', 'malformed']]);
});
