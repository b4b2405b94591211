import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Before the id of the key; what was encrypted before keys had ids begins with a random nonce. */
const LABEL = Buffer.from('psk1');
const ID_BYTES = 8;

interface SealKey {
  /** 16 hex digits, from which the key cannot be guessed. */
  readonly id: string;
  /** Raw bytes would be made a key again at each use, which Node 24 takes 10 us for. */
  readonly secret: KeyObject;
}

/**
 * Keeps what must survive a crash but must not be readable at rest: PSP tokens and customer data
 * of operations that are not decided yet. AES-256-GCM; the context (what it belongs to) is
 * authenticated, so that a sealed value moved to another row does not open. Values and fingerprints
 * carry the id of their key. With a previous key, what is under either is read; the current one writes.
 */
export class Encryption {
  /** The current one first. */
  private readonly keys: readonly SealKey[];
  private nonces = Buffer.alloc(0);
  private taken = 0;

  /** Keys: 32 bytes. */
  constructor(current: Uint8Array, previous: Uint8Array | null = null) {
    this.keys = [current, ...(previous === null ? [] : [previous])].map(sealKey);
  }

  /** The digest under the current key, then under the previous one. */
  get keyIds(): readonly string[] {
    return this.keys.map(({ id }) => id);
  }

  encrypt(value: unknown, context: string): Uint8Array {
    const key = this.keys[0]!;
    const nonce = this.nonce();
    const cipher = createCipheriv('aes-256-gcm', key.secret, nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
    return Buffer.concat([LABEL, Buffer.from(key.id, 'hex'), nonce, cipher.getAuthTag(), body]);
  }

  /** Random, each used once. One call into the kernel's random source serves 256. */
  private nonce(): Buffer {
    if (this.taken >= this.nonces.length) {
      this.nonces = randomBytes(256 * NONCE_BYTES);
      this.taken = 0;
    }
    return this.nonces.subarray(this.taken, (this.taken += NONCE_BYTES));
  }

  /** Throws when the bytes were changed, belong elsewhere, or were sealed with a key that is not here. */
  decrypt(sealed: Uint8Array, context: string): unknown {
    const bytes = Buffer.from(sealed);
    const id = labelOf(bytes);
    const labelled = this.keys.find((key) => key.id === id);
    const tries = [
      ...(labelled ? [{ key: labelled, bytes: bytes.subarray(LABEL.length + ID_BYTES) }] : []),
      ...this.keys.map((key) => ({ key, bytes })),
    ];
    let first: unknown;
    for (const one of tries) {
      try {
        return decrypted(one.key, one.bytes, context);
      } catch (error) {
        first ??= error;
      }
    }
    throw first;
  }

  /** The first bytes of everything that the current key sealed. */
  get label(): Uint8Array {
    return Buffer.concat([LABEL, Buffer.from(this.keys[0]!.id, 'hex')]);
  }

  /** A keyed hash (HMAC-SHA256, hex): shows whether two values are equal, and cannot be guessed. */
  digest(text: string): string {
    return hmac(this.keys[0]!, text);
  }

  /** The digest under each key, the current one first: where a digest may have been stored under either. */
  digests(text: string): readonly string[] {
    return this.keys.map((key) => hmac(key, text));
  }

  /** The digest with the id of its key, to be compared by `matches`. */
  fingerprint(text: string): string {
    return `${this.keys[0]!.id}:${this.digest(text)}`;
  }

  /** Whether it is the fingerprint of this text. Null: it is under a key that is not here. */
  matches(text: string, fingerprint: string): boolean | null {
    const [id, digest] = fingerprint.split(':') as [string, string?];
    // Before keys had ids.
    if (digest === undefined) return this.digests(text).includes(fingerprint);
    const key = this.keys.find((each) => each.id === id);
    return key ? hmac(key, text) === digest : null;
  }
}

function sealKey(bytes: Uint8Array): SealKey {
  if (bytes.length !== 32) throw new RangeError('the seal key must be 32 bytes');
  const secret = createSecretKey(bytes);
  const id = createHmac('sha256', secret).update('payonce: id of the seal key').digest('hex');
  return { id: id.slice(0, ID_BYTES * 2), secret };
}

function labelOf(bytes: Buffer): string | null {
  if (!bytes.subarray(0, LABEL.length).equals(LABEL)) return null;
  return bytes.subarray(LABEL.length, LABEL.length + ID_BYTES).toString('hex');
}

function decrypted(key: SealKey, bytes: Buffer, context: string): unknown {
  const decipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const body = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(body.toString('utf8')) as unknown;
}

function hmac({ secret }: SealKey, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}
