import StripeSdk, { type Stripe } from 'stripe';
import { type Answer, type DeclineAdvice, type DeclineCategory, type Instruction } from '../contract.js';
import { adviceFor } from '../decline.js';
import { pspText } from '../psp-text.js';
import { answerOfError, answerOfIntent } from './stripe.mapping.js';
import { StripeNotices } from './stripe.webhook.js';

const SECRET = 'whsec_ofTheDeclines';
const NOW = new Date('2026-11-21T12:00:00Z');

const charge: Instruction = {
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 1_000, currency: 'EUR' },
  token: 'pm_1',
  reference: 'order-1',
};

/** What Stripe says in an error of status 402, in `last_payment_error` and in a notification alike. */
interface Failure {
  readonly type?: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly advice_code?: string;
  readonly network_advice_code?: string;
}

const intentOf = (failure: Failure) => ({
  id: 'pi_1',
  object: 'payment_intent',
  amount: 1_000,
  amount_received: 0,
  capture_method: 'automatic',
  currency: 'eur',
  last_payment_error: { type: 'card_error', doc_url: 'https://docs.stripe.com', message: 'No.', ...failure },
  metadata: { payonce_entity_key: 'payment-1-charge', payonce_route: '1' },
  next_action: null,
  status: 'requires_payment_method',
});

/** An error as the SDK hands it over, made of the body as it comes over the wire. */
function byAnswer(failure: Failure, statusCode = 402): Answer | null {
  const body = {
    error: {
      charge: 'ch_1',
      type: 'card_error',
      doc_url: 'https://docs.stripe.com',
      message: 'No.',
      ...failure,
      payment_intent: intentOf(failure),
    },
  };
  const { error } = JSON.parse(JSON.stringify(body)) as { error: Stripe.StripeRawError };
  return answerOfError(StripeSdk.errors.StripeError.generate({ ...error, statusCode }), 'execute', charge);
}

function byLookup(failure: Failure): Answer {
  return answerOfIntent(intentOf(failure) as unknown as Stripe.PaymentIntent, charge, 'lookup');
}

function byNotification(failure: Failure): Answer | undefined {
  const payload = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    created: NOW.getTime() / 1_000,
    type: 'payment_intent.payment_failed',
    data: { object: intentOf(failure) },
  });
  const signature = StripeSdk.webhooks.generateTestHeaderString({
    payload,
    secret: SECRET,
    timestamp: NOW.getTime() / 1_000,
  });
  const reader = new StripeNotices({ secrets: [SECRET] });
  const { notices } = reader.read(Buffer.from(payload), { 'stripe-signature': signature }, NOW);
  return notices[0]?.facts[0]?.answer;
}

/** The kinds of failure that Stripe's card errors come in: what is said, what it means, who may be asked. */
const kinds: readonly [Failure, string, DeclineCategory, DeclineAdvice][] = [
  // A code of its own, and no decline_code.
  [{ code: 'expired_card' }, 'expired_card', 'card_expired', 'never'],
  [{ code: 'incorrect_cvc' }, 'incorrect_cvc', 'cvc_invalid', 'never'],
  [{ code: 'invalid_cvc' }, 'invalid_cvc', 'cvc_invalid', 'never'],
  [{ code: 'incorrect_number' }, 'incorrect_number', 'card_invalid', 'never'],
  [{ code: 'invalid_number' }, 'invalid_number', 'card_invalid', 'never'],
  [{ code: 'invalid_expiry_month' }, 'invalid_expiry_month', 'card_invalid', 'never'],
  [{ code: 'invalid_expiry_year' }, 'invalid_expiry_year', 'card_invalid', 'never'],
  [{ code: 'incorrect_zip' }, 'incorrect_zip', 'declined', 'never'],
  [{ code: 'processing_error' }, 'processing_error', 'processing_error', 'elsewhere'],
  [{ code: 'card_declined' }, 'card_declined', 'do_not_honor', 'elsewhere'],
  [
    { code: 'card_decline_rate_limit_exceeded' },
    'card_decline_rate_limit_exceeded',
    'limit_exceeded',
    'never',
  ],
  // With a decline_code, also the one that only repeats the code.
  [{ code: 'expired_card', decline_code: 'expired_card' }, 'expired_card', 'card_expired', 'never'],
  [
    { code: 'card_declined', decline_code: 'generic_decline' },
    'generic_decline',
    'do_not_honor',
    'elsewhere',
  ],
  [{ code: 'card_declined', decline_code: 'do_not_honor' }, 'do_not_honor', 'do_not_honor', 'elsewhere'],
  [
    { code: 'card_declined', decline_code: 'issuer_not_available' },
    'issuer_not_available',
    'issuer_unavailable',
    'elsewhere',
  ],
  [
    { code: 'card_declined', decline_code: 'insufficient_funds' },
    'insufficient_funds',
    'insufficient_funds',
    'never',
  ],
  [{ code: 'card_declined', decline_code: 'stolen_card' }, 'stolen_card', 'card_lost_or_stolen', 'never'],
  [
    { code: 'authentication_required', decline_code: 'authentication_not_handled' },
    'authentication_not_handled',
    'authentication_required',
    'authenticate',
  ],
  [{ code: 'authentication_required' }, 'authentication_required', 'authentication_required', 'authenticate'],
  // Words that are there and empty are absent.
  [{ code: 'expired_card', decline_code: '' }, 'expired_card', 'card_expired', 'never'],
  [{ code: '', decline_code: '' }, 'card_declined', 'declined', 'never'],
  [{}, 'card_declined', 'declined', 'never'],
  // Advice overrules a soft code whether or not there is a decline_code.
  [{ code: 'processing_error', advice_code: 'do_not_try_again' }, 'processing_error', 'declined', 'never'],
  [{ code: 'processing_error', network_advice_code: '03' }, 'processing_error', 'declined', 'never'],
  [
    { code: 'processing_error', advice_code: 'try_again_later' },
    'processing_error',
    'processing_error',
    'elsewhere',
  ],
];

describe('a failed payment at Stripe means the same by its answer, a lookup and a notification', () => {
  it.each(kinds)('%j is told as %s: %s, ask %s', (failure, pspCode, decline, advice) => {
    const expected = { outcome: 'declined', pspCode, decline, pspReference: 'pi_1', message: 'No.' };
    expect(byAnswer(failure)).toEqual({ ...expected, httpStatus: 402 });
    expect(byLookup(failure)).toMatchObject(expected);
    // What is stored is scrubbed; an answer is scrubbed by the guard.
    expect(byNotification(failure)).toMatchObject({ ...expected, pspCode: pspText(pspCode) });
    expect(adviceFor[decline]).toBe(advice);
  });

  it.each(['payment_intent_action_required', 'payment_intent_authentication_failure'])(
    'a payment that nobody authenticated is that, also where the request is said to be refused: %s',
    (code) => {
      const failure = { type: 'invalid_request_error', code };
      const expected = { outcome: 'declined', decline: 'authentication_required', pspCode: code };
      expect(byAnswer(failure, 400)).toMatchObject({ ...expected, httpStatus: 400 });
      expect(byAnswer({ code })).toMatchObject({ ...expected, httpStatus: 402 });
      expect(byLookup(failure)).toMatchObject(expected);
      expect(byNotification(failure)).toMatchObject(expected);
    },
  );
});
