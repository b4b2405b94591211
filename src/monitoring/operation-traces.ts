import { LRUCache } from 'lru-cache';
import { type Pool } from 'pg';
import { type Change } from '../core/change.js';
import { type Clock } from '../core/clock.js';
import { type Tracing } from '../core/tracing.js';
import { pspRequests } from '../request-storage/route.table.js';

const MAX_KNOWN = 20_000;
/** Traces of this time are written together; a delivery in another process should find them. */
const GATHERED_MS = 20;
/** The time in which a client may still ask, a PSP notify or a merchant get an event. */
const KEPT = '30 days';
const PRUNE_EVERY = 5_000;

/**
 * The trace in which each payment and payout was opened. Written behind the request, and only while it is traced;
 * one that is lost with its process costs a longer trace and nothing else.
 */
export class OperationTraces {
  private readonly known = new LRUCache<string, string>({ max: MAX_KNOWN });
  private readonly gathered = new Map<string, string>();
  private written = PRUNE_EVERY;

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly tracing: Tracing,
    private readonly clock: Clock,
  ) {}

  /** A listener of commits. Never throws. */
  committed(changes: readonly Change[]): void {
    const traceparent = this.tracing.traceparent();
    if (traceparent === null) return;
    for (const change of changes) {
      if (change.op !== 'insert' || change.table !== pspRequests) continue;
      const { paymentId, payoutId } = change.row as { paymentId: string | null; payoutId: string | null };
      const subject = paymentId ?? payoutId;
      if (subject !== null && !this.known.has(subject)) this.keep(subject, traceparent);
    }
  }

  async find(subject: string): Promise<string | null> {
    const known = this.known.get(subject);
    if (known !== undefined) return known;
    try {
      const { rows } = await this.pool.query<{ traceparent: string }>(
        'SELECT traceparent FROM operation_traces WHERE subject = $1',
        [subject],
      );
      if (rows[0]) this.known.set(subject, rows[0].traceparent);
      return rows[0]?.traceparent ?? null;
    } catch {
      return null;
    }
  }

  private keep(subject: string, traceparent: string): void {
    this.known.set(subject, traceparent);
    if (this.gathered.size === 0) this.clock.timer(GATHERED_MS, () => this.write());
    this.gathered.set(subject, traceparent);
  }

  private write(): void {
    const values = [[...this.gathered.keys()], [...this.gathered.values()]];
    this.written += this.gathered.size;
    this.gathered.clear();
    this.pool
      .query(
        `INSERT INTO operation_traces (subject, traceparent)
         SELECT * FROM unnest($1::uuid[], $2::text[]) ON CONFLICT DO NOTHING`,
        values,
      )
      .catch(() => {});
    if (this.written < PRUNE_EVERY) return;
    this.written = 0;
    this.pool
      .query(`DELETE FROM operation_traces WHERE at < statement_timestamp() - interval '${KEPT}'`)
      .catch(() => {});
  }
}
