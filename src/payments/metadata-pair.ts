import { createHash } from 'node:crypto';
import { type FindOperator, Raw } from 'typeorm';

/**
 * The ids of payments that have a pair in their metadata. `nth`: of the pairs in one query, for the names of its
 * parameters. The row that it finds a payment by is made by a trigger, see migration 0189.
 */
export function hasPair(
  merchantId: string,
  [name, value]: readonly [string, string],
  nth: number,
): FindOperator<string> {
  const digest = createHash('sha256').update(`${name}\n${value}`).digest().subarray(0, 16);
  const of = `SELECT payment_id FROM payment_metadata WHERE merchant_id = :owner AND pair = :pair${nth}`;
  return Raw((id) => `${id} IN (${of})`, { owner: merchantId, [`pair${nth}`]: digest });
}
