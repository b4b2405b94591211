import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keeps what must survive a crash but must not be readable at rest: PSP tokens and customer data
 * of operations that are not decided yet. AES-256-GCM; the context (what it belongs to) is
 * authenticated, so that a sealed value moved to another row does not open.
 */
export class Seal {
  /** `key`: 32 bytes. */
  constructor(private readonly key: Uint8Array) {
    if (key.length !== 32) throw new RangeError('the seal key must be 32 bytes');
  }

  close(value: unknown, context: string): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  /** Throws when the bytes were changed, belong elsewhere, or were sealed with another key. */
  open(sealed: Uint8Array, context: string): unknown {
    const bytes = Buffer.from(sealed);
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const body = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(body.toString('utf8')) as unknown;
  }

  /** A keyed hash (HMAC-SHA256, hex): tells equal from different without being guessable. */
  digest(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('hex');
  }
}
