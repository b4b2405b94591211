import { type ReportSettings } from '../adapter-entry.js';
import { type Json, records, text as textIn } from '../json-body.js';
import { type Period, type ReportSource } from '../psp-reports.js';
import { ReportApi, ReportApiError } from '../report-api.js';
import { ListReports, listReport } from '../report-json.js';
import { type LineKind } from '../report-line.js';
import { anything, matching, object, shape, text } from '../shape.js';
import { moneyIn, namesIn, signInRequest } from './paypal.mapping.js';
import { PUBLIC_URL } from './paypal.psp.js';

const PAGE = 100;
const HOUR_MS = 3_600_000;
/** "It takes a maximum of three hours for executed transactions to appear"; what is pending takes longer. */
const OVERLAP_MS = 72 * HOUR_MS;
/** "The maximum supported range is 31 days", and 10,000 transactions: a window with more is halved. */
const MAX_WINDOW_MS = 30 * 24 * HOUR_MS;
const MIN_WINDOW_MS = 60_000;

/** By code, and else by its group. https://developer.paypal.com/docs/transaction-search/transaction-event-codes/ (read 2026-11) */
const KINDS: Readonly<Record<string, LineKind>> = {
  T00: 'payment',
  T01: 'fee',
  T03: 'settlement',
  T04: 'settlement',
  T1106: 'dispute',
  T1107: 'refund',
  T1110: 'dispute',
  T1111: 'dispute_reversed',
  T1201: 'dispute',
  T1202: 'dispute_reversed',
};

interface Transaction {
  readonly transaction_id: string;
  readonly transaction_event_code: string;
  readonly transaction_status: string;
  readonly transaction_initiation_date: string;
  readonly transaction_amount: unknown;
  readonly fee_amount?: unknown;
  readonly paypal_reference_id?: string;
  readonly paypal_reference_id_type?: string;
  readonly custom_field?: string;
}

/** Movements of an account's balance. https://developer.paypal.com/docs/api/transaction-search/v1/ */
export const paypalTransactions = listReport<{ readonly transaction_info: Transaction }>({
  name: 'paypal-transactions',
  list: 'paypal_transactions',
  covers: ['payment', 'refund', 'dispute'],
  hasIds: true,
  rowName: 'transaction',
  row: shape(
    object({
      transaction_info: object(
        {
          transaction_id: matching(String.raw`^\w{1,24}$`),
          transaction_event_code: matching(String.raw`^T\d{4}$`),
          transaction_status: text,
          transaction_initiation_date: text,
          transaction_amount: anything,
        },
        {
          fee_amount: anything,
          paypal_reference_id: text,
          paypal_reference_id_type: text,
          custom_field: text,
        },
      ),
    }),
  ),
  lineOf({ transaction_info: of }, line) {
    // Denied, or not decided yet: it has moved nothing.
    if (of.transaction_status === 'D' || of.transaction_status === 'P') return null;
    const type = of.transaction_event_code;
    const gross = moneyIn(of.transaction_amount);
    const fee = of.fee_amount === undefined ? { amount: 0 } : moneyIn(of.fee_amount);
    if (gross === null || fee === null) return 'transaction_amount and fee_amount are not both amounts';
    const occurredAt = new Date(of.transaction_initiation_date);
    if (Number.isNaN(occurredAt.getTime())) return 'transaction_initiation_date is no time';
    const known = KINDS[type] ?? KINDS[type.slice(0, 3)] ?? 'other';
    // Money that is sent has the code of money that is received.
    const sent = known === 'payment' && gross.amount < 0 ? 'other' : known;
    const kind = known === 'refund' && gross.amount > 0 ? 'refund_reversed' : sent;
    return {
      line,
      key: of.transaction_id,
      type,
      kind,
      ...referencesOf(of, kind),
      currency: gross.currency,
      gross: gross.amount,
      fee: fee.amount === 0 ? 0 : -fee.amount,
      net: gross.amount + fee.amount,
      settled: gross.currency,
      occurredAt,
      batch: null,
    };
  },
});

/** Payments are known here by their order where they were made at once, and by their capture where that came later. */
function referencesOf(of: Transaction, kind: LineKind) {
  const { transaction_id: own, paypal_reference_id: other = null, paypal_reference_id_type: type } = of;
  const reference = namesIn(of.custom_field).entityKey ?? null;
  const parentReference = type === 'TXN' ? other : null;
  // The transaction of a dispute is not the dispute.
  if (kind === 'dispute' || kind === 'dispute_reversed')
    return { pspReference: null, parentReference, reference: null };
  if (kind === 'refund_reversed') return { pspReference: parentReference, parentReference, reference };
  if (kind !== 'payment' || type === 'TXN') return { pspReference: own, parentReference, reference };
  const order = type === 'ODR' ? other : null;
  return { pspReference: order ?? (reference === null ? own : null), parentReference: order, reference };
}

export function paypalReports(settings: ReportSettings): ReportSource {
  return new ListReports(
    paypalTransactions,
    () => new ReportApi(settings, { psp: 'PayPal', publicUrl: PUBLIC_URL }),
    (api, period) => transactions(api, period, settings.credentials),
  );
}

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Transactions that were begun in this time, or shortly before it. */
async function* transactions(
  api: ReportApi,
  { from, to }: Period,
  { clientId = '', clientSecret = '' }: ReportSettings['credentials'],
): AsyncGenerator<Json> {
  const { access_token: token } = await api.ask(signInRequest(clientId, clientSecret));
  const headers = { Authorization: `Bearer ${textIn(token) ?? ''}` };
  const left: Window[] = [{ fromMs: from.getTime() - OVERLAP_MS, toMs: to.getTime() }];
  for (let window = left.pop(); window; window = left.pop()) {
    const { fromMs, toMs } = window;
    const first = toMs - fromMs > MAX_WINDOW_MS ? null : await page(api, window, 1, headers);
    if (first === null) {
      const middle = Math.floor((fromMs + toMs) / 2);
      left.push({ fromMs: middle, toMs }, { fromMs, toMs: middle });
      continue;
    }
    yield* first.rows;
    for (let number = 2; number <= first.pages; number++)
      yield* (await page(api, window, number, headers))?.rows ?? [];
  }
}

/** Null where there are too many to be listed. */
async function page(
  api: ReportApi,
  { fromMs, toMs }: Window,
  number: number,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly rows: readonly Json[]; readonly pages: number } | null> {
  const query = new URLSearchParams({
    start_date: new Date(fromMs).toISOString(),
    end_date: new Date(toMs - 1).toISOString(),
    fields: 'transaction_info',
    page_size: String(PAGE),
    page: String(number),
  });
  try {
    const body = await api.get(`/v1/reporting/transactions?${query.toString()}`, headers);
    return { rows: records(body['transaction_details']), pages: Number(body['total_pages'] ?? 1) };
  } catch (error) {
    const isTooLarge = error instanceof ReportApiError && error.body?.['name'] === 'RESULTSET_TOO_LARGE';
    if (!isTooLarge || toMs - fromMs < MIN_WINDOW_MS) throw error;
    return null;
  }
}
