import { type Selection, type DeadLetterFilter } from '../../jobs/index.js';
import { Problem } from '../../kernel/index.js';
import { DEFAULT_LIMIT, queryOf } from '../ask.js';
import { type Check, checkOf } from '../validation.js';
import {
  DeadLetterListQuery,
  DeadLetterSelection,
  type DeadLetterListParameters,
  type DeadLetterSelectionBody,
} from './dead-letter-schemas.js';

/** From what came over the wire to what DeadLetters takes. Each throws Problem `validation_failed`. */

const checkList: Check<DeadLetterListParameters> = checkOf(DeadLetterListQuery);
const checkSelection: Check<DeadLetterSelectionBody> = checkOf(DeadLetterSelection);

export function deadLetterListAsk(
  query: Readonly<Record<string, unknown>>,
): DeadLetterFilter & { readonly limit: number; readonly cursor: string | null } {
  const value: unknown = queryOf(query);
  checkList(value);
  const { kind, cause, 'died[lte]': to } = value;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(cause === undefined ? {} : { cause }),
    ...(to === undefined ? {} : { olderThan: new Date(to) }),
    limit: value.limit ?? DEFAULT_LIMIT,
    cursor: value.cursor ?? null,
  };
}

/** Exactly one way of naming them: an empty body is never everything by accident. */
export function selectionAsk(value: unknown): Selection {
  checkSelection(value);
  const { ids, kind, cause, all } = value;
  const ways = [ids !== undefined, kind !== undefined || cause !== undefined, all !== undefined];
  if (ways.filter(Boolean).length !== 1) {
    const message = 'must have ids, or a kind or a cause or both, or all, and one of these alone';
    throw new Problem('validation_failed', 'Some of the request does not fit; see errors.', {
      errors: [{ pointer: '', message }],
    });
  }
  if (ids !== undefined) return { ids };
  return { ...(kind === undefined ? {} : { kind }), ...(cause === undefined ? {} : { cause }) };
}
