import { type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { createResolve, type Resolve } from './address-resolver.js';
import { hostOf, isPublic, type TargetFault, targetOf, type TargetPolicy } from './target.js';

/** A URL with its checked addresses: a request may go only to these. */
interface CheckedTarget {
  readonly url: URL;
  readonly addresses: readonly LookupAddress[];
}

export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';

  constructor(readonly fault: TargetFault | 'dns_failed') {
    super(`nothing is sent there: ${fault}`);
  }
}

/** More than any honest name has. */
const MAX_ADDRESSES = 64;

/** Keeps requests that merchants cause away from what only this network can reach (SSRF). */
export class TargetGuard {
  constructor(
    readonly policy: TargetPolicy,
    private readonly resolve: Resolve = createResolve(),
  ) {}

  /**
   * Resolves and checks; one refused address refuses the whole name. Done when an endpoint is created and again for
   * every request, since a name may resolve to another address by then.
   * @throws TargetRefused, or the signal's reason when it is aborted first
   */
  async check(text: string, signal: AbortSignal): Promise<CheckedTarget> {
    const url = targetOf(text, this.policy);
    if (typeof url === 'string') throw new TargetRefused(url);
    const addresses = await this.addressesOf(hostOf(url), signal);
    if (addresses.length === 0 || addresses.length > MAX_ADDRESSES) throw new TargetRefused('dns_failed');
    if (this.policy === 'public' && !addresses.every(({ address }) => isPublic(address))) {
      throw new TargetRefused('address_refused');
    }
    return { url, addresses };
  }

  /** Whether a check has to ask DNS servers. */
  looksUp(text: string): boolean {
    const url = targetOf(text, this.policy);
    return typeof url !== 'string' && isIP(hostOf(url)) === 0;
  }

  private async addressesOf(host: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    const resolved = this.resolve(host, signal).catch(() => {
      throw new TargetRefused('dns_failed');
    });
    return Promise.race([resolved, aborted]);
  }
}
