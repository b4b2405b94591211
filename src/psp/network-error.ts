/**
 * One question about a call that failed: is it PROVED that no byte of the request left? Only then
 * may another PSP be tried. Everything else is "maybe reached", also what looks harmless: a
 * keep-alive socket that was reset may have carried the whole request before it died.
 *
 * Two kinds of proof are accepted: an error that can only happen before a connection stands (a
 * code), and an error that our own agents saw before theirs stood (wire.ts marks it).
 */

/** Codes that the system, the resolver or the TLS client raise before any application byte. */
const BEFORE_ANY_BYTE: ReadonlySet<string> = new Set([
  // nothing listens there, or the name has no address
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  // the server's certificate was refused by us, before the request was written
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Codes that prove it only when it was `connect` that failed: they also end standing connections. */
const WHILE_CONNECTING: ReadonlySet<string> = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/** How far a chain of causes is followed. */
const MAX_DEPTH = 6;

const unsent = new WeakSet<object>();

/** The pspCode of a call that was skipped because its lock would expire first. */
export const LOCK_TOO_OLD = 'lock_too_old';

/** Marks an error that happened while a connection was still being made. */
export function markUnsent<E extends Error>(error: E): E {
  unsent.add(error);
  return error;
}

/** Whether an error proves that no byte of the request left this machine. */
export function provedUnsent(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return false;
  if (unsent.has(error)) return true;
  const { code, syscall, errors, cause, detail } = error as Record<string, unknown>;
  // A name with several addresses: one that was not refused may have been reached.
  if (Array.isArray(errors)) {
    return errors.length > 0 && errors.every((each) => provedUnsent(each, depth + 1));
  }
  if (typeof code === 'string') {
    if (BEFORE_ANY_BYTE.has(code)) return true;
    if (WHILE_CONNECTING.has(code) && syscall === 'connect') return true;
  }
  // Clients wrap: axios keeps the error as `cause`, the Stripe SDK as `detail`.
  return provedUnsent(cause, depth + 1) || provedUnsent(detail, depth + 1);
}
