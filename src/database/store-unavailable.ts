import { Problem } from '../core/problem.js';
import { sqlStateOf } from './sql-state.js';

/** The store could not be reached, or it is unknown whether it wrote the commit: read, or try again. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('the store could not be reached', { cause });
    this.name = 'StoreUnavailable';
  }
}

/**
 * Whether an error says that the server is away, going away, out of resources, read only, or gave up
 * on us (SQLSTATE classes 08, 25, 40, 53, 57, 58), or that there was no word from it at all. A value that cannot be
 * written as text never reached the server.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof Problem || error instanceof TypeError || error instanceof RangeError) return false;
  const state = sqlStateOf(error);
  return state === undefined || /^(08|25|40|53|57|58)/.test(state);
}

/** Makes a StoreUnavailable of an outage, and passes every other error on as it is. */
export async function translateOutage<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw isOutage(error) ? new StoreUnavailable(error) : error;
  }
}
