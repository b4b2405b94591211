import { And, type FindOperator, LessThanOrEqual, MoreThanOrEqual } from 'typeorm';

type Given<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Conditions of a `find` without those that have no value: TypeORM refuses null and undefined. */
export function given<T extends object>(conditions: T): Given<T> {
  const asked = Object.entries(conditions).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(asked) as Given<T>;
}

/** From one time to another, as far as they are given; both are included. */
export function timeBetween(from?: Date, to?: Date): FindOperator<Date> | null {
  const bounds = [...(from ? [MoreThanOrEqual(from)] : []), ...(to ? [LessThanOrEqual(to)] : [])];
  return bounds.length === 0 ? null : And(...bounds);
}
