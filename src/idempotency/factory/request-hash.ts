import { type Seal } from '../../kernel/index.js';
import { canonicalJson } from '../fingerprint.js';
import { carriedJson } from './carried-json.js';

const LARGEST_REQUEST_BYTES = 1_000_000;

/**
 * A `hashRequest` for requests that are JSON values: HMAC-SHA256 under the seal's key over the
 * canonical text, whatever the order of members. Keyed, because whoever can read the store could
 * otherwise guess what is small (an amount, an e-mail address, a PIN) by hashing every candidate.
 * Changing the key turns every repetition of an older request into a mismatch.
 *
 * Throws TypeError where JSON does not carry the request exactly: two requests that differ only in
 * what JSON drops (a Date becomes `{}` when its members are listed) would have one hash.
 */
export function keyedHash(seal: Seal): (request: unknown) => string {
  return (request) => {
    const carried = carriedJson(request, LARGEST_REQUEST_BYTES);
    if ('refused' in carried) throw new TypeError(`the request holds ${carried.what}`);
    return seal.digest(canonicalJson(JSON.parse(carried.text)));
  };
}
