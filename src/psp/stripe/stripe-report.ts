import { isCurrency } from '../../core/money.js';
import { type CsvRow, csvRows } from '../csv-rows.js';
import { minorUnits } from '../../core/decimal.js';
import { type ReportFormat } from '../report-format.js';
import { type LineKind, type ReportFault, type ReportLine } from '../report-line.js';

const COLUMNS = [
  'balance_transaction_id',
  'created_utc',
  'currency',
  'gross',
  'fee',
  'net',
  'reporting_category',
  'source_id',
];

/** https://docs.stripe.com/reports/reporting-categories (read 2026-11) */
export const stripeKinds: Readonly<Record<string, LineKind>> = {
  charge: 'payment',
  charge_failure: 'payment',
  refund: 'refund',
  partial_capture_reversal: 'refund',
  refund_failure: 'refund_reversed',
  dispute: 'dispute',
  dispute_reversal: 'dispute_reversed',
  payout: 'payout',
  payout_reversal: 'payout_returned',
  fee: 'fee',
  network_cost: 'fee',
  tax: 'fee',
  other_adjustment: 'other',
  topup: 'other',
  topup_reversal: 'other',
  transfer: 'other',
  transfer_reversal: 'other',
};

/**
 * Stripe's itemised reports (payout reconciliation, balance change from activity). A payout's row closes what it pays
 * out: its gross is the negative sum of the net of its rows.
 */
export const stripeReport: ReportFormat = {
  name: 'stripe-itemised',
  covers: ['payment', 'refund', 'dispute', 'payout'],
  hasIds: true,
  async *read(bytes, fault) {
    const batches = new Map<string, { sum: number; closed: { line: number; gross: number } | null }>();
    for await (const row of csvRows(bytes, { columns: COLUMNS })) {
      const line = lineOf(row, fault);
      if (line === null) continue;
      if (line.batch !== null) {
        const batch = batches.get(line.batch) ?? { sum: 0, closed: null };
        batches.set(line.batch, batch);
        if (line.kind === 'settlement') batch.closed = { line: line.line, gross: line.gross };
        else batch.sum += line.net;
      }
      yield line;
    }
    for (const [id, { sum, closed }] of batches) {
      if (closed && closed.gross !== -sum) {
        fault({
          line: closed.line,
          message: `the payout ${id} is ${-closed.gross} and its rows sum to ${sum} (minor units)`,
        });
      }
    }
  },
};

const isAmount = (amount: number | null | undefined) => typeof amount === 'number';

function lineOf(row: CsvRow, fault: (fault: ReportFault) => void): ReportLine | null {
  const wrong = (message: string) => {
    fault({ line: row.line, message });
    return null;
  };
  const type = row.cell('reporting_category');
  const kind = stripeKinds[type];
  if (kind === undefined) return wrong(`the reporting_category ${JSON.stringify(type)} is not known`);
  const key = row.cell('balance_transaction_id');
  if (!/^[\w-]{1,100}$/.test(key)) return wrong('there is no balance_transaction_id');
  const currency = row.cell('currency').toUpperCase();
  if (!isCurrency(currency)) return wrong(`${JSON.stringify(currency)} is no currency`);
  const amounts = (['gross', 'fee', 'net'] as const).map((column) => minorUnits(row.cell(column), currency));
  const [gross, fee, net] = amounts;
  if (!isAmount(gross) || !isAmount(fee) || !isAmount(net))
    return wrong('gross, fee and net are not all amounts');
  const at = row.cell('created_utc');
  const occurredAt = new Date(`${at.replace(' ', 'T')}Z`);
  if (Number.isNaN(occurredAt.getTime())) return wrong(`created_utc ${JSON.stringify(at)} is no time`);
  const source = row.cell('source_id') || null;
  const batch = row.cell('automatic_payout_id') || null;
  // A payout of Stripe's own to our bank; others are those that we asked for.
  const isClosing = kind === 'payout' && batch !== null && batch === source;
  const intent = row.cell('payment_intent_id') || null;
  return {
    line: row.line,
    key,
    type,
    kind: isClosing ? 'settlement' : kind,
    pspReference: kind === 'payment' ? (intent ?? source) : source,
    parentReference: intent,
    // A report may have our metadata among its columns.
    reference: row.cell(`${kind}_metadata[payonce_entity_key]`) || null,
    currency,
    gross,
    fee,
    net,
    settled: currency,
    occurredAt,
    batch,
  };
}
