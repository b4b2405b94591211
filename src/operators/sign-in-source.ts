import ipaddr from 'ipaddr.js';
import { hash } from 'node:crypto';

/** The source under which sign-ins from a known device are counted: a digest of its cookie. */
export function deviceSource(device: string): string {
  return `device:${hash('sha256', device, 'base64url')}`;
}

/**
 * The source under which codes are counted that a signed-in operator gives again, for an act that takes one. One for all
 * addresses: no password stands before these codes.
 */
export const CONFIRMATION = 'confirmation';

/**
 * The source under which sign-ins from an address are counted. For IPv6 it is the /64 network, because a provider gives
 * one customer all of its addresses (RFC 6177).
 */
export function addressSource(address: string): string {
  // A proxy may pass on an X-Forwarded-For that it did not check.
  if (!ipaddr.isValid(address)) return 'address:none';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return `address:${parsed.toString()}`;
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `address:${network.join(':')}::/64`;
}
