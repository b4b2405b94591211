import { createHash } from 'node:crypto';
import { type Refusal } from '../core/change.js';
import { Problem } from '../core/problem.js';

/**
 * Names of operations, derived from the entity alone: every request for the same operation, at any time, gets the
 * same name.
 */
export const entityKey = {
  charge: (paymentId: string) => `payment-${paymentId}-charge`,
  authorize: (paymentId: string) => `payment-${paymentId}-authorize`,
  capture: (paymentId: string, reference: string | null) =>
    `payment-${paymentId}-capture${suffix(reference)}`,
  void: (paymentId: string) => `payment-${paymentId}-void`,
  refund: (paymentId: string, reference: string | null) => `payment-${paymentId}-refund${suffix(reference)}`,
  /** Gives back an orphan effect of a route of the payment's charge; `object`: which one of that route, from 1. */
  orphan: (paymentId: string, route: number, object = 1) =>
    `payment-${paymentId}-orphan-${route}${object === 1 ? '' : `-${object}`}`,
  /** The amount that is collected once for an order, by payments with entity keys of their own. */
  collect: (reference: string) => `order-${reference}-collect`,
  /** The one operation of a payout. */
  send: (payoutId: string) => `payout-${payoutId}-send`,
  /** The common beginning of every entity key of a payment, or of a payout. */
  ofPayment: (paymentId: string) => `payment-${paymentId}-`,
  ofPayout: (payoutId: string) => `payout-${payoutId}-`,
} as const;

/** Whether an operation gives an orphan effect back. */
export function isOfOrphan(paymentId: string, name: string): boolean {
  return name.startsWith(`payment-${paymentId}-orphan-`);
}

/** The orphan effect that an operation by this name gives back. */
export function orphanOf(name: string): { readonly route: number; readonly object: number } {
  const [, route, object = '1'] = ORPHAN.exec(name) ?? [];
  if (route === undefined) throw new RangeError(`not the name of a compensation: ${name}`);
  return { route: Number(route), object: Number(object) };
}

const ORPHAN = /-orphan-(\d+)(?:-(\d+))?$/;

export function isOfPayment(name: string): boolean {
  return name.startsWith('payment-');
}

export function isOfPayout(name: string): boolean {
  return name.startsWith('payout-');
}

/** The payment that an entity key is of: a UUID behind `payment-`. */
export function paymentIdOf(name: string): string {
  return name.slice('payment-'.length, 'payment-'.length + 36);
}

const SUBJECT = /^(payment|payout)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-/;

/** The subject of a name from outside; null if it is no entity key. */
export function subjectOf(name: string): { readonly kind: 'payment' | 'payout'; readonly id: string } | null {
  const [, kind, id] = SUBJECT.exec(name) ?? [];
  return id === undefined ? null : { kind: kind === 'payout' ? 'payout' : 'payment', id };
}

/** The subject of the operation, as audit records name it: `payment:<id>`. */
export function auditSubjectOf(name: string): string {
  const { kind, id } = subjectOf(name)!;
  return `${kind}:${id}`;
}

/** Without a reference there is one of its kind; with references there are several, each once. */
function suffix(reference: string | null): string {
  return reference === null ? '' : `-${reference}`;
}

/**
 * The keys that PSPs see, each of one route: the same for every execute of it. None contains an id that we
 * generate: when the database loses its last commits, the same request of the client gets the same keys, and a PSP
 * that supports keys returns its first answer (docs/adr/0017).
 */
export const pspIdempotencyKey = {
  /** Route 1 of a charge, an authorization or a payout. */
  ofRequest: (merchantId: string, endpoint: string, clientKey: string) =>
    digest(`${merchantId}\n${endpoint}\n${clientKey}`),
  /** Route 1 of a capture, void, refund or compensation. `first`: the key of the payment's own route 1. */
  ofModification: (first: string, paymentId: string, name: string) =>
    digest(`${first}\n${name.slice(entityKey.ofPayment(paymentId).length)}`),
  /** Every later route of an operation. `first`: the key of its route 1, as it is stored. */
  ofLaterRoute: (first: string, route: number) => digest(`${first}\n${route}`),
} as const;

/** 43 characters (Adyen takes at most 64); a hash, so that the PSP learns nothing from it. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** No two routes of a merchant use the same key at PSPs. */
const ONE_KEY_PER_ROUTE = 'psp_requests_psp_idempotency_key';

/**
 * A request whose key was deleted after its retention while its route still exists. Its answer is not known any
 * more, and it must not have a second effect.
 */
export function refuseForgottenKey(refused: Refusal | null): void {
  if (refused?.by !== 'unique' || refused.rule !== ONE_KEY_PER_ROUTE) return;
  throw new Problem(
    'idempotency_key_reused',
    'This Idempotency-Key was used longer ago than keys are kept; its answer is forgotten, what it did is not. Find the payment or payout by its reference before this is sent under a new key.',
  );
}
