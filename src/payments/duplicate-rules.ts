import { isUndecided, type PaymentStatus } from './payment.lifecycle.js';

/** A payment like a new one, as its duplicate guard names it. */
export interface LikePayment {
  /** Undefined: the guard is there, and its payment cannot be read. */
  readonly status: PaymentStatus | undefined;
  /** The merchant's window since that payment is over, by the store's clock. */
  readonly isLapsed: boolean;
}

export interface LikeRequest {
  /** The request names no customer: another payment with the same reference may be another customer's. */
  readonly isGuest: boolean;
  readonly allowDuplicate: boolean;
}

/** Why a new payment is not taken beside one like it. */
export type DuplicateRefusal = 'undecided' | 'duplicate';

const TOOK_NOTHING: ReadonlySet<PaymentStatus> = new Set(['failed', 'canceled']);

/**
 * Whether a new payment is taken beside one like it; null: it is. Proof that the other one took nothing releases it at
 * once. Beside one that is undecided none is taken, also not with `allow_duplicate`. When the window is over, only
 * money that a PSP may have taken already stands in the way, and only of a customer who is named: a customer who leaves
 * the page of 3-D Secure would block the next payment for good, and guests would wait for each other.
 */
export function duplicateRefusal(
  { status, isLapsed }: LikePayment,
  { isGuest, allowDuplicate }: LikeRequest,
): DuplicateRefusal | null {
  if (status !== undefined && TOOK_NOTHING.has(status)) return null;
  if (isLapsed) return status === 'processing' && !isGuest ? 'undecided' : null;
  if (status !== undefined && isUndecided({ status })) return 'undecided';
  return allowDuplicate ? null : 'duplicate';
}
