import { createHash } from 'node:crypto';

/**
 * Names of operations, built from the entity and nothing else: whoever asks for the same thing,
 * whenever and however often, arrives at the same name.
 */
export const entityKey = {
  charge: (paymentId: string) => `payment-${paymentId}-charge`,
  authorize: (paymentId: string) => `payment-${paymentId}-authorize`,
  capture: (paymentId: string, reference: string | null) =>
    `payment-${paymentId}-capture${suffix(reference)}`,
  void: (paymentId: string) => `payment-${paymentId}-void`,
  refund: (paymentId: string, reference: string | null) => `payment-${paymentId}-refund${suffix(reference)}`,
  /** The common beginning of every entity key of a payment. */
  ofPayment: (paymentId: string) => `payment-${paymentId}-`,
} as const;

/** Without a reference there is one of its kind; with references there are several, each once. */
function suffix(reference: string | null): string {
  return reference === null ? '' : `-${reference}`;
}

/**
 * The key that a PSP sees for a route: the same for every execute of the route, another for every
 * other route. 43 characters (Adyen takes at most 64); a hash, so that it tells nobody anything.
 */
export function pspIdempotencyKey(merchantId: string, key: string, route: number): string {
  return createHash('sha256').update(`${merchantId}\n${key}\n${route}`).digest('base64url');
}
