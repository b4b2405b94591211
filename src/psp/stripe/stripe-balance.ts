import { type Money } from '../../core/money.js';
import { anything, integer, matching, object, shape, text } from '../shape.js';
import { listReport } from '../report-json.js';
import { fromStripeAmount } from './stripe-currencies.js';
import { stripeKinds } from './stripe-report.js';

interface Source {
  readonly id?: string;
  readonly object?: string;
  readonly amount?: number;
  readonly amount_captured?: number;
  readonly currency?: string;
  readonly payment_intent?: string | null;
  readonly metadata?: Readonly<Record<string, string>> | null;
  /** True for Stripe's own payout to our bank. */
  readonly automatic?: boolean;
}

interface Transaction {
  readonly id: string;
  readonly amount: number;
  readonly fee: number;
  readonly net: number;
  readonly currency: string;
  readonly created: number;
  readonly reporting_category: string;
  readonly source?: Source | string | null;
}

/** Stripe's balance transactions, as `stripe.reports.ts` fetches them: the lines of its reports. */
export const stripeBalance = listReport<Transaction>({
  name: 'stripe-balance-transactions',
  list: 'stripe_balance_transactions',
  covers: ['payment', 'refund', 'dispute', 'payout'],
  hasIds: true,
  rowName: 'balance transaction',
  row: shape<Transaction>(
    object(
      {
        id: matching(String.raw`^[\w-]{1,100}$`),
        object: { const: 'balance_transaction' },
        amount: integer,
        fee: integer,
        net: integer,
        currency: text,
        created: integer,
        reporting_category: text,
      },
      { source: anything },
    ),
  ),
  lineOf(of, line) {
    const type = of.reporting_category;
    const kind = stripeKinds[type];
    if (kind === undefined) return `the reporting_category ${JSON.stringify(type)} is not known`;
    const settled = of.currency.toUpperCase();
    const [own, fee, net] = [of.amount, of.fee, of.net].map((amount) => fromStripeAmount(amount, settled));
    if (!own || !fee || !net) return 'amount, fee and net are not all amounts';
    const source: Source = typeof of.source === 'string' ? { id: of.source } : (of.source ?? {});
    const gross = grossOf(own, source);
    const intent = source.payment_intent ?? null;
    const id = source.id ?? null;
    return {
      line,
      key: of.id,
      type,
      kind: kind === 'payout' && source.automatic === true ? 'settlement' : kind,
      pspReference: kind === 'payment' ? (intent ?? id) : id,
      parentReference: intent,
      reference: source.metadata?.['payonce_entity_key'] ?? null,
      currency: gross.currency,
      gross: gross.amount,
      fee: fee.amount,
      net: net.amount,
      settled: net.currency,
      occurredAt: new Date(of.created * 1_000),
      batch: null,
    };
  },
});

/** The amount that the customer was charged, if Stripe settles in another currency. */
function grossOf(own: Money, { object: kind, amount, amount_captured: captured, currency }: Source): Money {
  if (currency === undefined || currency.toUpperCase() === own.currency) return own;
  const charged = fromStripeAmount(
    (kind === 'charge' ? captured : undefined) ?? amount ?? 0,
    currency.toUpperCase(),
  );
  return charged === null ? own : { ...charged, amount: Math.sign(own.amount) * Math.abs(charged.amount) };
}
