import { type IncomingHttpHeaders } from 'node:http';
import { type ReportRequest } from './report-request.js';

/** One request as it arrived, read to its end. */
export interface Call {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * One answer. A body given as a function is rendered when it is sent: a kept answer then costs a
 * small immutable record instead of two kilobytes of JSON, and renders to the same bytes each time.
 */
export interface Reply {
  readonly status: number;
  readonly body: string | (() => string);
  readonly headers?: Readonly<Record<string, string>>;
}

/** The idempotency key that a call was sent under. */
export function keyOf({ headers }: Call): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}

/** What a call is for, as faults and tests see it. */
export type CallKind = 'execute' | 'lookup' | 'cancel' | 'complete';

/** A call that was authenticated and validated, and has not done anything yet. */
export interface Routed {
  readonly kind: CallKind;
  /** The entity keys that this call is about; faults are aimed by them. */
  readonly references: readonly string[];
  /** The idempotency key; null where none was sent or the verb takes none. */
  readonly key: string | null;
  /** Does it. `decline` makes the issuer say no with this code, for any token. */
  run(decline?: string): Reply;
}

export interface Prepared extends Routed {
  /** Sent with every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The wire format and the rules of one PSP. */
export interface Wire {
  /** The answer to a request for an access token, which is about no payment: it is not recorded, and never fails. */
  signIn?(call: Call): Reply | undefined;
  /** Authenticates and validates; a reply means that the call was refused and nothing ran. */
  prepare(call: Call): Prepared | Reply;
  serverError(status: number): Reply;
  throttled(retryAfterSeconds: number): Reply;
  /** The customer came back from the PSP's page. */
  authenticate(id: string, succeeded: boolean): CustomerReturn | undefined;
  /** What was done comes to nothing after all, as banks and schemes have it days later; false: nothing is. */
  fail(id: string): boolean;
  /** The cardholder's bank disputes a payment, or decides; undefined: there is no such payment or dispute. */
  dispute(id: string, step: DisputeStep, amount?: number): string | undefined;
  settings?(settings: Readonly<Record<string, unknown>>): void;
  /** Makes a report known as this PSP does, and returns its name. */
  publish?(request: ReportRequest): string;
  reset(): void;
}

export const disputeSteps = ['open', 'win', 'lose'] as const;
export type DisputeStep = (typeof disputeSteps)[number];

/** Where a customer's browser goes after the PSP's page. */
export interface CustomerReturn {
  readonly status: string;
  readonly returnUrl: string | null;
  /** What the PSP adds to the return URL, or its library hands over, and the merchant has to hand in. */
  readonly details?: Readonly<Record<string, string>>;
}

/** A cap of the simulator was reached. It says so rather than forget an order. */
export class Full extends Error {
  constructor(what: string, cap: number) {
    super(`the simulator is full: ${what} are capped at ${cap}; POST /_reset empties it`);
  }
}

/** A request to the simulator itself (not to the PSP it plays) that makes no sense. */
export class BadControl extends Error {}

export function json(status: number, value: unknown): Reply {
  return { status, body: JSON.stringify(value) };
}
