import { type Form, list, text } from './form.js';
import { type Ledger } from './ledger.js';
import { ENTITY_KEY, type PaymentIntents, renderCharge } from './payment-intents.js';
import { type ReportRequest } from './report-request.js';
import { feeOf, reportedBy, type Row, rowsOf, stripeCategories } from './settlement-report.js';
import { badLimit, limitOf, lookup, seconds } from './stripe-objects.js';
import { noSuch } from './stripe-parameters.js';
import { json, type Reply, type Routed } from './wire.js';

const URL = '/v1/balance_transactions';

/** What Stripe itself calls a transaction; it has many more. */
const TYPES = {
  payment: 'charge',
  refund: 'refund',
  refund_reversed: 'refund_failure',
  payout: 'payout',
  payout_returned: 'payout_failure',
  dispute: 'adjustment',
  dispute_reversed: 'adjustment',
} as const;

/** Stripe's balance transactions. https://docs.stripe.com/api/balance_transactions */
export class StripeBalance {
  private request: ReportRequest = {};

  constructor(
    private readonly ledger: Ledger,
    private readonly intents: PaymentIntents,
  ) {}

  /** From now on the reports have these differences. */
  publish(request: ReportRequest): string {
    this.request = request;
    return 'balance_transactions';
  }

  list(query: Form): Routed | Reply {
    const limit = limitOf(query);
    if (limit === undefined) return badLimit();
    const created = query['created'];
    const range = typeof created === 'object' ? created : {};
    const [gte, lt] = [Number(text(range, 'gte') ?? 0), Number(text(range, 'lt') ?? 9_999_999_999)];
    const isExpanded = list(query, 'expand').includes('data.source');
    return lookup([], () => {
      const newestFirst = rowsOf(reportedBy(this.ledger), this.request)
        .map((row, index) => ({ row, index, created: seconds(Date.parse(row.at)) }))
        .toSorted((a, b) => b.created - a.created || b.index - a.index);
      const after = text(query, 'starting_after');
      const place =
        after === undefined ? -1 : newestFirst.findIndex(({ row }) => idOf(row, this.ledger) === after);
      if (after !== undefined && place === -1)
        return noSuch('balance transaction', after, 'starting_after', 400);
      const found = newestFirst
        .slice(place + 1)
        .filter((each) => each.created >= gte && each.created < lt)
        .slice(0, limit + 1);
      const data = found.slice(0, limit).map(({ row }) => this.render(row, isExpanded));
      return json(200, { object: 'list', url: URL, data, has_more: found.length > limit });
    });
  }

  private render(row: Row, isExpanded: boolean): object {
    const { gross, type, at, effect } = row;
    const fee = feeOf(row);
    const currency = effect.currency.toLowerCase();
    const source = this.sourceOf(row);
    return {
      id: idOf(row, this.ledger),
      object: 'balance_transaction',
      amount: gross,
      available_on: seconds(Date.parse(at)),
      balance_type: 'payments',
      created: seconds(Date.parse(at)),
      currency,
      description: null,
      exchange_rate: null,
      fee,
      fee_details:
        fee === 0
          ? []
          : [
              {
                amount: fee,
                application: null,
                currency,
                description: 'Stripe processing fees',
                type: 'stripe_fee',
              },
            ],
      net: gross - fee,
      reporting_category: stripeCategories[type],
      source: isExpanded ? source : source.id,
      status: 'available',
      type: TYPES[type],
    };
  }

  private sourceOf({ effect, type }: Row): { readonly id: string } {
    const { psp_reference: id, parent_reference: parent, reference, amount } = effect;
    const currency = effect.currency.toLowerCase();
    const metadata = reference === null ? {} : { [ENTITY_KEY]: reference };
    if (type !== 'payment') {
      const object = type.split('_')[0]!;
      const about = type.startsWith('payout') ? { automatic: false } : { payment_intent: parent };
      const made = { object, amount, currency, metadata };
      return { id, ...made, ...about };
    }
    const intent = this.intents.get(id);
    const charge = intent?.charge ?? `ch_${id}`;
    const made = {
      object: 'charge',
      amount,
      amount_captured: amount,
      currency,
      metadata,
      payment_intent: id,
    };
    return { id: charge, ...(intent === undefined ? made : renderCharge(intent, charge)) };
  }
}

/** The same as in the reports. */
function idOf({ id }: Row, ledger: Ledger): string {
  return `txn_${ledger.psp}_${id}`;
}
