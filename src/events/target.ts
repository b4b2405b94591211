import ipaddr from 'ipaddr.js';

/**
 * The addresses to which events may be sent. `public`: to addresses of the public internet, over https. `any`: anywhere,
 * over http as well; for development, where the receiver runs beside the service.
 */
export type TargetPolicy = 'public' | 'any';

/** Why nothing is sent to an address. Records of deliveries contain the codes. */
export type TargetFault =
  'url_malformed' | 'url_with_credentials' | 'scheme_refused' | 'port_refused' | 'address_refused';

/** In words that may be shown to the client that gave the URL. None says what an address resolved to. */
export const targetFaults: Readonly<Record<TargetFault, string>> = {
  url_malformed: 'must be an https URL of at most 2,048 characters',
  url_with_credentials: 'must hold no user and password',
  scheme_refused: 'must be an https URL',
  port_refused: 'must use port 443, 8443, or one from 1024 on',
  address_refused: 'must lead to public addresses only',
};

const MAX_URL_LENGTH = 2_048;
const LOWEST_FREE_PORT = 1_024;
const HTTPS_PORT = 443;

/** The parsed URL, or what is wrong with it. What its host resolves to is `isPublic`'s to judge. */
export function targetOf(text: string, policy: TargetPolicy): URL | TargetFault {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return 'url_malformed';
  if (url.username !== '' || url.password !== '') return 'url_with_credentials';
  if (policy === 'any') return url;
  if (url.protocol !== 'https:') return 'scheme_refused';
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  // Below 1024 other services listen, mail among them, that can be talked into things by a POST.
  return port === HTTPS_PORT || port >= LOWEST_FREE_PORT ? url : 'port_refused';
}

/** Public by its range, and not a host on the internet: Azure's metadata and agent endpoint. */
const NOT_FOR_CUSTOMERS: readonly string[] = ['168.63.129.16'];
/** Everything that IANA has assigned to hosts on the internet; `::/96`, for example, is not in it. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address belongs to a host on the public internet. Refused are private, loopback,
 * link-local (cloud metadata is there), carrier-grade NAT, multicast, unspecified, reserved and
 * documentation ranges, and everything in IPv6 that carries an IPv4 address (mapped, NAT64, 6to4,
 * Teredo): the IANA special-purpose address registries. Not an address: false.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || NOT_FOR_CUSTOMERS.includes(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_V6);
}

/** The host of a URL as a resolver or a socket takes it: IPv6 without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
