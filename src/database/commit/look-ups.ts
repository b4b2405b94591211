import type pg from 'pg';
import { type Value } from '../../core/change.js';
import { type Table } from '../../core/table.js';
import { isOutage, StoreUnavailable, translateOutage } from '../store-unavailable.js';
import { TENANTS, tenants } from '../tenants.js';
import { columnsOf } from './columns.js';
import { encodeArray } from './encoding.js';

/** At most this many rows are looked up by one statement. */
const MAX_BATCH = 128;
/** Above the timeout of a statement in the database: its answer may never come. */
const QUERY_TIMEOUT_MS = 15_000;
/** Look-ups of one table that may wait; beyond it they fail at once. */
const MAX_WAITING = 10_000;

interface LookUp {
  /** The values of the primary key, of which the first is the merchant. */
  readonly key: readonly string[];
  readonly resolve: (row: object | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Rows by their primary keys, a merchant's each. While a statement looks some up, those that are asked for meanwhile wait
 * and share the next one. What depends on them then goes on together, and shares its commits, too: look-ups one by one
 * would let requests through in single file.
 */
export class LookUps {
  private readonly waiting = new Map<Table, LookUp[]>();

  constructor(private readonly pool: Pick<pg.Pool, 'query'>) {}

  find<Row>(table: Table<Row>, key: readonly string[]): Promise<Row | null> {
    return new Promise((resolve, reject) => {
      const lookUp = { key, resolve: resolve as LookUp['resolve'], reject };
      const others = this.waiting.get(table);
      if (others) {
        if (others.length < MAX_WAITING) others.push(lookUp);
        else reject(new StoreUnavailable(new Error('too many look-ups wait')));
        return;
      }
      this.waiting.set(table, [lookUp]);
      void this.read(table);
    });
  }

  /** Never rejects: each look-up gets its own row or error. */
  private async read(table: Table): Promise<void> {
    for (let left = this.waiting.get(table)!; left.length > 0;) {
      await this.answer(table, left.splice(0, MAX_BATCH));
    }
    this.waiting.delete(table);
  }

  private async answer(table: Table, batch: readonly LookUp[]): Promise<void> {
    try {
      const rows = await this.rows(table, batch);
      for (const [n, { resolve }] of batch.entries()) resolve(rows.get(n) ?? null);
    } catch (error) {
      // One that cannot be looked up fails alone.
      if (batch.length > 1 && !isOutage(error)) for (const one of batch) await this.answer(table, [one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  private async rows(table: Table, batch: readonly LookUp[]): Promise<Map<number, object>> {
    const columns = columnsOf(table);
    const key = table.primary.map((property) => columns.get(property)!);
    const keys = batch.map((each): readonly Value[] => each.key);
    const values = key.map(({ type }, slot) => encodeArray(keys, slot, type));
    const arrays = key.map(({ type }, n) => `$${n + 1}::${type}[]`);
    const sought = key.map(({ name }, n) => `t.${name} = sought.k${n}`);
    const shown = Array.from(columns, ([property, { name }]) => `t.${name} AS "${property}"`);
    // The lateral one is planned by itself, so that it goes by the primary key.
    const text = `SELECT sought.n::int - 1 AS "n of the batch", t.*
  FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS sought(${key.map((_, n) => `k${n}`).join(', ')}, n)
 CROSS JOIN LATERAL (SELECT ${shown.join(', ')} FROM ${table.name} t WHERE ${sought.join(' AND ')} OFFSET 0) t
 WHERE (SELECT set_config('${TENANTS}', $${key.length + 1}, true)) IS NOT NULL`;
    const merchants = tenants(new Set(batch.map((each) => each.key[0]!)));
    const timed: pg.QueryConfig & { query_timeout: number } = {
      text,
      values: [...values, merchants],
      query_timeout: QUERY_TIMEOUT_MS,
    };
    const { rows } = await translateOutage(this.pool.query<{ 'n of the batch': number }>(timed));
    return new Map(rows.map(({ 'n of the batch': n, ...row }) => [n, row]));
  }
}
