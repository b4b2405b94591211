import { type PaymentIntent, renderIntent } from './payment-intents.js';
import { stripeError } from './stripe-parameters.js';
import { type Reply } from './wire.js';

/** What Stripe refuses a change with that the state of a PaymentIntent forbids: with the PaymentIntent. */
export function unexpected(
  intent: PaymentIntent,
  done: string,
  allowed: readonly string[],
  pages: string,
): Reply {
  return stripeError(400, {
    code: 'payment_intent_unexpected_state',
    message: `This PaymentIntent could not be ${done} because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be ${done}: ${allowed.join(', ')}.`,
    payment_intent: renderIntent(intent, pages),
  });
}
