import { type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** All addresses of a name. Rejects where there are none, and when the signal fires. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

interface ResolverOptions {
  /** `address:port` of DNS servers; those of the system unless given. */
  readonly servers?: readonly string[];
  /** The timeout of the first try of one server; the second takes twice as long. */
  readonly timeoutMs?: number;
  readonly hostsFile?: string;
}

const TRIES = 2;
const HOSTS_FILE =
  process.platform === 'win32' ? String.raw`C:\Windows\System32\drivers\etc\hosts` : '/etc/hosts';

/**
 * Resolves names that merchants give. `dns.lookup` would use the four threads of libuv, which connections to PSPs
 * need too: a few names with slow servers would stop all charges. Here queries use their own sockets, with a time
 * limit and a signal. The hosts file and `localhost` work as in dns.lookup.
 */
export function createResolve({
  servers,
  timeoutMs = 1_500,
  hostsFile = HOSTS_FILE,
}: ResolverOptions = {}): Resolve {
  return async (hostname, signal) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const local = await localAddresses(name, hostsFile);
    if (local.length > 0) return local;
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await query(resolver, name);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

async function query(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason as Error;
  const addresses = [four, six].flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  return addresses.map(lookupAddress);
}

async function localAddresses(name: string, hostsFile: string): Promise<LookupAddress[]> {
  const lines = (await readFile(hostsFile, 'utf8').catch(() => '')).split('\n');
  const found = lines.flatMap((line) => {
    const [address = '', ...names] = line.split('#', 1)[0]!.trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [address] : [];
  });
  // RFC 6761, section 6.3: always loopback.
  const isLocalhost = name === 'localhost' || name.endsWith('.localhost');
  const addresses = found.length === 0 && isLocalhost ? ['127.0.0.1', '::1'] : found;
  return [...new Set(addresses)].map(lookupAddress);
}

function lookupAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
}
