import { workThrough } from '../core/work-through.js';
import { type OrphanEffect, type Route } from '../request-storage/route.entity.js';
import { type PspFilter, type RequestStorage } from '../request-storage/request-storage.js';
import { type AdvanceRoute } from '../request-storage/resolver.js';
import { type Pool } from 'pg';
import { NoneOf } from '../core/change.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type OrphanPolicy } from '../core/merchant-settings.js';

/** One merchant, or all but these. */
type MerchantFilter = string | NoneOf;

/** Reads for which merchants orphan effects are given back without a person. */
export class OrphanPolicies {
  constructor(
    private readonly pool: Pool,
    /** The policy of merchants that have none of their own. */
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

const PASS = 50;

/**
 * Finds effects at PSPs that were ruled out, and gives them back: at once for merchants that `automatic` names, for
 * others after a person's approval.
 */
export class OrphanCompensator {
  constructor(
    private readonly storage: RequestStorage,
    private readonly recheck: AdvanceRoute,
    private readonly compensate: (orphan: OrphanEffect, traceId: string) => Promise<boolean>,
    private readonly automatic: () => Promise<readonly MerchantFilter[]>,
    private readonly newTraceId: () => string,
    private readonly onError: (error: unknown, where: Route | OrphanEffect) => void,
    /** Only the routes and orphan effects at these accounts. */
    private readonly psp?: PspFilter,
  ) {}

  /** One pass over what is due. */
  async runOnce(): Promise<{
    readonly looked: number;
    readonly compensated: number;
    readonly failed: number;
  }> {
    const { storage, psp } = this;
    const traceId = () => `orphans-${this.newTraceId()}`;
    const looks = await workThrough(
      await storage.dueRechecks(PASS, psp),
      1,
      (due) => this.recheck(due, traceId()),
      this.onError,
    );
    const report = { looked: looks.done, compensated: 0, failed: looks.failed };
    const open = (await this.automatic()).map((merchantId) => ({ status: 'open', merchantId }) as const);
    for (const which of [...open, { status: 'approved' } as const]) {
      const { done, failed } = await workThrough(
        await storage.dueOrphans({ ...which, ...(psp === undefined ? {} : { psp }) }, PASS),
        1,
        (orphan) => this.compensate(orphan, traceId()),
        this.onError,
      );
      report.compensated += done;
      report.failed += failed;
    }
    return report;
  }
}
