import { FromNow, type Value } from '../../core/change.js';
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
      return JSON.stringify(value);
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
    else literal += `"${ESCAPED.test(text) ? text.replace(ALL_ESCAPED, '\\$&') : text}"`;
  }
  return `${literal}}`;
}

const ESCAPED = /["\\]/;
const ALL_ESCAPED = /["\\]/g;
