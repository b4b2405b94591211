import {
  And,
  type FindOperator,
  type FindOptionsOrder,
  type FindOptionsWhere,
  LessThan,
  LessThanOrEqual,
  MoreThanOrEqual,
  type Repository,
} from 'typeorm';
import { translateOutage } from './store-unavailable.js';

interface Conditions {
  readonly id?: FindOperator<string> | null;
  readonly [column: string]: unknown;
}
type Given<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Conditions of a `find` without those that have no value: TypeORM refuses null and undefined. */
export function given<T extends object>(conditions: T): Given<T> {
  const asked = Object.entries(conditions).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(asked) as Given<T>;
}

/** From one time or number to another, as far as they are given; both are included. */
export function between<T extends Date | number>(from?: T, to?: T): FindOperator<T> | null {
  const bounds = [...(from ? [MoreThanOrEqual(from)] : []), ...(to ? [LessThanOrEqual(to)] : [])];
  return bounds.length === 0 ? null : And(...bounds);
}

/**
 * The rows of a page, newest first, and one more where there is one. The cursor is the id of the last one seen: ids are
 * UUIDv7, so their order is that of creation and an index on them serves the page without a sort.
 */
export function newestFirst<Row extends { id: string }>(
  rows: Repository<Row>,
  conditions: Conditions | readonly Conditions[],
  limit: number,
  cursor: string | null,
): Promise<Row[]> {
  const alternatives: readonly Conditions[] = Array.isArray(conditions) ? conditions : [conditions];
  const where = alternatives.map(({ id, ...each }) => {
    const ids = [...(id ? [id] : []), ...(cursor ? [LessThan(cursor)] : [])];
    return given({ ...each, id: ids.length > 0 ? And(...ids) : null }) as FindOptionsWhere<Row>;
  });
  const order = { id: 'DESC' } as FindOptionsOrder<Row>;
  return translateOutage(rows.find({ where, order, take: limit + 1 }));
}
