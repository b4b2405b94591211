import { type Pool } from 'pg';
import { NoneOf } from '../core/change.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type OrphanPolicy } from '../core/caller.js';

/** One merchant, or all but these. */
export type MerchantFilter = string | NoneOf;

/** Reads for which merchants orphan effects are given back without a person. */
export class OrphanPolicies {
  constructor(
    private readonly pool: Pool,
    /** Of merchants that have none of their own. */
    private readonly configured: OrphanPolicy,
  ) {}

  async automatic(): Promise<readonly MerchantFilter[]> {
    const other: OrphanPolicy = this.configured === 'automatic' ? 'approve' : 'automatic';
    const { rows } = await translateOutage(
      this.pool.query<{ id: string }>('SELECT id FROM merchants WHERE orphans = $1 ORDER BY id', [other]),
    );
    const ids = rows.map(({ id }) => id);
    return this.configured === 'automatic' ? [new NoneOf(ids)] : ids;
  }
}
