import { type PayonceEvent } from './api.js';

/** Why a request is not believed. */
export type WebhookRefusal =
  'header_missing' | 'timestamp_malformed' | 'too_old' | 'too_new' | 'signature_invalid' | 'body_malformed';

/** The request does not come from Payonce, or not now. Answer 400 and do nothing with it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(readonly reason: WebhookRefusal) {
    super(`the webhook cannot be verified: ${reason}`);
  }
}

/** `Headers` of fetch, or the headers of a Node request. */
export type WebhookHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far the time of sending may be from now, on either side. Default: 300,000 (five minutes). */
  readonly toleranceMs?: number;
  /** Milliseconds since the epoch; for tests. */
  readonly now?: () => number;
}

const TOLERANCE_MS = 300_000;
const PREFIX = 'whsec_';
/** Payonce sends one signature, or two while a secret is rotated. */
const MAX_SIGNATURES = 16;

/**
 * The event that a webhook brings, once its signature and its time are found right. `body` is what was
 * received, byte for byte, before anything parsed it. With several secrets, one that fits will do.
 * The signatures are compared by WebCrypto, in constant time.
 *
 * @throws WebhookVerificationError, and TypeError for a secret that cannot be one
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceMs = TOLERANCE_MS, now = Date.now }: VerifyOptions = {},
): Promise<PayonceEvent> {
  const keys = (typeof secret === 'string' ? [secret] : secret).map(keyBytes);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('timestamp_malformed');
  const ageMs = now() - Number(timestamp) * 1_000;
  if (ageMs > toleranceMs) throw new WebhookVerificationError('too_old');
  if (ageMs < -toleranceMs) throw new WebhookVerificationError('too_new');

  const encoder = new TextEncoder();
  const payload = typeof body === 'string' ? encoder.encode(body) : body;
  const head = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + payload.length);
  signed.set(head);
  signed.set(payload, head.length);
  if (!(await isSigned(keys, signatures, signed))) throw new WebhookVerificationError('signature_invalid');
  return eventOf(new TextDecoder().decode(payload));
}

async function isSigned(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const given = signatures
    .split(' ', MAX_SIGNATURES)
    .flatMap((each) => (each.startsWith('v1,') ? (bytesOf(each.slice('v1,'.length)) ?? []) : []));
  for (const bytes of keys) {
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify']);
    for (const signature of given) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
    }
  }
  return false;
}

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === null || bytes.length === 0) throw new TypeError('secret: must be whsec_ and base64');
  return bytes;
}

/** Null where it is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  // A header that comes twice is not ours.
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError('header_missing');
  return value;
}

function eventOf(text: string): PayonceEvent {
  try {
    const event: unknown = JSON.parse(text);
    if (typeof event === 'object' && event !== null && 'object' in event && event.object === 'event') {
      // Its fields are those of the document; that they are is tested on the side of the service.
      return event as PayonceEvent;
    }
  } catch {
    // As for what is no event.
  }
  throw new WebhookVerificationError('body_malformed');
}
