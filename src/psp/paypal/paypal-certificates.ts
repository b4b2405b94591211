import { X509Certificate } from 'node:crypto';

const MAX_KEPT = 16;
const MAX_BYTES = 16_384;
const TIMEOUT_MS = 5_000;
/** The pause after a fetch that failed: strangers who name certificates cause at most one request each second. */
const PAUSE_MS = 1_000;
const PATH = /^\/v1\/notifications\/certs\/[\w-]{1,100}$/;

/**
 * The certificates that PayPal signs notifications by. A notification says where its certificate is: it is fetched from
 * PayPal's own hosts alone, over TLS, which proves whose it is, and kept.
 * https://developer.paypal.com/api/rest/webhooks/rest/#link-selfverificationmethod
 */
export class PaypalCertificates {
  private readonly kept = new Map<string, X509Certificate>();
  private fetching: Promise<void> | undefined;
  private pausedUntilMs = 0;

  /** `origin`: of the account's address, where a simulator has its certificates. */
  constructor(private readonly origin: string) {}

  get(url: string): X509Certificate | undefined {
    return this.kept.get(url);
  }

  /** Has it fetched if it may be. Never throws: what is not there is not trusted. */
  async have(url: string, now: Date): Promise<void> {
    if (this.kept.has(url) || !this.mayFetch(url)) return;
    // One at a time: what comes meanwhile waits, and mostly for the same one.
    while (this.fetching) await this.fetching;
    if (this.kept.has(url) || now.getTime() < this.pausedUntilMs) return;
    this.pausedUntilMs = now.getTime() + PAUSE_MS;
    this.fetching = this.fetch(url)
      .catch(() => undefined)
      .finally(() => (this.fetching = undefined));
    await this.fetching;
  }

  private mayFetch(url: string): boolean {
    if (!URL.canParse(url)) return false;
    const { protocol, hostname, origin, pathname, search } = new URL(url);
    const isPaypal = protocol === 'https:' && /^api(?:-m)?(?:\.sandbox)?\.paypal\.com$/.test(hostname);
    return (isPaypal || origin === this.origin) && PATH.test(pathname) && search === '';
  }

  private async fetch(url: string): Promise<void> {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const pem = response.ok ? await response.text() : '';
    if (pem.length === 0 || pem.length > MAX_BYTES) throw new Error('no certificate');
    const [oldest] = this.kept.keys();
    if (this.kept.size >= MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(url, new X509Certificate(pem));
    this.pausedUntilMs = 0;
  }
}
