import { type Page } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { isObject } from '../http/fields.js';
import { MAX_DEPTH, readJsonBody } from '../http/json-body.js';

/** Between messages, as the loader of protos hands them out and takes them, and what REST reads and answers. */

export type Message = Readonly<Record<string, unknown>>;
export type IdMessage = Message & { readonly id?: string };
type Fields = Record<string, unknown>;

/** Says that a field of a message inside another one is an int64. */
export const INT64 = Symbol('int64');

/** The prefix of the names of an enum, by field: `{ capture: 'CAPTURE_MODE' }`; or INT64. */
export interface Choices {
  readonly [field: string]: string | typeof INT64 | Choices;
}

/**
 * The fields of a message as those of a JSON body, under the rules of the one reader of bodies: no card number, no
 * text that the database cannot store, no number that is not exact.
 */
export function readMessage({ amount, ...message }: Message, choices: Choices = {}): Fields {
  const fields = {
    ...inWords(message, choices),
    ...(amount === undefined ? {} : { amount: exactNumber(amount) }),
  };
  return readJsonBody(Buffer.from(JSON.stringify(fields))) as Fields;
}

/** An int64 is a text here. One that is not safe as a number stays a text, which no amount may be. */
function exactNumber(int64: unknown): unknown {
  const number = Number(int64);
  return Number.isSafeInteger(number) ? number : int64;
}

/** `CAPTURE_MODE_MANUAL` is `manual`; what is not specified is absent. */
function inWords(message: Message, choices: Choices): Fields {
  const fields: Fields = { ...message };
  for (const [name, choice] of Object.entries(choices)) {
    const value = fields[name];
    if (choice === INT64) {
      if (value !== undefined) fields[name] = exactNumber(value);
    } else if (typeof choice !== 'string') {
      if (isObject(value)) fields[name] = inWords(value, choice);
    } else if (typeof value === 'string') {
      fields[name] = value === `${choice}_UNSPECIFIED` ? undefined : wordOf(choice, value);
    }
  }
  return fields;
}

function wordOf(prefix: string, name: string): string {
  return name.slice(prefix.length + 1).toLowerCase();
}

/** `manual` is `CAPTURE_MODE_MANUAL`. */
export function choiceOf(prefix: string, word: string): string {
  return `${prefix}_${word.toUpperCase()}`;
}

export interface Timestamp {
  readonly seconds?: number | string;
  readonly nanos?: number;
}

export function timestampOf(iso: string): Timestamp;
export function timestampOf(iso: string | null): Timestamp | null;
export function timestampOf(iso: string | null): Timestamp | null {
  if (iso === null) return null;
  const ms = Date.parse(iso);
  return { seconds: Math.floor(ms / 1_000), nanos: (ms - Math.floor(ms / 1_000) * 1_000) * 1_000_000 };
}

/** RFC 3339. A time that no date can hold stays as it came, which no DTO takes. */
export function timeOf({ seconds = 0, nanos = 0 }: Timestamp): string {
  const date = new Date(Number(seconds) * 1_000 + nanos / 1_000_000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}

/** The query of a list: what is `created_gte` here REST has as `created[gte]`, and so for each bound, times and int64s. */
export function readQuery(message: Message, choices?: Choices): Fields {
  const fields = Object.entries(message).map(([name, value]) => {
    const [, field, bound] = BOUND.exec(name) ?? [];
    if (bound === undefined) return [name, value] as const;
    return [`${field}[${bound}]`, isObject(value) ? timeOf(value) : exactNumber(value)] as const;
  });
  return readMessage(Object.fromEntries(fields), choices);
}

const BOUND = /^(\w+)_(gte|lte)$/;

/** A page with its items as messages. */
export function pageMessage<View>(
  { data, ...page }: Page<View>,
  messageOf: (view: View) => Message,
): Message {
  return { data: data.map(messageOf), ...page };
}

/** A google.protobuf.Struct as the object that it says. */
export function objectOf(struct: unknown): Fields {
  return plainStruct(struct, 1);
}

function plainStruct(struct: unknown, depth: number): Fields {
  const { fields = {} } = (struct ?? {}) as { fields?: Fields };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainValue(value, depth)]));
}

function plainValue(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) {
    throw new Problem('validation_failed', 'The message cannot be taken as it was sent.', {
      errors: [{ pointer: '', message: `is nested deeper than ${MAX_DEPTH} levels` }],
    });
  }
  const { structValue, listValue, stringValue, numberValue, boolValue } = value as {
    structValue?: unknown;
    listValue?: { values?: unknown[] };
    stringValue?: string;
    numberValue?: number;
    boolValue?: boolean;
  };
  if (structValue !== undefined) return plainStruct(structValue, depth + 1);
  if (listValue !== undefined) return (listValue.values ?? []).map((item) => plainValue(item, depth + 1));
  return stringValue ?? numberValue ?? boolValue ?? null;
}

/** The object as a google.protobuf.Struct. */
export function structOf(object: Readonly<Record<string, unknown>>): Message {
  return {
    fields: Object.fromEntries(Object.entries(object).map(([name, value]) => [name, structValueOf(value)])),
  };
}

function structValueOf(value: unknown): Message {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(structValueOf) } };
  return isObject(value) ? { structValue: structOf(value) } : { nullValue: 'NULL_VALUE' };
}
