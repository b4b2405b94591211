import StripeSdk from 'stripe';
import { type Period, type ReportSource } from '../psp-reports.js';
import { StripeAccount } from './stripe-account.js';

interface StripeReportOptions {
  readonly secretKey: string;
  /** The account that the key must be of, where it does not name it. */
  readonly account?: string | undefined;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
}

/** Pages of the most that Stripe gives. */
const PAGE = 100;
/** Reading may be repeated. */
const MAX_RETRIES = 5;
/**
 * So much before the time is read too, for our clocks may differ and a transaction of the last second may have been
 * on its way when the time before this one was read. A line that is known already is counted once.
 */
const OVERLAP_S = 3_600;

/**
 * Stripe's balance transactions of a time, as JSON lines: the first says which time it is, each other one is a
 * transaction with its source, newest first. https://docs.stripe.com/api/balance_transactions/list (read 2026-11)
 */
export class StripeReports implements ReportSource {
  constructor(private readonly options: StripeReportOptions) {}

  async *period({ from, to }: Period, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { protocol, hostname, port } = new URL(this.options.baseUrl ?? 'https://api.stripe.com');
    const stripe = new StripeSdk(this.options.secretKey, {
      maxNetworkRetries: MAX_RETRIES,
      telemetry: false,
      timeout: this.options.timeoutMs,
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      port: port || (protocol === 'http:' ? 80 : 443),
    });
    await new StripeAccount(stripe, this.options.account).confirm();
    const created = {
      gte: Math.floor(from.getTime() / 1_000) - OVERLAP_S,
      lt: Math.ceil(to.getTime() / 1_000),
    };
    yield jsonLine({ object: 'balance_transactions', created });
    let after: string | undefined;
    for (;;) {
      signal.throwIfAborted();
      const page = await stripe.balanceTransactions.list({
        created,
        limit: PAGE,
        expand: ['data.source'],
        ...(after === undefined ? {} : { starting_after: after }),
      });
      for (const transaction of page.data) yield jsonLine(transaction);
      after = page.data.at(-1)?.id;
      if (!page.has_more || after === undefined) return;
    }
  }
}

function jsonLine(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
