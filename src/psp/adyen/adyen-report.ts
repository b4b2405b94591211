import { createHash } from 'node:crypto';
import { isCurrency } from '../../core/money.js';
import { type CsvRow, csvRows } from '../csv-rows.js';
import { minorUnits } from '../../core/decimal.js';
import { type ReportFormat } from '../report-format.js';
import { type LineKind, type ReportFault, type ReportLine, ReportRefused } from '../report-line.js';

const COLUMNS = [
  'Merchant Account',
  'Psp Reference',
  'Merchant Reference',
  'Creation Date',
  'TimeZone',
  'Type',
  'Modification Reference',
  'Gross Currency',
  'Gross Debit (GC)',
  'Gross Credit (GC)',
  'Net Currency',
  'Net Debit (NC)',
  'Net Credit (NC)',
  'Batch Number',
];
const FEES = ['Commission (NC)', 'Markup (NC)', 'Scheme Fees (NC)', 'Interchange (NC)'] as const;

/** https://docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report (read 2026-11) */
const KINDS: Readonly<Record<string, LineKind>> = {
  Settled: 'payment',
  Refunded: 'refund',
  RefundedReversed: 'refund_reversed',
  Chargeback: 'dispute',
  SecondChargeback: 'dispute',
  ChargebackReversed: 'dispute_reversed',
  Fee: 'fee',
  PaymentCost: 'fee',
  MiscCosts: 'fee',
  InvoiceDeduction: 'fee',
  MerchantPayout: 'settlement',
  DepositCorrection: 'other',
  Balancetransfer: 'other',
  MerchantPayin: 'other',
  AdvancementCommissionAdjustment: 'other',
};

/** Names of zones that Adyen writes, by the hours that they are behind or ahead of UTC; others are IANA names. */
const ZONES: Readonly<Record<string, string>> = { UTC: 'Z', GMT: 'Z', CET: '+01:00', CEST: '+02:00' };

/**
 * Adyen's settlement detail report. A MerchantPayout closes a batch with the net sum of its rows. Rows have no id, so
 * a row is identified by its whole content and by the number of equal rows above it. `merchantAccount`: only its rows
 * are read, since a company's report has those of all its accounts.
 */
export function adyenReport(merchantAccount?: string): ReportFormat {
  return {
    name: 'adyen-settlement-detail',
    covers: ['payment', 'refund', 'dispute'],
    hasIds: false,
    async *read(bytes, fault) {
      const batches = new Map<string, { sum: number; closed: { line: number; net: number } | null }>();
      let [own, others] = [0, 0];
      for await (const row of csvRows(bytes, { columns: COLUMNS })) {
        if (merchantAccount !== undefined && row.cell('Merchant Account') !== merchantAccount) {
          others += 1;
          continue;
        }
        own += 1;
        const line = lineOf(row, fault);
        if (line === null) continue;
        const id = `${line.batch} in ${line.settled}`;
        const batch = batches.get(id) ?? { sum: 0, closed: null };
        batches.set(id, batch);
        if (line.kind === 'settlement') batch.closed = { line: line.line, net: line.net };
        else batch.sum += line.net;
        yield line;
      }
      if (own === 0 && others > 0) {
        throw new ReportRefused([
          { line: null, message: `has no row of the merchant account ${merchantAccount}` },
        ]);
      }
      for (const [id, { sum, closed }] of batches) {
        if (closed && closed.net !== -sum) {
          fault({
            line: closed.line,
            message: `the batch ${id} pays out ${-closed.net} and its rows sum to ${sum} (minor units)`,
          });
        }
      }
    },
  };
}

function lineOf(row: CsvRow, fault: (fault: ReportFault) => void): ReportLine | null {
  const wrong = (message: string) => {
    fault({ line: row.line, message });
    return null;
  };
  const type = row.cell('Type');
  const kind = KINDS[type];
  if (kind === undefined) return wrong(`the Type ${JSON.stringify(type)} is not known`);
  const settled = row.cell('Net Currency');
  if (!isCurrency(settled)) return wrong(`the Net Currency ${JSON.stringify(settled)} is no currency`);
  const currency = row.cell('Gross Currency') || settled;
  if (!isCurrency(currency)) return wrong(`the Gross Currency ${JSON.stringify(currency)} is no currency`);
  const amount = (column: string, of: string) => minorUnits(row.cell(column) || '0', of);
  const grossIn = amount('Gross Credit (GC)', currency);
  const grossOut = amount('Gross Debit (GC)', currency);
  const netIn = amount('Net Credit (NC)', settled);
  const netOut = amount('Net Debit (NC)', settled);
  const fees = FEES.map((column) => amount(column, settled));
  if (grossIn === null || grossOut === null || netIn === null || netOut === null || fees.includes(null)) {
    return wrong('an amount is no number of its currency');
  }
  const [at, zone] = [row.cell('Creation Date'), row.cell('TimeZone')];
  const occurredAt = new Date(`${at.replace(' ', 'T')}${ZONES[zone] ?? '?'}`);
  if (Number.isNaN(occurredAt.getTime())) {
    return wrong(`the Creation Date ${JSON.stringify(`${at} ${zone}`)} is no time`);
  }
  const payment = row.cell('Psp Reference') || null;
  const modification = row.cell('Modification Reference') || null;
  const net = netIn - netOut;
  const gross = grossIn - grossOut;
  const batch = row.cell('Batch Number') || null;
  const content = [type, payment, modification, at, currency, gross, settled, net, batch].join('\n');
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 32);
  return {
    line: row.line,
    key: digest,
    type,
    kind,
    pspReference: modification ?? payment,
    parentReference: payment,
    reference: row.cell('Merchant Reference') || null,
    currency,
    gross: kind === 'settlement' || kind === 'fee' ? gross || net : gross,
    fee: fees.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    net,
    settled,
    occurredAt,
    batch,
  };
}
