import { createHmac } from 'node:crypto';
import { carriedJson } from './carried-json.js';

const MAX_REQUEST_BYTES = 1_000_000;
const MIN_KEY_BYTES = 32;

/**
 * A `hashRequest` for requests that are JSON values: HMAC-SHA256 under a key of 32 bytes or more over the
 * canonical text, in any order of members. Keyed, because a person who can read the store could
 * otherwise guess what is small (an amount, an e-mail address, a PIN) by hashing every candidate.
 * Changing the key turns every repetition of an older request into a mismatch.
 *
 * Throws TypeError where JSON does not carry the request exactly: two requests that differ only in
 * what JSON drops (a Date becomes `{}` when its members are listed) would have one hash.
 */
export function keyedHash(key: Uint8Array): (request: unknown) => string {
  if (key.length < MIN_KEY_BYTES) throw new RangeError(`the key has at least ${MIN_KEY_BYTES} bytes`);
  return (request) => {
    const carried = carriedJson(request, MAX_REQUEST_BYTES);
    if ('refused' in carried) throw new TypeError(`the request holds ${carried.what}`);
    return createHmac('sha256', key)
      .update(inOrder(JSON.parse(carried.text)))
      .digest('hex');
  };
}

/** The JSON text with the members of every object in order. */
function inOrder(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOrder).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${inOrder(member)}`);
  return `{${members.join(',')}}`;
}
