import { createHash } from 'node:crypto';

const DIGEST = 22;

/**
 * A name of ours as a PSP takes it, of at most `maxLength` characters: as it is, or where it is too long, or has a
 * character that the PSP reads as a separator, its beginning and 132 bits of a digest of the whole, so that no two names
 * become one.
 */
export function shortName(name: string, maxLength: number, separator?: string): string {
  const isTaken = separator === undefined || !name.includes(separator);
  if (name.length <= maxLength && isTaken) return name;
  const digest = createHash('sha256').update(name).digest('base64url').slice(0, DIGEST);
  const beginning = name.slice(0, maxLength - DIGEST - 1);
  return `${separator === undefined ? beginning : beginning.replaceAll(separator, '_')}-${digest}`;
}
