import StripeSdk, { type Stripe } from 'stripe';
import { currencies } from '../../core/money.js';
import { type AttemptKind, type Instruction, type Outcome } from '../contract.js';
import { adviceFor } from '../decline.js';
import { stripeDeclineCategory } from './decline-codes.js';
import { stripeCurrencies } from './stripe-currencies.js';
import { UNREADABLE_ANSWER } from './stripe-http-client.js';
import {
  answerOfError,
  answerOfIntent,
  captureParams,
  createParams,
  metadataOf,
  named,
} from './stripe.mapping.js';

const instruction = (more: Partial<Instruction> = {}): Instruction => ({
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 1_000, currency: 'EUR' },
  token: 'pm_1',
  parentReference: 'pi_1',
  reference: 'order-1',
  ...more,
});

const intent = (more: object): Stripe.PaymentIntent =>
  ({
    id: 'pi_1',
    amount: 1_000,
    amount_received: 1_000,
    currency: 'eur',
    last_payment_error: null,
    next_action: null,
    ...more,
  }) as Stripe.PaymentIntent;

describe('answers of PaymentIntents', () => {
  const failed = { last_payment_error: { code: 'card_declined', decline_code: 'lost_card' } };
  it.each<[Instruction['operation'], AttemptKind, object, Outcome]>([
    ['charge', 'execute', { status: 'succeeded' }, 'succeeded'],
    ['charge', 'execute', { status: 'requires_capture' }, 'conflict'],
    ['charge', 'execute', { status: 'requires_action' }, 'requires_action'],
    ['charge', 'execute', { status: 'processing' }, 'pending'],
    ['charge', 'lookup', { status: 'requires_payment_method', ...failed }, 'declined'],
    ['charge', 'lookup', { status: 'requires_payment_method' }, 'unknown'],
    ['charge', 'lookup', { status: 'requires_confirmation' }, 'unknown'],
    ['charge', 'lookup', { status: 'canceled' }, 'canceled'],
    ['charge', 'lookup', { status: 'a_new_word' }, 'unknown'],
    ['authorize', 'execute', { status: 'requires_capture' }, 'succeeded'],
    ['authorize', 'execute', { status: 'succeeded' }, 'conflict'],
    ['capture', 'execute', { status: 'succeeded' }, 'succeeded'],
    ['capture', 'execute', { status: 'requires_capture' }, 'unknown'],
    ['capture', 'lookup', { status: 'requires_capture' }, 'not_found'],
    ['capture', 'lookup', { status: 'canceled' }, 'declined'],
    ['capture', 'execute', { status: 'canceled' }, 'declined'],
    ['capture', 'lookup', { status: 'processing' }, 'pending'],
    ['capture', 'lookup', { status: 'a_new_word' }, 'unknown'],
    ['void', 'execute', { status: 'canceled' }, 'succeeded'],
    ['void', 'lookup', { status: 'requires_capture' }, 'not_found'],
    ['void', 'lookup', { status: 'succeeded' }, 'conflict'],
    ['void', 'lookup', { status: 'processing' }, 'unknown'],
  ])('%s, %s: %j is %s', (operation, kind, state, outcome) => {
    const answer = answerOfIntent(intent(state), instruction({ operation }), kind);
    // A capture that is not there has no id; that of its authorization would pass for one.
    const pspReference = outcome === 'not_found' ? undefined : 'pi_1';
    expect({ outcome: answer.outcome, pspReference: answer.pspReference }).toEqual({ outcome, pspReference });
  });

  it('tells what was received, in our units', () => {
    const state = { status: 'succeeded', amount_received: 500, currency: 'isk' };
    const { money } = answerOfIntent(intent(state), instruction({ operation: 'capture' }), 'execute');
    expect(money).toEqual({ amount: 5, currency: 'ISK' });
    const odd = intent({ ...state, amount_received: 501 });
    expect(answerOfIntent(odd, instruction(), 'execute').outcome).toBe('conflict');
  });
});

describe('answers of errors', () => {
  const { generate } = StripeSdk.errors.StripeError;
  const error = (statusCode: number | undefined, more: object = {}) =>
    generate({ type: 'invalid_request_error', statusCode, ...more });

  it.each<[string, number, object, Outcome]>([
    ['402', 402, { type: 'card_error', code: 'card_declined', decline_code: 'do_not_honor' }, 'declined'],
    ['400', 400, {}, 'rejected'],
    ['401', 401, {}, 'rejected'],
    ['403', 403, {}, 'rejected'],
    ['404', 404, { code: 'resource_missing' }, 'rejected'],
    ['422', 422, {}, 'rejected'],
    ['429', 429, { code: 'lock_timeout' }, 'throttled'],
    ['400 rate limit', 400, { code: 'rate_limit' }, 'throttled'],
    ['409 key in use', 409, { code: 'idempotency_key_in_use' }, 'unknown'],
    [
      '409 key in use, of the other type',
      409,
      { code: 'idempotency_key_in_use', type: 'idempotency_error' },
      'unknown',
    ],
    ['400 other parameters', 400, { type: 'idempotency_error' }, 'conflict'],
    ['424', 424, {}, 'unknown'],
    ['500', 500, { type: 'api_error' }, 'unknown'],
    ['400 that is no JSON', 400, { code: UNREADABLE_ANSWER }, 'unknown'],
    ['200 that is no JSON', 200, { code: UNREADABLE_ANSWER }, 'unknown'],
  ])('%s', (_, status, more, outcome) => {
    expect(answerOfError(error(status, more), 'execute', instruction())).toMatchObject({
      outcome,
      httpStatus: status,
    });
  });

  it('are for the guard where Stripe said nothing', () => {
    expect(answerOfError(error(undefined), 'execute', instruction())).toBeNull();
  });

  it('say which key is in use', () => {
    const inUse = error(409, { code: 'idempotency_key_in_use' });
    expect(answerOfError(inUse, 'execute', instruction())?.pspCode).toBe('idempotency_key_in_use');
  });

  const unexpected = (status: string, more: object = {}) =>
    error(400, { code: 'payment_intent_unexpected_state', payment_intent: intent({ status, ...more }) });

  it.each<[Instruction['operation'], AttemptKind, string, Outcome]>([
    ['capture', 'execute', 'canceled', 'declined'],
    ['capture', 'execute', 'succeeded', 'succeeded'],
    ['capture', 'execute', 'processing', 'pending'],
    ['capture', 'execute', 'requires_payment_method', 'rejected'],
    ['void', 'execute', 'canceled', 'succeeded'],
    ['void', 'execute', 'succeeded', 'conflict'],
    ['void', 'execute', 'requires_capture', 'rejected'],
    ['charge', 'cancel', 'canceled', 'canceled'],
    ['charge', 'cancel', 'succeeded', 'succeeded'],
    ['charge', 'execute', 'canceled', 'rejected'],
    ['refund', 'execute', 'succeeded', 'rejected'],
  ])('a %s (%s) that is refused judges the PaymentIntent in the error: %s is %s', (...row) => {
    const [operation, kind, status, outcome] = row;
    const asked = instruction({ operation, pspReference: 'pi_1' });
    const answer = answerOfError(unexpected(status), kind, asked);
    expect(answer).toMatchObject({ outcome, httpStatus: 400 });
    if (operation === 'capture' && outcome === 'declined') {
      expect(answer).toMatchObject({ decline: 'authorization_canceled', pspReference: 'pi_1' });
      expect(adviceFor[answer!.decline!]).toBe('never');
    }
  });

  it('judge no PaymentIntent but the one that was acted upon, or that carries our names', () => {
    const another = instruction({ operation: 'void', parentReference: 'pi_2' });
    expect(answerOfError(unexpected('canceled'), 'execute', another)?.outcome).toBe('rejected');
    const names = { payonce_entity_key: 'payment-1-charge', payonce_route: '1' };
    const made = (metadata: object) =>
      answerOfError(unexpected('succeeded', { metadata }), 'execute', instruction());
    expect(made(names)?.outcome).toBe('succeeded');
    expect(made({ ...names, payonce_route: '2' })?.outcome).toBe('rejected');
  });
});

describe('parameters', () => {
  it('do not depend on what was learnt since', () => {
    const later = { pspReference: 'pi_9', sentAt: [new Date(1), new Date(2)] };
    const bytes = (asked: Instruction) => JSON.stringify([createParams(asked), captureParams(asked)]);
    for (const operation of ['charge', 'authorize', 'capture'] as const) {
      const asked = instruction({
        operation,
        returnUrl: 'https://shop.example',
        statementDescriptor: 'SHOP',
      });
      expect(bytes({ ...asked, ...later })).toBe(bytes(asked));
    }
  });

  it('carry what lookups and ledgers find a route by', () => {
    expect(createParams(instruction())).toMatchObject({
      capture_method: 'automatic',
      confirm: true,
      metadata: { payonce_entity_key: 'payment-1-charge', payonce_route: '1', reference: 'order-1' },
    });
    expect(createParams(instruction({ operation: 'authorize' }))?.capture_method).toBe('manual');
  });

  it('carry the key where the route does, and are the same bytes as ever where it does not', () => {
    expect(createParams(instruction())?.metadata).not.toHaveProperty('payonce_key');
    expect(createParams(instruction({ carriesKey: true }))?.metadata).toMatchObject({
      payonce_key: instruction().idempotencyKey,
    });
  });

  it.each([
    ['EUR', 1_050, 1_050],
    ['JPY', 500, 500],
    ['KWD', 1_230, 1_230],
    ['KWD', 1_234, null],
    ['ISK', 500, 50_000],
    ['HUF', 17_545, 17_545],
    ['TWD', 80_045, 80_045],
    ['MGA', 500, 5],
    ['MGA', 550, null],
  ])('%s %d is sent as %s', (currency, amount, sent) => {
    expect(createParams(instruction({ money: { amount, currency } }))?.amount ?? null).toBe(sent);
  });

  it('are made for currencies that exist, each once', () => {
    expect(currencies).toEqual(expect.arrayContaining([...stripeCurrencies]));
    expect(new Set(stripeCurrencies).size).toBe(stripeCurrencies.length);
    expect(stripeCurrencies).not.toContain('UGX');
  });

  it('say whose card it is and who starts the payment, and nothing where that was not given', () => {
    const plain = createParams(instruction({ returnUrl: 'https://shop.example' }));
    expect(plain).not.toHaveProperty('customer');
    expect(plain).not.toHaveProperty('off_session');
    const more = { pspCustomer: 'cus_1', initiator: 'merchant', returnUrl: 'https://shop.example' } as const;
    const stored = createParams(instruction(more));
    expect(stored).toMatchObject({ customer: 'cus_1', off_session: true, payment_method: 'pm_1' });
    expect(stored).not.toHaveProperty('return_url');
  });

  const returnUrl = 'https://shop.example';
  const mandate = { reference: 'M-1', signedOn: '2026-11-22', sequence: 'recurring' } as const;

  it.each<[Partial<Instruction>, object]>([
    [{ method: 'apple_pay' }, { payment_method: 'pm_1', automatic_payment_methods: { enabled: true } }],
    [{ method: 'bancontact' }, { payment_method: 'pm_1', payment_method_types: ['bancontact'] }],
    [
      { method: 'sepa', mandate },
      { payment_method: 'pm_1', payment_method_types: ['sepa_debit'] },
    ],
    [{ method: 'ach' }, { payment_method: 'pm_1', payment_method_types: ['us_bank_account'] }],
    [{ method: 'paypal' }, { payment_method: 'pm_1', payment_method_types: ['paypal'] }],
  ])('name the payment method of %j', (more, named) => {
    expect(createParams(instruction({ returnUrl, ...more }))).toMatchObject(named);
  });

  it('make the payment method where there is no token for it', () => {
    const { token: _token, ...withoutToken } = instruction({ method: 'ideal', returnUrl });
    const params = createParams(withoutToken);
    expect(params).toMatchObject({
      payment_method_types: ['ideal'],
      payment_method_data: { type: 'ideal' },
      return_url: returnUrl,
    });
    expect(params).not.toHaveProperty('automatic_payment_methods');
    expect(params).not.toHaveProperty('payment_method');
  });

  it('say when the payer signed the mandate, once', () => {
    const signed = { customer_acceptance: { type: 'offline', accepted_at: 1_795_305_600 } };
    expect(createParams(instruction({ method: 'sepa', mandate }))?.mandate_data).toEqual(signed);
    const byMerchant = { method: 'sepa', mandate, initiator: 'merchant' } as const;
    expect(createParams(instruction(byMerchant))).not.toHaveProperty('mandate_data');
    expect(createParams(instruction({ method: 'sepa' }))).not.toHaveProperty('mandate_data');
  });

  it('keep a descriptor within what cards allow', () => {
    const params = createParams(instruction({ statementDescriptor: `SHOP "BEST" OF ALL SHOPS` }));
    expect(params?.statement_descriptor_suffix).toBe('SHOP  BEST  OF ALL SHO');
  });
});

describe('decline codes', () => {
  it('are never soft where they are not known, or where someone says never', () => {
    expect(adviceFor[stripeDeclineCategory({ decline_code: 'brand_new' })]).toBe('never');
    expect(adviceFor[stripeDeclineCategory({})]).toBe('never');
    expect(adviceFor[stripeDeclineCategory({ decline_code: 'constructor' })]).toBe('never');
    const soft = { decline_code: 'do_not_honor' };
    expect(stripeDeclineCategory(soft)).toBe('do_not_honor');
    expect(stripeDeclineCategory({ ...soft, advice_code: 'do_not_try_again' })).toBe('declined');
    expect(stripeDeclineCategory({ ...soft, network_advice_code: '03' })).toBe('declined');
    expect(stripeDeclineCategory({ decline_code: 'stolen_card', advice_code: 'do_not_try_again' })).toBe(
      'card_lost_or_stolen',
    );
  });
});

describe('an answer names our operation', () => {
  const metadata = metadataOf(instruction());

  it('where the object carries its entity key and its route', () => {
    expect(named({ metadata }, instruction())).toEqual({ isNamed: true });
    expect(named({ metadata: { ...metadata, added: 'by hand' } }, instruction())).toEqual({ isNamed: true });
  });

  it.each<[string, Stripe.Metadata | null]>([
    ['the entity key of another operation', metadataOf(instruction({ entityKey: 'payment-2-charge' }))],
    // What was made before the last commits were lost carries the name of another payment, and our key.
    [
      'the name of another payment under the same key',
      metadataOf(instruction({ entityKey: 'payment-2-charge', carriesKey: true })),
    ],
    ['another route', metadataOf(instruction({ route: 2 }))],
    ['an entity key without a route', { payonce_entity_key: 'payment-1-charge' }],
    ['a route without an entity key', { payonce_route: '1' }],
    ['names of ours in other places', { reference: 'payment-1-charge', route: '1' }],
    ['nothing', {}],
    ['no metadata', null],
  ])('and not where it carries %s', (_, made) => {
    expect(named({ metadata: made }, instruction({ carriesKey: true }))).toEqual({});
  });
});
