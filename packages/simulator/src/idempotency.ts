import { type Clock } from './clock.js';
import { type Call, Full, type Reply } from './wire.js';

const MAX_KEYS = 1_000_000;
const HOUR_MS = 3_600_000;

/** What a vendor does with idempotency keys; vendors differ in every line. */
export interface KeyPolicy {
  /** The longest that a key is remembered. */
  readonly windowMs: number;
  /** How long the keys of this call are remembered, where that differs by call. */
  readonly windowOf?: (call: Call) => number;
  /** Whether other parameters under the same key are noticed. */
  readonly compares: boolean;
  /** Whether a 500 is the answer of this key from then on. */
  readonly keepsServerErrors: boolean;
  /** After an error the same key executes again, whatever was done before. */
  readonly forgetsOnError?: true;
  otherParameters(key: string): Reply;
  inUse(key: string): Reply;
  /** How a replayed answer is marked. */
  replayed(reply: Reply, key: string): Reply;
}

interface Kept {
  readonly fingerprint: number;
  readonly at: number;
  /** undefined while the first request runs. */
  reply: Reply | undefined;
}

/** `run`: no request has this key, execute. Otherwise the answer. */
export type Claim =
  { readonly run: true } | { readonly run: false; readonly reply: Reply; replayed: boolean };

const RUN: Claim = { run: true };

/** The keys one PSP remembers. A policy of null plays a PSP that has never heard of keys. */
export class IdempotencyKeys {
  private readonly kept = new Map<string, Kept>();

  constructor(
    readonly policy: KeyPolicy | null,
    private readonly clock: Clock,
  ) {}

  /** Claims the key for this call, or says what it is answered with instead. */
  claim(key: string | null, call: Call): Claim {
    if (this.policy === null || key === null) return RUN;
    const fingerprint = this.policy.compares ? fingerprintOf(call) : 0;
    const before = this.kept.get(key);
    const windowMs = this.policy.windowOf?.(call) ?? this.policy.windowMs;
    if (before !== undefined && this.clock.now() < before.at + windowMs) {
      if (before.fingerprint !== fingerprint) return refusal(this.policy.otherParameters(key));
      if (before.reply === undefined) return refusal(this.policy.inUse(key));
      return { run: false, reply: this.policy.replayed(before.reply, key), replayed: true };
    }
    if (this.kept.size >= MAX_KEYS) throw new Full('idempotency keys', MAX_KEYS);
    this.kept.delete(key);
    this.kept.set(key, { fingerprint, at: this.clock.now(), reply: undefined });
    return RUN;
  }

  /** The answer of this key from now on. */
  keep(key: string | null, reply: Reply): void {
    if (key === null) return;
    const kept = this.kept.get(key);
    if (kept !== undefined) kept.reply = reply;
  }

  /** Nothing ran: the key is as good as new. */
  release(key: string | null): void {
    if (key !== null) this.kept.delete(key);
  }

  /** Drops what the window has passed over. Keys are held in the order of their first use. */
  forgetExpired(): void {
    if (this.policy === null) return;
    const horizon = this.clock.now() - this.policy.windowMs;
    for (const [key, { at }] of this.kept) {
      if (at > horizon) return;
      this.kept.delete(key);
    }
  }

  reset(): void {
    this.kept.clear();
  }
}

/** Stripe, API v1: 24 hours; every answer once execution began, a 500 included. */
export const stripeKeys: KeyPolicy = {
  windowMs: 24 * HOUR_MS,
  compares: true,
  keepsServerErrors: true,
  otherParameters: (key) =>
    stripeError(400, {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    }),
  // Stripe answers this code with either type.
  inUse: (key) =>
    stripeError(409, {
      code: 'idempotency_key_in_use',
      type: key.charCodeAt(key.length - 1) % 2 === 0 ? 'invalid_request_error' : 'idempotency_error',
      message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
    }),
  replayed: (reply) => ({ ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } }),
};

/** Adyen: taken as 7 days; the first answer again, with the key as a header. */
export const adyenKeys: KeyPolicy = {
  windowMs: 7 * 24 * HOUR_MS,
  compares: false,
  keepsServerErrors: false,
  otherParameters: () => ({ status: 422, body: '' }),
  inUse: (key) => ({
    status: 422,
    headers: { 'idempotency-key': key, 'transient-error': 'true' },
    body: JSON.stringify({
      status: 422,
      errorCode: '704',
      message: 'request already processed or in progress',
      errorType: 'validation',
    }),
  }),
  replayed: (reply) => reply,
};

/** Checkout.com: 24 hours; only 2xx is kept, so that a payment that was made before a 5xx is made again. */
export const checkoutKeys: KeyPolicy = {
  windowMs: 24 * HOUR_MS,
  compares: false,
  keepsServerErrors: false,
  forgetsOnError: true,
  otherParameters: () => ({ status: 422, body: '' }),
  inUse: () => ({
    status: 409,
    body: JSON.stringify({ error_type: 'processing_error', error_codes: ['idempotency_key_in_use'] }),
  }),
  replayed: (reply) => reply,
};

/** Mollie: one hour; what became of an error is not documented, so that it is taken to be forgotten. */
export const mollieKeys: KeyPolicy = {
  windowMs: HOUR_MS,
  compares: false,
  keepsServerErrors: false,
  forgetsOnError: true,
  otherParameters: () => ({ status: 422, body: '' }),
  inUse: () => ({ status: 409, body: JSON.stringify({ status: 409, title: 'Conflict' }) }),
  replayed: (reply) => reply,
};

/** GoCardless: a repeat is a conflict that names what the key made. For how long is not published: a day is taken. */
export const gocardlessKeys: KeyPolicy = {
  windowMs: 24 * HOUR_MS,
  compares: false,
  keepsServerErrors: false,
  otherParameters: () => ({ status: 422, body: '' }),
  inUse: () => conflict('idempotency_key_in_use', {}),
  replayed: ({ body }) => {
    const made = JSON.parse(typeof body === 'string' ? body : body()) as Record<string, { id?: string }>;
    const [id = ''] = Object.values(made).flatMap((one) => one.id ?? []);
    return conflict('idempotent_creation_conflict', { conflicting_resource_id: id });
  },
};

/** PayPal: 6 hours for orders, 45 days for what is done with them; a repeat shows the latest state. */
export const paypalKeys: KeyPolicy = {
  windowMs: 45 * 24 * HOUR_MS,
  windowOf: ({ path }) => (path.startsWith('/v2/checkout/') ? 6 : 45 * 24) * HOUR_MS,
  compares: true,
  keepsServerErrors: false,
  otherParameters: () => paypalError(422, 'DUPLICATE_REQUEST_ID'),
  inUse: () => paypalError(409, 'RESOURCE_CONFLICT'),
  replayed: (reply) => reply,
};

function paypalError(status: number, issue: string): Reply {
  const details = [{ issue, description: issue }];
  return { status, body: JSON.stringify({ name: 'UNPROCESSABLE_ENTITY', message: issue, details }) };
}

function conflict(reason: string, links: Readonly<Record<string, string>>): Reply {
  const message = 'A resource has already been created with this idempotency key';
  const errors = [{ reason, message, links }];
  return {
    status: 409,
    body: JSON.stringify({ error: { message, errors, type: 'invalid_state', code: 409 } }),
  };
}

function stripeError(status: number, error: Readonly<Record<string, string>>): Reply {
  return { status, body: JSON.stringify({ error }) };
}

function refusal(reply: Reply): Claim {
  return { run: false, reply, replayed: false };
}

/** 53 bits of the request (cyrb53): enough to tell parameters apart, and ten times cheaper than SHA-1. */
function fingerprintOf({ method, path, body }: Call): number {
  const text = `${method} ${path}\n${body}`;
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2_654_435_761);
    two = Math.imul(two ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909);
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & two) + (one >>> 0);
}
