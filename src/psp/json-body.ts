import { type Answer } from './contract.js';

/** Readers of the JSON that PSPs write, without trust in its form. */

export type Json = Readonly<Record<string, unknown>>;

/** The object of a body; null where it is none. */
export function bodyOf(json: string): Json | null {
  const value = valueOf(json);
  return isObject(value) ? value : null;
}

/** The value of a body; undefined where it is no JSON. */
export function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The object, or an empty one. */
export function record(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The objects of a list, or none. */
export function records(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(record) : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_RETRY_AFTER_S = 3_600;

/** Retry-After in seconds (RFC 9110, 10.2.3); the form with a date is used by none of these PSPs. */
export function waitOf(seconds: string | undefined): Pick<Answer, 'retryAfterMs'> {
  if (!seconds || !/^\d{1,9}$/.test(seconds)) return {};
  return { retryAfterMs: Math.min(Number(seconds), MAX_RETRY_AFTER_S) * 1_000 };
}
