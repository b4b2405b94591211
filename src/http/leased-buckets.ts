import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { withTimeout } from '../core/time-limit.js';

/** A bucket holds what comes in so long, so that a client may be still for a moment and then catch up. */
const BURST_S = 2;
/** A process takes what comes in so long at a time. */
const SHARE_S = 0.25;
/** An empty bucket is not asked again before. */
const EMPTY_MS = 50;
const MAX_LEASES = 20_000;
const MAX_BATCH = 500;
/** Without an answer for so long, a process grants itself what one may have. */
const ANSWER_TIMEOUT_MS = 500;
/** A bucket that was not used for so long is full, as a missing bucket is. */
const PRUNE_MS = 60_000;

/** The part of a bucket that this process may still spend. */
interface Lease {
  readonly name: string;
  readonly perSecond: number;
  tokens: number;
  /** The time until which the bucket is known to be empty. */
  emptyUntilMs: number;
  taking: Promise<void> | null;
}

/**
 * Token buckets that all processes share without a round trip for each request: a process takes a share of a
 * bucket from Postgres, spends it from memory, and takes the next share in the background while it has half of
 * it. A request waits for a share only where this process holds none, as at its first request. Together the
 * processes let through what the bucket gives, and no more than one share each that they hold from before.
 */
@Injectable()
export class LeasedBuckets {
  private readonly leases = new LRUCache<string, Lease>({ max: MAX_LEASES });
  private waiting: { readonly lease: Lease; readonly done: () => void }[] = [];
  private isTaking = false;
  private prunedMs = -Infinity;

  constructor(
    @Inject(Pool) private readonly pool: Pick<Pool, 'query'>,
    private readonly clock: Clock,
  ) {}

  /** One request of the bucket with this name. 0: it may go on; else the whole seconds after which it may be sent again. */
  async spend(name: string, perSecond: number): Promise<number> {
    const lease = this.leaseOf(name, perSecond);
    while (lease.tokens < 1 && !this.isEmpty(lease)) await this.take(lease);
    const mayPass = lease.tokens >= 1;
    if (mayPass) lease.tokens -= 1;
    if (lease.tokens < shareOf(lease) / 2 && !this.isEmpty(lease)) void this.take(lease);
    return mayPass ? 0 : Math.max(1, Math.ceil(1 / perSecond));
  }

  private leaseOf(name: string, perSecond: number): Lease {
    const known = this.leases.get(name);
    if (known?.perSecond === perSecond) return known;
    const lease = { name, perSecond, tokens: 0, emptyUntilMs: -Infinity, taking: null };
    this.leases.set(name, lease);
    return lease;
  }

  private isEmpty({ emptyUntilMs }: Lease): boolean {
    return this.clock.monotonicMs() < emptyUntilMs;
  }

  /** One statement at a time, for all that wait. Never rejects. */
  private take(lease: Lease): Promise<void> {
    lease.taking ??= new Promise((done) => {
      this.waiting.push({ lease, done });
      if (!this.isTaking) void this.takeAll();
    });
    return lease.taking;
  }

  private async takeAll(): Promise<void> {
    this.isTaking = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MAX_BATCH);
      const taken = await this.ask(batch.map(({ lease }) => lease)).catch(() => null);
      for (const { lease, done } of batch) {
        const share = shareOf(lease);
        const tokens = taken ? (taken.get(lease.name) ?? 0) : share;
        lease.tokens += tokens;
        // While the database is away: as much as one process alone might have.
        const pauseMs = taken ? (tokens < share ? EMPTY_MS : 0) : (share / lease.perSecond) * 1_000;
        if (pauseMs > 0) lease.emptyUntilMs = this.clock.monotonicMs() + pauseMs;
        lease.taking = null;
        done();
      }
    }
    this.isTaking = false;
    await this.prune().catch(() => {});
  }

  private async ask(leases: readonly Lease[]): Promise<ReadonlyMap<string, number>> {
    const asked = this.pool.query<{ name: string; taken: number }>(TAKE, [
      leases.map(({ name }) => name),
      leases.map(shareOf),
      leases.map(({ perSecond }) => perSecond),
      leases.map(({ perSecond }) => capacityOf(perSecond)),
    ]);
    const { rows } = await withTimeout(this.clock, ANSWER_TIMEOUT_MS, 'a share of a bucket', asked);
    return new Map(rows.map(({ name, taken }) => [name, taken]));
  }

  private async prune(): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.prunedMs < PRUNE_MS) return;
    this.prunedMs = nowMs;
    await this.pool.query(PRUNE, [PRUNE_MS]);
  }
}

function shareOf({ perSecond }: Lease): number {
  return Math.max(1, Math.ceil(perSecond * SHARE_S));
}

function capacityOf(perSecond: number): number {
  return Math.max(1, perSecond * BURST_S);
}

/** In the order of names, so that no two processes lock rows in a circle. */
const TAKE = `
INSERT INTO rate_buckets AS bucket (name, tokens, taken, per_second, capacity, refilled_at)
SELECT name, capacity - least(share, capacity), least(share, capacity), per_second, capacity, statement_timestamp()
  FROM unnest($1::text[], $2::float8[], $3::float8[], $4::float8[]) AS asked (name, share, per_second, capacity)
 ORDER BY name COLLATE "C"
ON CONFLICT (name) DO UPDATE SET (tokens, taken, per_second, capacity, refilled_at) = (
  SELECT held - given, given, EXCLUDED.per_second, EXCLUDED.capacity,
         greatest(bucket.refilled_at, EXCLUDED.refilled_at)
    FROM (SELECT least(EXCLUDED.capacity,
                       bucket.tokens + EXCLUDED.per_second * greatest(0,
                         extract(epoch FROM EXCLUDED.refilled_at - bucket.refilled_at)::float8)) AS held) AS now,
         LATERAL (SELECT least(EXCLUDED.taken, floor(held)) AS given) AS share)
RETURNING name, taken`;

const PRUNE = `DELETE FROM rate_buckets WHERE refilled_at < statement_timestamp() - $1 * interval '1 millisecond'`;
