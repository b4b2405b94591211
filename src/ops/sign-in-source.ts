import ipaddr from 'ipaddr.js';
import { hash } from 'node:crypto';

/** By what tries to sign in are counted: an address, or a device that is known to be the operator's. */
export interface SignInSource {
  readonly key: string;
  readonly isKnownDevice: boolean;
}

export function deviceSource(device: string): SignInSource {
  return { key: `device:${hash('sha256', device, 'base64url')}`, isKnownDevice: true };
}

/** Of IPv6 the first 64 bits, which one customer of a provider has all addresses of (RFC 6177). */
export function addressSource(address: string): SignInSource {
  // What a proxy may hand on as it came.
  if (!ipaddr.isValid(address)) return { key: 'address:none', isKnownDevice: false };
  const parsed = ipaddr.process(address);
  const key =
    parsed instanceof ipaddr.IPv6
      ? `${parsed.parts
          .slice(0, 4)
          .map((part) => part.toString(16))
          .join(':')}::/64`
      : parsed.toString();
  return { key: `address:${key}`, isKnownDevice: false };
}
