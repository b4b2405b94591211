import { type DisputedMoney, type Effect, type Ledger } from './ledger.js';
import { type Difference, type ReportRequest } from './report-request.js';

/** What a PSP did, as its reports are written from it. */
export interface Reported {
  readonly psp: string;
  /** Its name at the PSP. */
  readonly account: string;
  readonly effects: readonly Effect[];
  readonly disputes: readonly DisputedMoney[];
}

export function reportedBy(ledger: Ledger): Reported {
  return { psp: ledger.psp, account: ledger.account, effects: ledger.read(), disputes: ledger.disputes };
}

/** Something that moved the money that a PSP holds. */
export interface Row {
  readonly id: string;
  readonly effect: Omit<Effect, 'at' | 'seq'>;
  readonly type:
    'payment' | 'refund' | 'refund_reversed' | 'payout' | 'payout_returned' | 'dispute' | 'dispute_reversed';
  readonly gross: number;
  readonly at: string;
}

const FEE_RATE = 0.015;
const FIXED_FEE = 25;
/** What a planted amount is off by. */
const OFF_BY = 7;
const WITHOUT_DECIMALS: ReadonlySet<string> = new Set(['JPY', 'KRW', 'VND', 'CLP', 'ISK']);

/** The rows of a report in the order of the ledger, with the differences that were planted; then disputes. */
export function rowsOf({ psp, effects, disputes }: Reported, { only, planted = [] }: ReportRequest): Row[] {
  const reported = only === undefined ? effects : effects.filter(({ seq }) => only.includes(seq));
  const rows = reported.flatMap((effect) => {
    const planting = planted.filter(({ seq }) => seq === effect.seq);
    return planting.reduce((before, { difference }) => plant(before, difference), rowsOfEffect(effect));
  });
  return only === undefined
    ? [...rows, ...disputes.map((dispute, index) => rowOfDispute(psp, dispute, index))]
    : rows;
}

function rowOfDispute(psp: string, { amount, at, ...money }: DisputedMoney, index: number): Row {
  return {
    id: `d${index + 1}`,
    effect: {
      psp,
      operation: 'refund',
      ...money,
      reference: null,
      route: null,
      amount: Math.abs(amount),
      idempotency_key: null,
    },
    type: amount < 0 ? 'dispute' : 'dispute_reversed',
    gross: amount,
    at,
  };
}

function plant(rows: readonly Row[], difference: Difference): Row[] {
  switch (difference) {
    case 'missing':
      return [];
    case 'duplicated':
      return rows.flatMap((row) => [row, { ...row, id: `${row.id}_2` }]);
    case 'amount':
      return rows.map((row) => ({ ...row, gross: row.gross + OFF_BY }));
    case 'made_up':
      return rows.flatMap((row) => {
        const { effect } = row;
        const madeUp = {
          ...effect,
          psp_reference: `${effect.psp_reference}X`,
          parent_reference: null,
          reference: null,
        };
        return [row, { ...row, id: `${row.id}_x`, effect: madeUp }];
      });
  }
}

function rowsOfEffect(effect: Effect): Row[] {
  const { seq, operation, amount, at, undone_at: undoneAt } = effect;
  const id = String(seq);
  switch (operation) {
    case 'authorize':
    case 'void':
      return [];
    case 'charge':
    case 'capture':
      return [{ id, effect, type: 'payment', gross: amount, at }];
    case 'refund':
    case 'payout': {
      const row: Row = { id, effect, type: operation, gross: -amount, at };
      const back = operation === 'refund' ? 'refund_reversed' : 'payout_returned';
      return undoneAt === undefined
        ? [row]
        : [row, { id: `${id}_r`, effect, type: back, gross: amount, at: undoneAt }];
    }
  }
}

export function feeOf({ type, gross }: Row): number {
  return type === 'payment' ? Math.round(gross * FEE_RATE) + FIXED_FEE : 0;
}

export const stripeCategories = {
  payment: 'charge',
  refund: 'refund',
  refund_reversed: 'refund_failure',
  payout: 'payout',
  payout_returned: 'payout_reversal',
  dispute: 'dispute',
  dispute_reversed: 'dispute_reversal',
} as const;

/** Stripe's itemised payout reconciliation: each currency is closed by the payout of all that stands above. */
export function stripeReport(reported: Reported, request: ReportRequest = {}): string {
  const rows = rowsOf(reported, request);
  const currencies = [...new Set(rows.map(({ effect }) => effect.currency))];
  const payoutOf = (currency: string) => `po_automatic_${currency.toLowerCase()}_${rows.at(-1)?.id ?? 0}`;
  const lines = rows.map((row) => {
    const { effect, gross, type, at, id } = row;
    const fee = feeOf(row);
    const money = [gross, fee, gross - fee].map((amount) => decimal(amount, effect.currency));
    const intent = type === 'payment' ? effect.psp_reference : (effect.parent_reference ?? '');
    const source = type === 'payment' ? `ch_${effect.psp_reference}` : effect.psp_reference;
    return [
      `txn_${effect.psp}_${id}`,
      utc(at),
      utc(at),
      effect.currency.toLowerCase(),
      ...money,
      stripeCategories[type],
      source,
      `Order, ${JSON.stringify(type)}`,
      payoutOf(effect.currency),
      utc(at),
      intent,
      type === 'payment' ? source : '',
      type === 'payment' ? (effect.reference ?? '') : '',
      type === 'refund' ? (effect.reference ?? '') : '',
    ];
  });
  const closing = currencies.flatMap((currency) => {
    const of = rows.filter(({ effect }) => effect.currency === currency);
    const sum = of.reduce((total, row) => total + row.gross - feeOf(row), 0);
    const id = payoutOf(currency);
    const at = utc(of.at(-1)!.at);
    const money = [-sum, 0, -sum].map((amount) => decimal(amount, currency));
    if (sum <= 0) return [];
    return [
      [
        `txn_${id}`,
        at,
        at,
        currency.toLowerCase(),
        ...money,
        'payout',
        id,
        'STRIPE PAYOUT',
        id,
        at,
        '',
        '',
        '',
        '',
      ],
    ];
  });
  return csv([
    [
      'balance_transaction_id',
      'created_utc',
      'available_on_utc',
      'currency',
      'gross',
      'fee',
      'net',
      'reporting_category',
      'source_id',
      'description',
      'automatic_payout_id',
      'automatic_payout_effective_at_utc',
      'payment_intent_id',
      'charge_id',
      'payment_metadata[payonce_entity_key]',
      'refund_metadata[payonce_entity_key]',
    ],
    ...lines,
    ...closing,
  ]);
}

const adyenTypes = {
  payment: 'Settled',
  refund: 'Refunded',
  refund_reversed: 'RefundedReversed',
  dispute: 'Chargeback',
  dispute_reversed: 'ChargebackReversed',
} as const;

/** Adyen's settlement detail report: one batch, closed by what is paid out. Transfers are not part of it. */
export function adyenReport(reported: Reported, request: ReportRequest = {}): string {
  const rows = rowsOf(reported, request);
  const batch = rows.at(-1)?.id.replaceAll(/\D/g, '') ?? '0';
  const sums = new Map<string, number>();
  const lines = rows.flatMap((row) => {
    const { effect, gross, type, at } = row;
    if (type === 'payout' || type === 'payout_returned') return [];
    const { currency, operation, psp_reference: own, parent_reference: parent } = effect;
    const fee = feeOf(row);
    const net = gross - fee;
    sums.set(currency, (sums.get(currency) ?? 0) + net);
    return [
      [
        'PayonceCompany',
        reported.account,
        parent ?? own,
        effect.reference ?? '',
        'visa',
        utc(at),
        'UTC',
        adyenTypes[type],
        operation === 'charge' ? '' : own,
        currency,
        gross < 0 ? decimal(-gross, currency) : '',
        gross >= 0 ? decimal(gross, currency) : '',
        '1',
        currency,
        net < 0 ? decimal(-net, currency) : '',
        net >= 0 ? decimal(net, currency) : '',
        decimal(fee, currency),
        '',
        '',
        '',
        batch,
      ],
    ];
  });
  const closing = [...sums]
    .filter(([, sum]) => sum > 0)
    .map(([currency, sum]) => {
      const at = utc(rows.at(-1)!.at);
      const paid = decimal(sum, currency);
      const head = [
        'PayonceCompany',
        reported.account,
        '',
        '',
        '',
        at,
        'UTC',
        'MerchantPayout',
        `TX${batch}XT`,
      ];
      return [...head, '', '', '', '', currency, paid, '', '', '', '', '', batch];
    });
  return csv([
    [
      'Company Account',
      'Merchant Account',
      'Psp Reference',
      'Merchant Reference',
      'Payment Method',
      'Creation Date',
      'TimeZone',
      'Type',
      'Modification Reference',
      'Gross Currency',
      'Gross Debit (GC)',
      'Gross Credit (GC)',
      'Exchange Rate',
      'Net Currency',
      'Net Debit (NC)',
      'Net Credit (NC)',
      'Commission (NC)',
      'Markup (NC)',
      'Scheme Fees (NC)',
      'Interchange (NC)',
      'Batch Number',
    ],
    ...lines,
    ...closing,
  ]);
}

function decimal(amount: number, currency: string): string {
  if (WITHOUT_DECIMALS.has(currency)) return String(amount);
  const digits = String(Math.abs(amount)).padStart(3, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `2026-11-22 10:00:00` */
function utc(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

function csv(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
