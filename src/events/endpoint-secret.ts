import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Encryption } from '../core/encryption.js';

/** `whsec_` and 32 random bytes in base64, as the Standard Webhooks specification writes secrets. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Which endpoint a secret belongs to: moved to another row it does not open. */
interface Owner {
  readonly merchantId: string;
  readonly id: string;
}

export function encryptSecret(seal: Encryption, owner: Owner, secret: string): Uint8Array {
  return seal.encrypt(secret, contextOf(owner));
}

/** Throws if the row was encrypted under another PAYONCE_SEAL_KEY. The error never contains the secret. */
export function decryptSecret(seal: Encryption, owner: Owner, sealed: Uint8Array): string {
  const secret = seal.decrypt(sealed, contextOf(owner));
  if (typeof secret !== 'string') throw new TypeError('a sealed secret holds something else');
  return secret;
}

function contextOf({ merchantId, id }: Owner): string {
  return `webhook-endpoint/${merchantId}/${id}`;
}

/**
 * The headers of a request by the Standard Webhooks specification. `id` is the same on every retry;
 * one signature for each secret that is valid now, so that a receiver may know either.
 */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: Date,
): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Payonce-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
  };
}
