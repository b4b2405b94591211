import { type ReportSettings } from '../adapter-entry.js';
import { type Json, record, records, text as textIn } from '../json-body.js';
import { type Period, type ReportSource } from '../psp-reports.js';
import { ReportApi } from '../report-api.js';
import { allPages, ListReports, listReport } from '../report-json.js';
import { type LineKind, type ReportLine } from '../report-line.js';
import { anything, matching, object, shape, text } from '../shape.js';
import { moneyIn } from './square.mapping.js';
import { headersFor, PUBLIC_URL } from './square.psp.js';

const PAGE = 100;

/** https://developer.squareup.com/reference/square/enums/ActivityType; the sign tells a dispute from its end. */
const KINDS: Readonly<Record<string, LineKind>> = {
  CHARGE: 'payment',
  REFUND: 'refund',
  DISPUTE: 'dispute',
  OPEN_DISPUTE: 'dispute',
  PAYOUT: 'settlement',
  RETURNED_PAYOUT: 'settlement',
};
const FEES = /(?:^|_)FEE(?:_REFUND|_REVERSED|_PAID_REFUND)?$|^TAX_ON_FEE$/;
const OTHERS =
  /^(?:ADJUSTMENT|APP_FEE_REVENUE|AUTOMATIC_.*|BALANCE_FOLDERS_.*|CREDIT_CARD_.*|ESCHEATMENT|FREE_PROCESSING|GIFT_CARD_POOL_.*|HOLD_ADJUSTMENT|INITIAL_BALANCE_CHANGE|LOCAL_OFFERS_CASHBACK|MONEY_TRANSFER.*|OTHER|OTHER_ADJUSTMENT|PERCENTAGE_.*|REDEMPTION_CODE|RELEASE_ADJUSTMENT|RESERVE_.*|SQUARE_CAPITAL_.*|SQUARE_PAYROLL_.*)$/;

/** A payout, or one of its entries, which carries the payout's id. */
interface Row {
  readonly id: string;
  readonly type?: string;
  readonly effective_at?: string;
  readonly payout_id?: string;
  readonly gross_amount_money?: unknown;
  readonly net_amount_money?: unknown;
  readonly amount_money?: unknown;
  readonly created_at?: string;
}

/** Payouts to the seller's bank, and the entries that each consists of. */
export const squarePayouts = listReport<Row>({
  name: 'square-payout-entries',
  list: 'square_payouts',
  covers: ['payment', 'refund', 'dispute'],
  hasIds: true,
  rowName: 'payout and no entry of one',
  row: shape<Row>(
    object(
      { id: matching(String.raw`^[\w-]{1,100}$`) },
      {
        type: text,
        effective_at: text,
        payout_id: text,
        created_at: text,
        gross_amount_money: anything,
        net_amount_money: anything,
        amount_money: anything,
      },
    ),
  ),
  lineOf: (row, line) => (row.payout_id === undefined ? payoutLine(row, line) : entryLine(row, line)),
});

function payoutLine({ id, amount_money: money, created_at: at }: Row, line: number): ReportLine | string {
  const paid = moneyIn(money);
  const occurredAt = new Date(at ?? '');
  if (paid === null || Number.isNaN(occurredAt.getTime())) return 'is no payout and no entry of one';
  const amount = -paid.amount;
  return {
    line,
    key: id,
    type: 'payout',
    kind: 'settlement',
    pspReference: id,
    parentReference: null,
    reference: null,
    currency: paid.currency,
    gross: amount,
    fee: 0,
    net: amount,
    settled: paid.currency,
    occurredAt,
    batch: id,
  };
}

function entryLine(row: Row, line: number): ReportLine | string {
  const { id, type = '', effective_at: at, payout_id: batch = null } = row;
  const known = kindOf(type);
  if (known === undefined) return `the type ${JSON.stringify(type)} is not known`;
  const [gross, net] = [moneyIn(row.gross_amount_money), moneyIn(row.net_amount_money)];
  if (gross === null || gross.currency !== net?.currency)
    return 'gross_amount_money and net_amount_money are not both amounts of one currency';
  const occurredAt = new Date(at ?? '');
  if (Number.isNaN(occurredAt.getTime())) return 'effective_at is no time';
  const about = record((row as unknown as Json)[`type_${type.toLowerCase()}_details`]);
  const payment = textIn(about['payment_id']) ?? null;
  const part = textIn(about['refund_id']) ?? textIn(about['dispute_id']);
  return {
    line,
    key: id,
    type,
    kind: known === 'dispute' && gross.amount > 0 ? 'dispute_reversed' : known,
    pspReference: part ?? payment,
    parentReference: payment,
    reference: null,
    currency: gross.currency,
    gross: gross.amount,
    fee: gross.amount - net.amount,
    net: net.amount,
    settled: gross.currency,
    occurredAt,
    batch,
  };
}

function kindOf(type: string): LineKind | undefined {
  if (Object.hasOwn(KINDS, type)) return KINDS[type];
  if (OTHERS.test(type)) return 'other';
  return FEES.test(type) ? 'fee' : undefined;
}

export function squareReports(settings: ReportSettings): ReportSource {
  const { accessToken = '', locationId = '' } = settings.credentials;
  const headers = headersFor(accessToken);
  return new ListReports(
    squarePayouts,
    () => new ReportApi(settings, { psp: 'Square', publicUrl: PUBLIC_URL, headers }),
    (api, period) => payoutRows(api, period, locationId),
  );
}

/** Payouts that were made in this time, each followed by its entries; one that failed moved nothing. */
async function* payoutRows(api: ReportApi, { from, to }: Period, locationId: string): AsyncGenerator<Json> {
  const list = (path: string, name: string, query: Readonly<Record<string, string>>) =>
    allPages(async (cursor) => {
      const asked = new URLSearchParams({ ...query, limit: String(PAGE), ...(cursor ? { cursor } : {}) });
      const body = await api.get(`${path}?${asked.toString()}`);
      return { rows: records(body[name]), next: textIn(body['cursor']) };
    });
  const of = {
    location_id: locationId,
    begin_time: from.toISOString(),
    end_time: to.toISOString(),
    sort_order: 'ASC',
  };
  for await (const payout of list('/v2/payouts', 'payouts', of)) {
    if (payout['status'] === 'FAILED') continue;
    yield payout;
    const path = `/v2/payouts/${encodeURIComponent(textIn(payout['id']) ?? '')}/payout-entries`;
    yield* list(path, 'payout_entries', {});
  }
}
