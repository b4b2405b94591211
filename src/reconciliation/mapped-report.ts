import { isCurrency } from '../core/money.js';
import { list, matching, type Shape, shape, strictObject, text } from '../psp/shape.js';
import { type CsvRow, csvRows } from '../psp/csv-rows.js';
import { minorUnits } from '../core/decimal.js';
import { type Covered, type ReportFormat } from '../psp/report-format.js';
import {
  type LineKind,
  lineKinds,
  type ReportFault,
  type ReportLine,
  ReportRefused,
} from '../psp/report-line.js';

/** How a CSV report of any other PSP is read: which column holds what, and what its types mean. */
interface ReportMapping {
  readonly delimiter?: string;
  readonly columns: {
    /** The PSP's id of the line. */
    readonly key: string;
    readonly type: string;
    readonly currency: string;
    readonly gross: string;
    readonly occurredAt: string;
    readonly fee?: string;
    readonly pspReference?: string;
    readonly parentReference?: string;
    readonly reference?: string;
    readonly batch?: string;
  };
  readonly types: Readonly<Record<string, LineKind>>;
  readonly covers: readonly Covered[];
}

const column = matching('^.{1,200}$');
const mappingShape: Shape<ReportMapping> = shape<ReportMapping>(
  strictObject(
    {
      columns: strictObject(
        { key: column, type: column, currency: column, gross: column, occurredAt: column },
        { fee: column, pspReference: column, parentReference: column, reference: column, batch: column },
      ),
      types: { type: 'object', additionalProperties: { enum: [...lineKinds] } },
      covers: list({ enum: ['payment', 'refund', 'dispute', 'payout'] }, { minItems: 1 }),
    },
    { delimiter: text },
  ),
);

/** @throws ReportRefused for what is no mapping */
export function mappingOf(json: string): ReportMapping {
  let mapping: unknown;
  try {
    mapping = JSON.parse(json);
  } catch {
    throw new ReportRefused([{ line: null, message: 'the mapping is no JSON' }]);
  }
  if (mappingShape.fits(mapping)) return mapping;
  throw new ReportRefused([{ line: null, message: 'the mapping is not as docs/reconciliation.md says' }]);
}

/** A CSV report by a mapping. Times are RFC 3339; amounts are decimals, and what goes out is below zero. */
export function mappedReport(mapping: ReportMapping): ReportFormat {
  const { columns, covers, delimiter } = mapping;
  return {
    name: 'mapped-csv',
    covers,
    hasIds: true,
    async *read(bytes, fault) {
      const rules = { columns: Object.values(columns), ...(delimiter === undefined ? {} : { delimiter }) };
      for await (const row of csvRows(bytes, rules)) {
        const line = lineOf(row, mapping, fault);
        if (line !== null) yield line;
      }
    },
  };
}

function lineOf(
  row: CsvRow,
  { columns, types }: ReportMapping,
  fault: (fault: ReportFault) => void,
): ReportLine | null {
  const wrong = (message: string) => {
    fault({ line: row.line, message });
    return null;
  };
  const cell = (name: string | undefined) => (name === undefined ? '' : row.cell(name));
  const type = cell(columns.type);
  const kind = Object.hasOwn(types, type) ? types[type] : undefined;
  if (kind === undefined) return wrong(`the type ${JSON.stringify(type)} is not known`);
  const key = cell(columns.key);
  if (key === '' || key.length > 100) return wrong(`there is no ${columns.key}`);
  const currency = cell(columns.currency).toUpperCase();
  if (!isCurrency(currency)) return wrong(`${JSON.stringify(currency)} is no currency`);
  const gross = minorUnits(cell(columns.gross), currency);
  const fee = minorUnits(cell(columns.fee) || '0', currency);
  if (gross === null || fee === null) return wrong('an amount is no number of its currency');
  const at = cell(columns.occurredAt);
  const occurredAt = new Date(at);
  if (!/^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(at) || Number.isNaN(occurredAt.getTime())) {
    return wrong(`${JSON.stringify(at)} is no time such as 2026-11-22T10:00:00Z`);
  }
  return {
    line: row.line,
    key,
    type,
    kind,
    pspReference: cell(columns.pspReference) || null,
    parentReference: cell(columns.parentReference) || null,
    reference: cell(columns.reference) || null,
    currency,
    gross,
    fee,
    net: gross - fee,
    settled: currency,
    occurredAt,
    batch: cell(columns.batch) || null,
  };
}
