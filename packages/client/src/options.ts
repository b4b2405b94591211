import { type Backoff } from './backoff.js';
import { type Clock, systemClock } from './clock.js';

/** The part of `fetch` that is used, so that a test can stand in for it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** A redirected POST may become a GET, or take the key to another host: none is followed. */
  readonly redirect: 'manual';
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** How long and how often is tried, for all calls of a client or for one. */
export interface Patience {
  /** From the start of the call to its end, all tries and waits included. Default: 90 s. */
  readonly deadlineMs?: number;
  /**
   * One try. Default: 30 s. The service itself works on a payment for up to 25 s before it answers
   * that the outcome is not known yet, and a shorter try would never hear that.
   */
  readonly tryTimeoutMs?: number;
  /** How many tries in a row may fail. Default: 10; 1 is no retry at all. */
  readonly maxTries?: number;
}

export interface ClientOptions extends Patience, Partial<Backoff> {
  /** `po_live_...` or `po_test_...`. Never shown in an error, nor by printing the client. */
  readonly apiKey: string;
  /** Where the service is: `https://payonce.example`, with a path where there is one. */
  readonly baseUrl: string;
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  /** Uniform in [0, 1), for the jitter of waits. */
  readonly random?: () => number;
  /** Makes an Idempotency-Key for a call that was given none. Default: a random UUID. */
  readonly newIdempotencyKey?: () => string;
}

/** For one call. */
export interface ReadOptions extends Patience {
  readonly signal?: AbortSignal;
}

/** For one call that may move money. */
export interface WriteOptions extends ReadOptions {
  /**
   * 1 to 255 printable ASCII characters. One is made where none is given; give your own, made from
   * the order for instance, where the call may have to be repeated after a crash of yours.
   */
  readonly idempotencyKey?: string;
  /**
   * Asks again, with the same key, while the answer is that the outcome is not known yet: until it has
   * come to rest, or the customer has to act (`next_action`), or this long since the call began, or until the deadline, whichever is first.
   * Without it the first answer is the answer.
   */
  readonly waitUntilSettledMs?: number;
}

export interface Settings extends Required<Omit<ClientOptions, 'baseUrl'>> {
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

export const defaults = {
  deadlineMs: 90_000,
  tryTimeoutMs: 30_000,
  maxTries: 10,
  initialDelayMs: 500,
  maxDelayMs: 5_000,
} as const satisfies Required<Patience> & Backoff;

/** RFC 6750: b64token. */
const API_KEY = /^[A-Za-z0-9\-._~+/]+=*$/;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** @throws TypeError that names the option; never with the value of the API key. */
export function settingsOf(options: ClientOptions): Settings {
  const { apiKey, baseUrl } = options;
  if (!API_KEY.test(apiKey)) throw new TypeError('apiKey: must be an API key of Payonce');
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('baseUrl: must be an http or https URL');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl: must have no credentials, no query and no fragment');
  }
  const settings: Settings = {
    ...patienceOf(options, defaults),
    apiKey,
    baseUrl: url.href.replace(/(?<!\/)\/+$/, ''),
    initialDelayMs: options.initialDelayMs ?? defaults.initialDelayMs,
    maxDelayMs: options.maxDelayMs ?? defaults.maxDelayMs,
    // Not kept as a value: browsers' fetch works only when it is called on its own global.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    newIdempotencyKey: options.newIdempotencyKey ?? randomUuid,
  };
  positive('initialDelayMs', settings.initialDelayMs);
  positive('maxDelayMs', settings.maxDelayMs);
  if (settings.maxDelayMs < settings.initialDelayMs) {
    throw new TypeError('maxDelayMs: must not be less than initialDelayMs');
  }
  return settings;
}

/** The patience of one call: its own where it says so, the client's where it does not. */
export function patienceOf(own: Patience, otherwise: Required<Patience>): Required<Patience> {
  const patience = {
    deadlineMs: own.deadlineMs ?? otherwise.deadlineMs,
    tryTimeoutMs: own.tryTimeoutMs ?? otherwise.tryTimeoutMs,
    maxTries: own.maxTries ?? otherwise.maxTries,
  };
  positive('deadlineMs', patience.deadlineMs);
  positive('tryTimeoutMs', patience.tryTimeoutMs);
  if (!Number.isInteger(patience.maxTries)) throw new TypeError('maxTries: must be an integer');
  positive('maxTries', patience.maxTries);
  return patience;
}

/** @throws TypeError before anything is sent: such a key would fail in `fetch`, as if the network had. */
export function checkedKey(key: string): string {
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw new TypeError('idempotencyKey: must be 1 to 255 printable ASCII characters');
  }
  return key;
}

export function positive(name: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value))) throw new TypeError(`${name}: must be a number above 0`);
}

/** A UUIDv4 (RFC 9562). Not `crypto.randomUUID`, which browsers have on secure pages alone. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
