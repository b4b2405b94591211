import { randomBytes } from 'node:crypto';

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/**
 * Ids that look like the vendor's: a random part drawn once for each source, then a counter. Cheap,
 * and never the same twice, also over restarts of the simulator.
 */
export function idSource(prefix: string, length: number): () => string {
  const random = Array.from(randomBytes(length - 8), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}${random}${count.toString(36).toUpperCase().padStart(8, '0')}`;
  };
}
