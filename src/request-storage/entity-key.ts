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
  /** Gives back what route n of the payment's charge did after it was ruled out. */
  orphan: (paymentId: string, route: number) => `payment-${paymentId}-orphan-${route}`,
  /** The one operation of a payout. */
  send: (payoutId: string) => `payout-${payoutId}-send`,
  /** The common beginning of every entity key of a payment, or of a payout. */
  ofPayment: (paymentId: string) => `payment-${paymentId}-`,
  ofPayout: (payoutId: string) => `payout-${payoutId}-`,
} as const;

/** Whether an operation gives an orphan effect back, rather than being one of the payment's own. */
export function isOfOrphan(paymentId: string, name: string): boolean {
  return name.startsWith(`payment-${paymentId}-orphan-`);
}

export function isOfPayment(name: string): boolean {
  return name.startsWith('payment-');
}

/** The payment that an entity key is of: a UUID behind `payment-`. */
export function paymentIdOf(name: string): string {
  return name.slice('payment-'.length, 'payment-'.length + 36);
}

const SUBJECT = /^(payment|payout)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-/;

/** What a name that comes from outside is of; null where it is no entity key. */
export function subjectOf(name: string): { readonly kind: 'payment' | 'payout'; readonly id: string } | null {
  const [, kind, id] = SUBJECT.exec(name) ?? [];
  return id === undefined ? null : { kind: kind === 'payout' ? 'payout' : 'payment', id };
}

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
