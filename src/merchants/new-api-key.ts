import { hash, randomBytes } from 'node:crypto';

/**
 * `po_live_<12 hex of its id>_<32 random bytes in base64url>`: a fixed shape that secret scanners
 * can recognise in a commit or a log, with a part by which people can tell keys apart.
 */
export function newApiKey(id: string): { key: string; prefix: string; hash: Buffer } {
  const prefix = `po_live_${id.slice(-12)}`;
  const key = `${prefix}_${randomBytes(32).toString('base64url')}`;
  return { key, prefix, hash: Buffer.from(digestOf(key), 'base64') };
}

/**
 * SHA-256, base64. Slow password hashing protects secrets that people choose; a key has 256 random
 * bits, which no amount of guessing reaches, and is checked on every request.
 */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64');
}
