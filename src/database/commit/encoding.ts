import { FromNow, type Value } from '../../core/change.js';
import { JsonText } from '../../core/json-text.js';
import { type ColumnType } from './columns.js';

/** A value as Postgres reads it in text format; null stays null. A FromNow is its milliseconds. */
export function encode(value: Value): string | null {
  if (value === null) return null;
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      if (!Number.isSafeInteger(value)) throw new RangeError(`not an exact integer: ${value}`);
      return String(value);
    case 'boolean':
      return value ? 't' : 'f';
    default:
      if (value instanceof Date) return value.toISOString();
      if (value instanceof FromNow) return String(value.ms);
      if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
      return value instanceof JsonText ? value.text : JSON.stringify(value);
  }
}

const bare = new Set<ColumnType>(['uuid', 'bigint', 'integer', 'smallint', 'boolean', 'timestamptz']);

/** The values at `slot` of many rows as a Postgres array literal, to be unnested. */
export function encodeArray(rows: readonly (readonly Value[])[], slot: number, type: ColumnType): string {
  const isBare = bare.has(type);
  let literal = '{';
  for (let i = 0; i < rows.length; i++) {
    if (i > 0) literal += ',';
    const text = encode(rows[i]![slot]!);
    if (text === null) literal += 'NULL';
    else if (isBare) literal += text;
    else literal += quoted(text);
  }
  return `${literal}}`;
}

const ESCAPED = /["\\]/;
const ALL_ESCAPED = /["\\]/g;
/** No control character and no half of a pair, which JSON escapes in its own way. */
const SAME_IN_JSON = /^[ -\ud7ff\ue000-\uffff]*$/;

/** Postgres escapes the quote and the backslash alone. JSON.stringify does so five times as fast as `replace`. */
function quoted(text: string): string {
  if (!ESCAPED.test(text)) return `"${text}"`;
  return SAME_IN_JSON.test(text) ? JSON.stringify(text) : `"${text.replace(ALL_ESCAPED, '\\$&')}"`;
}
