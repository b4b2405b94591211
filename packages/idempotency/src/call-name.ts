import { IdempotentCallError } from './call-error.js';

/** The words of a key: `['recipient-1', lastId]`, or one that is written out. */
export type CallKey = string | readonly string[];

const OPERATION = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_OPERATION_LENGTH = 64;
/** Printable ASCII: every store and every encoding keeps it as it is, and so no two keys become one. */
const ID = /^[\x21-\x7e]{1,255}$/;

/** Throws RangeError: operations are written by the developer, not by a caller. */
export function checkOperation(operation: string): void {
  if (!OPERATION.test(operation) || operation.length > MAX_OPERATION_LENGTH) {
    throw new RangeError('an operation is named in lower case with hyphens, at most 64 characters');
  }
}

/**
 * `i9y:<operation>:<id>`. An operation holds no colon, so that `a` with the id `b:c` and another
 * operation never share a name. In words that are given as a list, `%` and `:` are escaped as in a
 * URL, so that ('a:b', 'c') and ('a', 'b:c') stay two keys. Throws `idempotency_key_invalid`.
 */
export function callName(operation: string, key: CallKey): string {
  const words = typeof key === 'string' ? [key] : key.map(escapeWord);
  const id = words.join(':');
  if (words.length === 0 || words.includes('') || !ID.test(id)) {
    throw new IdempotentCallError(
      'idempotency_key_invalid',
      operation,
      'a key has 1 to 255 printable ASCII characters, no space, and no empty word',
    );
  }
  return `i9y:${operation}:${id}`;
}

function escapeWord(word: string): string {
  return word.replaceAll('%', '%25').replaceAll(':', '%3A');
}
