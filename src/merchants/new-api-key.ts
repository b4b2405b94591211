import { createHmac, hash, randomBytes } from 'node:crypto';

/** A key, and in groups: what comes before its checksum, its prefix within that, and the checksum. */
export const KEY_SHAPE = /^((po_(?:live|test)_[0-9a-f]{12})_[A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})?$/;

const CHECKSUM_LENGTH = 6;

/**
 * `po_live_<12 hex of its id>_<32 random bytes in base64url><checksum>`: a fixed shape that secret scanners
 * can recognise in a commit or a log, with a part by which people distinguish keys. In test mode `po_test_`.
 */
export function newApiKey(
  id: string,
  isTest: boolean,
  checksumSecret: Uint8Array,
): { key: string; prefix: string; hash: Buffer } {
  const prefix = `po_${isTest ? 'test' : 'live'}_${id.slice(-12)}`;
  const unchecked = `${prefix}_${randomBytes(32).toString('base64url')}`;
  const key = `${unchecked}${checksumOf(unchecked, checksumSecret)}`;
  return { key, prefix, hash: Buffer.from(digestOf(key), 'base64') };
}

/** The part of a key that people may see. */
export function prefixOf(key: string): string {
  return KEY_SHAPE.exec(key)?.[2] ?? '';
}

/** Under a secret of the installation: a stranger who makes keys up makes none that passes. */
export function checksumOf(unchecked: string, secret: Uint8Array): string {
  return createHmac('sha256', secret).update(unchecked).digest('base64url').slice(0, CHECKSUM_LENGTH);
}

/**
 * SHA-256, base64. Slow password hashing protects secrets that people choose; a key has 256 random
 * bits, which no amount of guessing reaches, and is checked on every request.
 */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64');
}
