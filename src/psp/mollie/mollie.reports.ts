import { type ReportSettings } from '../adapter-entry.js';
import { type Json, record, records, text as textIn } from '../json-body.js';
import { type Period, type ReportSource } from '../psp-reports.js';
import { ReportApi } from '../report-api.js';
import { allPages, ListReports, listReport } from '../report-json.js';
import { type LineKind } from '../report-line.js';
import { anything, matching, object, shape, text } from '../shape.js';
import { moneyIn } from './mollie.mapping.js';
import { PUBLIC_URL } from './mollie.psp.js';

/** The most that Mollie lists at once. */
const PAGE = 250;
/** A transaction of the last moments may be listed late; a line that is known already is counted once. */
const OVERLAP_MS = 3_600_000;

/** https://docs.mollie.com/reference/list-balance-transactions (mollie/openapi, `balance-transaction-type`) */
const KINDS: Readonly<Record<string, LineKind>> = {
  payment: 'payment',
  capture: 'payment',
  refund: 'refund',
  'returned-refund': 'refund_reversed',
  chargeback: 'dispute',
  'failed-payment': 'dispute',
  'unauthorized-direct-debit': 'dispute',
  'chargeback-reversal': 'dispute_reversed',
  'outgoing-transfer': 'settlement',
  'outgoing-custom-amount-transfer': 'settlement',
  'canceled-transfer': 'settlement',
  'canceled-outgoing-transfer': 'settlement',
  'returned-transfer': 'settlement',
  'invoice-compensation': 'fee',
  'invoice-rounding-compensation': 'fee',
  'payment-fee': 'fee',
  'failed-payment-fee': 'fee',
  'balance-charge-fee': 'fee',
  'fee-prepayment': 'fee',
};
/** Types that are about no payment of this organization, or move money within its balance. */
const OTHERS =
  /^(?:application-fee|balance-(?:correction|reserve|reserve-return|topup)|capture-.*|cash-.*|chargeback-compensation|held-.*|incoming-transfer|loan|managed-fee|movement|payment-commission|pending-.*|platform-.*|refund-compensation|reimbursement-fee|released-.*|repayment|returned-platform-payment-refund|returned-refund-compensation|reversed-.*|rolling-.*|split-.*|failed-platform-split-payment|failed-split-payment-compensation|to-be-released-.*|topup)$/;

interface Transaction {
  readonly id: string;
  readonly type: string;
  readonly resultAmount: Json;
  readonly initialAmount: Json;
  readonly createdAt: string;
  readonly context?: Json | null;
}

/** The movements of an organization's balance. Amounts are in the currency of the balance. */
export const mollieBalance = listReport<Transaction>({
  name: 'mollie-balance-transactions',
  list: 'mollie_balance_transactions',
  covers: ['payment', 'refund', 'dispute'],
  hasIds: true,
  rowName: 'balance transaction',
  row: shape<Transaction>(
    object(
      {
        resource: { const: 'balance-transaction' },
        id: matching(String.raw`^baltr_\w{1,90}$`),
        type: text,
        resultAmount: object({}),
        initialAmount: object({}),
        createdAt: text,
      },
      { context: anything },
    ),
  ),
  lineOf({ id, type, resultAmount, initialAmount, createdAt, context }, line) {
    const kind = kindOf(type);
    if (kind === undefined) return `the type ${JSON.stringify(type)} is not known`;
    const [gross, net] = [moneyIn(initialAmount), moneyIn(resultAmount)];
    if (gross === null || gross.currency !== net?.currency)
      return 'initialAmount and resultAmount are not both amounts of one currency';
    const occurredAt = new Date(createdAt);
    if (Number.isNaN(occurredAt.getTime())) return 'createdAt is no time';
    const about = record(context);
    const payment = textIn(about['paymentId']) ?? null;
    const part = textIn(about['captureId']) ?? textIn(about['refundId']) ?? textIn(about['chargebackId']);
    return {
      line,
      key: id,
      type,
      kind,
      pspReference: part ?? payment,
      parentReference: payment,
      reference: null,
      currency: gross.currency,
      gross: gross.amount,
      fee: gross.amount - net.amount,
      net: net.amount,
      settled: gross.currency,
      occurredAt,
      batch: textIn(about['settlementId']) ?? null,
    };
  },
});

function kindOf(type: string): LineKind | undefined {
  if (Object.hasOwn(KINDS, type)) return KINDS[type];
  return OTHERS.test(type) ? 'other' : undefined;
}

/** Reads the balance by a token of the organization: Mollie shows it to no key of payments. */
export function mollieReports(settings: ReportSettings, token: string): ReportSource {
  const { apiKey = '' } = settings.credentials;
  const headers = { Authorization: `Bearer ${token}` };
  return new ListReports(
    mollieBalance,
    () => new ReportApi(settings, { psp: 'Mollie', publicUrl: PUBLIC_URL, headers }),
    (api, period) => transactions(api, period, apiKey.startsWith('test_')),
  );
}

/** Newest first, and by no time: what is older ends the list. */
async function* transactions(api: ReportApi, { from, to }: Period, isTest: boolean): AsyncGenerator<Json> {
  const since = from.getTime() - OVERLAP_MS;
  const rows = allPages(async (after) => {
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (isTest) query.set('testmode', 'true');
    if (after !== undefined) query.set('from', after);
    const body = await api.get(`/v2/balances/primary/transactions?${query.toString()}`);
    const page = records(record(body['_embedded'])['balance_transactions']);
    const next = textIn(record(record(body['_links'])['next'])['href']);
    const isOver = page.some((row) => createdOf(row) < since);
    return {
      rows: page,
      next: isOver || next === undefined ? null : new URL(next).searchParams.get('from'),
    };
  });
  for await (const row of rows) {
    const created = createdOf(row);
    if (!(created < since) && !(created >= to.getTime())) yield row;
  }
}

function createdOf({ createdAt }: Json): number {
  return Date.parse(textIn(createdAt) ?? '');
}
