import { type ReportSettings } from '../adapter-entry.js';
import { type Json, record, records, text as textIn } from '../json-body.js';
import { fromPspUnits } from '../minor-units.js';
import { type Period, type ReportSource } from '../psp-reports.js';
import { ReportApi } from '../report-api.js';
import { allPages, ListReports, listReport } from '../report-json.js';
import { type LineKind } from '../report-line.js';
import { anything, integer, matching, object, shape, text } from '../shape.js';
import { chargebackOf } from './gocardless.mapping.js';
import { headersFor, PUBLIC_URL } from './gocardless.psp.js';

/** The most that is listed at once. */
const PAGE = 500;

/** Not GoCardless's: the whole fees of a payout. Those of its items may be parts of a minor unit. */
const FEES = 'deducted_fees';

/** https://developer.gocardless.com/api-reference/#core-endpoints-payout-items */
const KINDS: Readonly<Record<string, LineKind | null>> = {
  payment_paid_out: 'payment',
  payment_failed: 'dispute',
  payment_charged_back: 'dispute',
  payment_refunded: 'refund',
  refund: 'refund',
  refund_funds_returned: 'refund_reversed',
  [FEES]: 'fee',
  gocardless_fee: null,
  app_fee: null,
  surcharge_fee: null,
};

/** A payout, or with `item` one of its items. */
interface Row {
  readonly payout: {
    readonly id: string;
    readonly amount: number;
    readonly currency: string;
    readonly created_at: string;
  };
  readonly item?: { readonly type: string; readonly amount: string; readonly links?: unknown };
}

/** Payouts to the creditor's bank, and the items that each consists of. */
export const gocardlessPayouts = listReport<Row>({
  name: 'gocardless-payout-items',
  list: 'gocardless_payouts',
  covers: ['payment', 'refund', 'dispute'],
  // An item has no id.
  hasIds: false,
  rowName: 'payout and no item of one',
  row: shape<Row>(
    object(
      {
        payout: object({
          id: matching(String.raw`^\w{1,40}$`),
          amount: integer,
          currency: text,
          created_at: text,
        }),
      },
      { item: object({ type: text, amount: text }, { links: anything }) },
    ),
  ),
  lineOf({ payout, item }, line) {
    const kind = item === undefined ? 'settlement' : Object.hasOwn(KINDS, item.type) && KINDS[item.type];
    if (kind === null) return null;
    if (kind === undefined || kind === false) return `the type ${JSON.stringify(item?.type)} is not known`;
    const amount = item === undefined ? -payout.amount : Number(item.amount);
    const money = fromPspUnits(amount, payout.currency, {});
    if (money === null) return 'the amount is no whole minor unit of the currency';
    const occurredAt = new Date(payout.created_at);
    if (Number.isNaN(occurredAt.getTime())) return 'created_at is no time';
    const links = record(item?.links);
    const payment = textIn(links['payment']) ?? null;
    const part = item === undefined ? payout.id : (textIn(links['refund']) ?? payment);
    return {
      line,
      key: item === undefined ? payout.id : `${payout.id} ${item.type} ${part ?? ''}`,
      type: item?.type ?? 'payout',
      kind,
      pspReference: kind === 'dispute' && payment !== null ? chargebackOf(payment) : part,
      parentReference: payment,
      reference: null,
      currency: money.currency,
      gross: money.amount,
      fee: 0,
      net: money.amount,
      settled: money.currency,
      occurredAt,
      batch: payout.id,
    };
  },
});

export function gocardlessReports(settings: ReportSettings): ReportSource {
  const headers = headersFor(settings.credentials['accessToken'] ?? '');
  return new ListReports(
    gocardlessPayouts,
    () => new ReportApi(settings, { psp: 'GoCardless', publicUrl: PUBLIC_URL, headers }),
    payoutRows,
  );
}

/** Payouts that were made in this time, each followed by its items, which GoCardless keeps for six months. */
async function* payoutRows(api: ReportApi, { from, to }: Period): AsyncGenerator<Json> {
  const list = (name: string, query: Readonly<Record<string, string>>) =>
    allPages(async (after) => {
      const asked = new URLSearchParams({ ...query, limit: String(PAGE), ...(after ? { after } : {}) });
      const body = await api.get(`/${name}?${asked.toString()}`);
      return { rows: records(body[name]), next: textIn(record(record(body['meta'])['cursors'])['after']) };
    });
  const of = {
    'created_at[gte]': from.toISOString(),
    'created_at[lt]': to.toISOString(),
    payout_type: 'merchant',
  };
  for await (const payout of list('payouts', of)) {
    yield { payout };
    const fees = Number(payout['deducted_fees'] ?? 0);
    if (fees !== 0) yield { payout, item: { type: FEES, amount: String(-fees) } };
    for await (const item of list('payout_items', { payout: textIn(payout['id']) ?? '' })) {
      yield { payout, item };
    }
  }
}
