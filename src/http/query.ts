import { findCardNumber } from '../core/card-number.js';
import { Problem } from '../core/problem.js';
import { pointerOf } from './json-body.js';

/** A query string without card numbers, its `limit` as the number that it says. */
export function plainQuery(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  refuseCardNumbers(query);
  const { limit } = query;
  return typeof limit === 'string' && /^\d{1,9}$/.test(limit)
    ? { ...query, limit: Number(limit) }
    : { ...query };
}

function refuseCardNumbers(query: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(query)) {
    const pointer = findCardNumber(name) ? '' : findCardNumber(String(value)) ? pointerOf([name]) : null;
    if (pointer === null) continue;
    throw new Problem(
      'card_number_refused',
      'A card number stands in the query. It was not kept or logged.',
      {
        errors: [{ pointer, message: 'holds what looks like a card number' }],
      },
    );
  }
}
