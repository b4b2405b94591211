import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Runs SQL: a pool, a client inside a transaction, or what runs it for one merchant. */
export interface Sql {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of the rows, as in pg
  query<Row extends object>(text: string, values: readonly unknown[]): Promise<{ readonly rows: Row[] }>;
}

/** The setting by which row-level security knows whose rows a transaction may see (migration 0080). */
export const TENANTS = 'payonce.tenants';

/** A session for all merchants: of workers, operators and commands. */
export const FOR_ALL_TENANTS = `SET ${TENANTS} = '*'`;

/** The value of the setting that names these merchants. */
export function tenants(merchantIds: Iterable<string>): string {
  return `{${[...merchantIds].join(',')}}`;
}

/** The database as one merchant may see it. Every call of a merchant's client that is no commit goes through it. */
@Injectable()
export class TenantDatabase {
  constructor(private readonly dataSource: DataSource) {}

  /** Does `work` in a transaction that sees and writes the rows of this merchant alone. */
  within<T>(merchantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (tx) => {
      await tx.query(`SELECT set_config('${TENANTS}', $1, true)`, [tenants([merchantId])]);
      return work(tx);
    });
  }

  /** SQL that ends in a SELECT, each statement in a transaction of its own. */
  sqlOf(merchantId: string): Sql {
    return {
      query: async (text, values) => ({
        rows: await this.within(merchantId, (tx) => tx.query<never[]>(text, [...values])),
      }),
    };
  }
}
