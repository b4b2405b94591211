import fc from 'fast-check';
import StripeSdk from 'stripe';
import { type NotificationItem, type NotificationReading } from '../notification.js';
import { StripeNotices } from './stripe.webhook.js';

const SECRET = 'whsec_theOneInUse';
const PREVIOUS = 'whsec_theOneBefore';
const NOW = new Date('2026-11-21T12:00:00Z');
const reader = new StripeNotices({ secrets: [SECRET, PREVIOUS] });

interface Signed {
  readonly secret?: string;
  readonly ageS?: number;
  readonly scheme?: string;
}

function header(payload: string, { secret = SECRET, ageS = 0, scheme = 'v1' }: Signed = {}): string {
  const timestamp = NOW.getTime() / 1_000 - ageS;
  return StripeSdk.webhooks.generateTestHeaderString({ payload, secret, timestamp, scheme });
}

function read(payload: string, signature: string | undefined = header(payload)): NotificationReading {
  return reader.read(Buffer.from(payload), { 'stripe-signature': signature }, NOW);
}

function event(type: string, object: unknown, more: object = {}): string {
  return JSON.stringify({
    id: 'evt_1',
    object: 'event',
    created: 1_795_000_000,
    type,
    data: { object },
    ...more,
  });
}

const names = { payonce_entity_key: 'payment-1-charge', payonce_route: '2', reference: 'order-1' };

const intent = (more: object = {}): object => ({
  id: 'pi_1',
  object: 'payment_intent',
  amount: 1_000,
  amount_received: 1_000,
  capture_method: 'automatic',
  currency: 'eur',
  last_payment_error: null,
  metadata: names,
  next_action: null,
  status: 'succeeded',
  ...more,
});

/** The facts of an event that is taken. */
function facts(type: string, object: unknown): readonly NotificationItem[] {
  const { notices, refused } = read(event(type, object));
  expect(refused).toEqual([]);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatchObject({ eventId: 'evt_1', type, occurredAt: new Date(1_795_000_000_000) });
  return notices[0]!.facts;
}

const money = { amount: 1_000, currency: 'EUR' };
const charge = { operation: 'charge', entityKey: 'payment-1-charge', route: 2, pspReference: 'pi_1' };

describe('who may tell', () => {
  const body = event('payment_intent.succeeded', intent());

  it.each<[string, string, string]>([
    ['no signature', '', 'signature_missing'],
    ['another secret', header(body, { secret: 'whsec_another' }), 'signature_invalid'],
    ['a v0 alone', header(body, { scheme: 'v0' }), 'signature_invalid'],
    ['a signature of another body', header(`${body} `), 'signature_invalid'],
    ['an endless header', `${header(body)},${'v1=0,'.repeat(2_000)}`, 'signature_invalid'],
    ['no sense', 't=,v1', 'signature_invalid'],
    ['301 s', header(body, { ageS: 301 }), 'untimely'],
    ['301 s from now', header(body, { ageS: -301 }), 'untimely'],
    ['a year from now', header(body, { ageS: -31_536_000 }), 'untimely'],
  ])('%s: refused', (_, signature, refusal) => {
    expect(read(body, signature)).toEqual({ notices: [], refused: [refusal] });
  });

  it.each<[string, string]>([
    ['300 s', header(body, { ageS: 300 })],
    ['300 s from now', header(body, { ageS: -300 })],
    ['the secret before', header(body, { secret: PREVIOUS })],
    ['several, one of which is right', `${header(body)},v1=${'0'.repeat(64)},v0=1`],
  ])('%s: taken', (_, signature) => {
    expect(read(body, signature).notices).toHaveLength(1);
  });

  it('judges the age by the time that it is given', () => {
    const later = new Date(NOW.getTime() + 301_000);
    const headers = { 'stripe-signature': header(body) };
    expect(reader.read(Buffer.from(body), headers, later).refused).toEqual(['untimely']);
  });

  it('refuses every body but the one that was signed', () => {
    const signature = header(body);
    const bytes = Buffer.from(body);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const altered = Buffer.from(bytes);
        altered[at] = altered[at]! ^ change;
        expect(reader.read(altered, { 'stripe-signature': signature }, NOW).notices).toEqual([]);
      }),
    );
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    expect(reader.read(marked, { 'stripe-signature': signature }, NOW).refused).toEqual([
      'signature_invalid',
    ]);
  });

  it('refuses events of connected accounts', () => {
    const other = event('payment_intent.succeeded', intent(), { account: 'acct_1' });
    expect(read(other)).toEqual({ notices: [], refused: ['other_account'] });
  });
});

describe('what an event of a PaymentIntent says', () => {
  const failed = {
    status: 'requires_payment_method',
    last_payment_error: { code: 'card_declined', decline_code: 'lost_card', message: 'Lost.' },
  };
  it.each<[string, object, object]>([
    ['payment_intent.succeeded', {}, { outcome: 'succeeded', money }],
    ['payment_intent.payment_failed', failed, { outcome: 'declined', decline: 'card_lost_or_stolen' }],
    ['payment_intent.processing', { status: 'processing' }, { outcome: 'pending' }],
    ['payment_intent.canceled', { status: 'canceled' }, { outcome: 'canceled' }],
    [
      'payment_intent.requires_action',
      { status: 'requires_action', next_action: { redirect_to_url: { url: 'https://bank.example/1' } } },
      {
        outcome: 'requires_action',
        nextAction: { type: 'redirect', url: 'https://bank.example/1', method: 'GET', fields: {} },
      },
    ],
  ])('%s: the charge', (type, more, answer) => {
    expect(facts(type, intent(more))).toEqual([
      {
        ...charge,
        ofPayment: null,
        parentReference: null,
        about: 'operation',
        cancelReference: null,
        answer: expect.objectContaining({ ...answer, pspReference: 'pi_1' }),
      },
    ]);
  });

  it('tells of an authorization until it is captured, and then of the capture alone', () => {
    const manual = { capture_method: 'manual', amount_received: 0 };
    expect(
      facts('payment_intent.amount_capturable_updated', intent({ ...manual, status: 'requires_capture' })),
    ).toMatchObject([{ ...charge, operation: 'authorize', answer: { outcome: 'succeeded', money } }]);
    expect(facts('payment_intent.succeeded', intent({ ...manual, amount_received: 400 }))).toMatchObject([
      {
        operation: 'capture',
        entityKey: null,
        route: null,
        ofPayment: 'payment-1-charge',
        pspReference: 'pi_1',
        parentReference: 'pi_1',
        answer: { outcome: 'succeeded', money: { amount: 400, currency: 'EUR' } },
      },
    ]);
  });

  it('tells of a canceled authorization and of its void', () => {
    const canceled = intent({ capture_method: 'manual', amount_received: 0, status: 'canceled' });
    expect(facts('payment_intent.canceled', canceled)).toMatchObject([
      { ...charge, operation: 'authorize', answer: { outcome: 'canceled' } },
      { operation: 'void', entityKey: null, parentReference: 'pi_1', answer: { outcome: 'succeeded' } },
    ]);
  });

  it('says nothing where the state says nothing', () => {
    expect(facts('payment_intent.payment_failed', intent({ status: 'requires_payment_method' }))).toEqual([]);
    expect(facts('payment_intent.processing', intent({ status: 'a_word_to_come' }))).toEqual([]);
  });

  it('knows a payment of another system by its id alone', () => {
    const foreign = { order: '4111 1111 1111 1111' };
    expect(facts('payment_intent.succeeded', intent({ metadata: foreign }))).toMatchObject([
      { entityKey: null, route: null, pspReference: 'pi_1' },
    ]);
  });
});

describe('what an event of a refund or payout says', () => {
  const refund = {
    id: 're_1',
    object: 'refund',
    amount: 1_000,
    currency: 'eur',
    metadata: { ...names, payonce_entity_key: 'payment-1-refund' },
    payment_intent: 'pi_1',
  };
  it.each<[string, object, object]>([
    ['refund.created', { status: 'pending' }, { outcome: 'succeeded', money }],
    ['refund.updated', { status: 'succeeded' }, { outcome: 'succeeded', money }],
    [
      'refund.failed',
      { status: 'failed', failure_reason: 'lost_or_stolen_card' },
      { outcome: 'declined', decline: 'card_lost_or_stolen' },
    ],
    ['charge.refund.updated', { status: 'failed' }, { outcome: 'declined' }],
  ])('%s', (type, more, answer) => {
    for (const payment of ['pi_1', { id: 'pi_1', object: 'payment_intent' }]) {
      expect(facts(type, { ...refund, ...more, payment_intent: payment })).toMatchObject([
        {
          operation: 'refund',
          entityKey: 'payment-1-refund',
          route: 2,
          pspReference: 're_1',
          parentReference: 'pi_1',
          answer,
        },
      ]);
    }
  });

  const payout = {
    id: 'po_1',
    object: 'payout',
    amount: 1_000,
    automatic: false,
    currency: 'eur',
    metadata: { payonce_entity_key: 'payout-1-send', payonce_route: '1' },
  };
  it.each<[string, object, object]>([
    ['payout.created', { status: 'pending' }, { outcome: 'succeeded', money }],
    ['payout.updated', { status: 'in_transit' }, { outcome: 'succeeded' }],
    ['payout.paid', { status: 'paid' }, { outcome: 'succeeded' }],
    [
      'payout.failed',
      { status: 'failed', failure_code: 'account_closed', failure_message: 'Closed.' },
      { outcome: 'declined', decline: 'account_invalid' },
    ],
    ['payout.canceled', { status: 'canceled' }, { outcome: 'declined' }],
  ])('%s', (type, more, answer) => {
    expect(facts(type, { ...payout, ...more })).toMatchObject([
      {
        operation: 'payout',
        entityKey: 'payout-1-send',
        pspReference: 'po_1',
        parentReference: null,
        answer,
      },
    ]);
  });

  it("leaves Stripe's own payouts alone", () => {
    expect(facts('payout.paid', { ...payout, status: 'paid', automatic: true })).toEqual([]);
  });
});

describe('disputes', () => {
  const of = {
    id: 'dp_1',
    object: 'dispute',
    amount: 1_000,
    currency: 'eur',
    reason: 'fraudulent',
    payment_intent: 'pi_1',
  };
  it.each<[string, string, object]>([
    ['charge.dispute.created', 'warning_needs_response', { stage: 0, status: 'open', withheld: false }],
    ['charge.dispute.created', 'needs_response', { stage: 1, status: 'open', withheld: true }],
    ['charge.dispute.funds_withdrawn', 'needs_response', { stage: 1, status: 'open', withheld: true }],
    ['charge.dispute.updated', 'under_review', { stage: 1, status: 'open', withheld: true }],
    ['charge.dispute.funds_reinstated', 'under_review', { stage: 2, status: 'open', withheld: false }],
    ['charge.dispute.funds_reinstated', 'won', { stage: 4, status: 'won', withheld: false }],
    ['charge.dispute.closed', 'won', { stage: 4, status: 'won', withheld: false }],
    ['charge.dispute.closed', 'lost', { stage: 3, status: 'lost', withheld: true }],
    ['charge.dispute.closed', 'warning_closed', { stage: 4, status: 'won', withheld: false }],
  ])('%s, %s', (type, status, course) => {
    for (const payment of ['pi_1', { id: 'pi_1', object: 'payment_intent' }]) {
      expect(facts(type, { ...of, status, payment_intent: payment })).toMatchObject([
        {
          about: 'dispute',
          operation: null,
          entityKey: null,
          parentReference: 'pi_1',
          dispute: { reference: 'dp_1', ...course },
          answer: { outcome: 'pending', pspCode: 'fraudulent', money: { amount: 1_000, currency: 'EUR' } },
        },
      ]);
    }
  });

  it.each<[unknown, string | undefined]>([
    [1_767_225_600, '2026-01-01T00:00:00.000Z'],
    [null, undefined],
    [0, undefined],
    ['soon', undefined],
    [1e15, undefined],
  ])('say until when the bank takes an answer: %s', (due, respondBy) => {
    const evidence = { due_by: due, has_evidence: false };
    const dispute = { ...of, status: 'needs_response', evidence_details: evidence };
    const [fact] = facts('charge.dispute.created', dispute);
    expect(fact?.dispute?.respondBy).toBe(respondBy);
  });

  it('say nothing by a status that is not known, or of a charge that no PaymentIntent made', () => {
    expect(facts('charge.dispute.updated', { ...of, status: 'toString' })).toEqual([]);
    expect(facts('charge.dispute.updated', { ...of, status: 'lost', payment_intent: null })).toEqual([]);
  });
});

describe('what is not ours to read', () => {
  it.each(['charge.refunded', 'payment_intent.created', 'customer.created', 'toString'])(
    '%s is taken without facts',
    (type) => {
      expect(facts(type, { id: 'x' })).toEqual([]);
    },
  );

  it.each<[string, string]>([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no id', JSON.stringify({ type: 'x', data: {} })],
    ['a type that is no word', event('a b', {})],
    ['an object of another kind', event('payment_intent.succeeded', { ...intent(), object: 'charge' })],
    ['an amount that is no number', event('payment_intent.succeeded', intent({ amount: '1000' }))],
    ['nothing', event('refund.created', null)],
    ['more than 256 kB', event('x', 'x'.repeat(262_144))],
  ])('%s: malformed', (_, body) => {
    expect(read(body, header(body))).toEqual({ notices: [], refused: ['malformed'] });
  });

  it('has no limit of its own to the levels of a body: that is judged once, where it comes in', () => {
    const body = event('x', null).replace('null', `${'['.repeat(40)}${']'.repeat(40)}`);
    expect(read(body, header(body)).notices).toHaveLength(1);
  });

  it('keeps nothing of what is secret', () => {
    const error = {
      code: 'card_declined',
      message: `Card 4242 4242 4242 4242 of pm_1Abcdef under ${SECRET} and pi_1_secret_abc`,
      payment_method: { card: { last4: '4242', exp_year: 2030 }, billing_details: { email: 'a@b.example' } },
    };
    const more = {
      status: 'requires_payment_method',
      last_payment_error: error,
      client_secret: 'pi_1_secret_abc',
    };
    const kept = JSON.stringify(facts('payment_intent.payment_failed', intent(more)));
    expect(kept).toContain('[removed]');
    expect(kept).not.toMatch(/4242|pm_1|whsec_|_secret_|2030|a@b/);
  });

  it('keeps a name of ours, however many digits its id has, and none that holds a card number', () => {
    const keyed = (key: string) => intent({ metadata: { payonce_entity_key: key } });
    const ours = 'payment-01981234-5678-7123-9456-123456789012-charge';
    expect(facts('payment_intent.succeeded', keyed(ours))[0]?.entityKey).toBe(ours);
    for (const key of ['4111111111111111', 'order-4111-1111-1111-1111', 'with blanks', 'x'.repeat(251)]) {
      expect(facts('payment_intent.succeeded', keyed(key))[0]?.entityKey).toBeNull();
    }
  });
});

describe('whatever comes', () => {
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .tuple(
        fc.constantFrom(
          'payment_intent.succeeded',
          'payment_intent.canceled',
          'refund.updated',
          'payout.paid',
        ),
        fc.constantFrom('payment_intent', 'refund', 'payout'),
        fc.dictionary(
          fc.constantFrom(
            'status',
            'capture_method',
            'amount',
            'currency',
            'metadata',
            'last_payment_error',
            'id',
          ),
          fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.object()),
        ),
      )
      .map(([type, object, fields]) => Buffer.from(event(type, { ...intent(), ...fields, object }))),
  );

  it('never throws, and says either what it took or why not', () => {
    fc.assert(
      fc.property(bodies, fc.option(fc.string(), { nil: undefined }), fc.boolean(), (body, wild, signed) => {
        const signature = signed ? header(body.toString()) : wild;
        const { notices, refused } = reader.read(body, { 'stripe-signature': signature }, NOW);
        expect(notices.length + refused.length).toBe(1);
        for (const { facts: told } of notices) expect(told.length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 500 },
    );
  });
});
