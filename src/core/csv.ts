import { type Options } from 'csv-stringify';
import { formatMoney, isCurrency } from './money.js';

/** Members beside those called `amount…` that are minor units of the currency of their row, */
const OF_CURRENCY: ReadonlySet<string> = new Set([
  'expected',
  'fees',
  'gross',
  'held',
  'not_reported',
  'not_transferred',
  'reported',
  'rest',
  'taken',
]);
/** and of the one that a PSP settles in. */
const OF_SETTLED: ReadonlySet<string> = new Set(['fee', 'net']);

/** A number as it is to be written, which is no formula though it may begin with a minus. */
class Figure {
  constructor(readonly text: string) {}
}

/**
 * Options of csv-stringify for a file that people open in a spreadsheet: a heading, and nothing that it would take for a
 * formula.
 */
export const csvOptions: Options = {
  header: true,
  escape_formulas: true,
  cast: {
    boolean: String,
    date: (time) => time.toISOString(),
    object: (value) =>
      value instanceof Figure ? { value: value.text, escape_formulas: false } : JSON.stringify(value),
  },
};

/** A row of a CSV file, from an answer of the API: its amounts in units of their currency, `12.34`. */
export function csvRow(row: object): object {
  const { currency, settled_currency: settled } = row as Readonly<Record<string, unknown>>;
  const cellOf = (name: string, value: unknown) => {
    if (OF_SETTLED.has(name)) return figureOf(value, settled);
    return name.startsWith('amount') || OF_CURRENCY.has(name) ? figureOf(value, currency) : value;
  };
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, cellOf(name, value as unknown)]),
  );
}

function figureOf(value: unknown, currency: unknown): unknown {
  if (typeof value !== 'number' || typeof currency !== 'string' || !isCurrency(currency)) return value;
  return new Figure(formatMoney({ amount: value, currency }).split(' ')[0]!);
}
