import StripeSdk from 'stripe';
import { type Period, type ReportSource } from '../psp-reports.js';
import { listed } from '../report-json.js';
import { StripeAccount } from './stripe-account.js';
import { stripeBalance } from './stripe-balance.js';

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
 * Stripe's balance transactions of a time, each with its source, newest first.
 * https://docs.stripe.com/api/balance_transactions/list (read 2026-11)
 */
export class StripeReports implements ReportSource {
  readonly format = stripeBalance;

  constructor(private readonly options: StripeReportOptions) {}

  async *period(period: Period, signal: AbortSignal): AsyncGenerator<Uint8Array> {
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
      gte: Math.floor(period.from.getTime() / 1_000) - OVERLAP_S,
      lt: Math.ceil(period.to.getTime() / 1_000),
    };
    const rows = stripe.balanceTransactions.list({ created, limit: PAGE, expand: ['data.source'] });
    yield* listed(stripeBalance, period, rows, signal);
  }
}
