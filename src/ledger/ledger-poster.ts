import { Inject, Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { Clock } from '../core/clock.js';
import { checkpoint } from '../core/checkpoint.js';
import { post, type Subject } from './post.js';

/** Events, or routes of the sweep, that one transaction of the poster looks at. */
const BATCH = 1_000;
/** A pass ends after so long; the next one goes on where it ended. */
const PASS_MS = 5_000;
/** A lap of the sweep begins so long after the one before it began. */
const LAP_EVERY = '1 h';

/**
 * Event types that the poster skips: they move no money, or (disputes) a trigger notes them. Every other type is read:
 * a type too many costs a look-up, a type too few is posted only by the hourly sweep.
 */
const IDLE = [
  'payment.authorized',
  'payment.failed',
  'payment.requires_action',
  'payment.stuck',
  'dispute.opened',
  'dispute.won',
  'dispute.lost',
];

/** `$1` the position, `$2` the types left out, `$3` limit. Each merchant's events are the end of a range of an index. */
const NEWS = `
SELECT n.xid::text AS xid, n.merchant_id AS "merchantId",
       CASE WHEN n.subject LIKE 'refund:%' THEN 'payment-' || n.payment_id ELSE replace(n.subject, ':', '-') END AS name
  FROM merchants m CROSS JOIN LATERAL (
    SELECT e.xid, e.id, e.merchant_id, e.subject,
           CASE WHEN e.subject LIKE 'refund:%' THEN e.data ->> 'payment_id' END AS payment_id
      FROM events e
     WHERE e.merchant_id = m.id AND e.xid >= $1::xid8 AND e.xid < $4::xid8 AND e.type <> ALL ($2)
     ORDER BY e.xid, e.id LIMIT $3) n
 ORDER BY n.xid LIMIT $3`;

interface News extends Subject {
  readonly xid: string;
}

interface Position {
  readonly readBelow: string;
  readonly visibleBelow: string;
  readonly sweptMerchant: string | null;
  readonly sweptKey: string | null;
  readonly isFirstLap: boolean;
  readonly isSweepDue: boolean;
}

/**
 * Posts the results of operations to the ledger, behind the requests and exactly once.
 *
 * It reads events in the order of their transactions and stops below the oldest transaction that still runs, so that
 * none can appear behind it. Triggers note what has no event (a dispute, an orphan effect). A sweep walks all routes in
 * the order of their keys, again and again: it posts operations that are older than the ledger, and would find any that
 * the events missed. The postings and the position are one transaction under the lock of one row.
 */
@Injectable()
export class LedgerPoster {
  readonly name = 'ledger';
  readonly everyMs = 2_000;

  constructor(
    private readonly pool: Pool,
    @Inject(Clock) private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {}

  /** One pass: all that is new, and a part of the sweep. */
  async runOnce(): Promise<{ readonly posted: number }> {
    const endMs = this.clock.monotonicMs() + PASS_MS;
    let posted = 0;
    for (const step of [readNews, sweep]) {
      for (let more = true; more && this.clock.monotonicMs() < endMs;) {
        const done = await this.atomically(step);
        posted += done.posted;
        more = done.more;
      }
    }
    return { posted };
  }

  private async atomically(step: typeof readNews): ReturnType<typeof readNews> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM ledger_position FOR UPDATE');
      // By a statement of its own: its snapshot is younger than the pass that held the lock before.
      const { rows } = await client.query<Position>(`
        SELECT read_below::text AS "readBelow", pg_snapshot_xmin(pg_current_snapshot())::text AS "visibleBelow",
               swept_merchant AS "sweptMerchant", swept_key AS "sweptKey",
               laps = 0 AS "isFirstLap",
               laps = 0 OR swept_key IS NOT NULL OR lap_started_at < clock_timestamp() - interval '${LAP_EVERY}'
                 AS "isSweepDue"
          FROM ledger_position`);
      const done = await step(client, rows[0]!);
      await checkpoint('ledger:before:commit');
      await client.query('COMMIT');
      await checkpoint('ledger:after:commit');
      return done;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  }
}

async function readNews(
  client: PoolClient,
  { readBelow, visibleBelow }: Position,
): Promise<{ posted: number; more: boolean }> {
  // A database that was dumped and restored counts its transactions from the beginning again.
  const from = BigInt(readBelow) > BigInt(visibleBelow) ? '0' : readBelow;
  const read = async (below: string, limit: number | null) =>
    (await client.query<News>(NEWS, [from, IDLE, limit, below])).rows;
  let news = await read(visibleBelow, BATCH + 1);
  let below = visibleBelow;
  if (news.length > BATCH) {
    // Whole transactions: the last one may have more.
    const last = news.at(-1)!.xid;
    below = news[0]!.xid === last ? String(BigInt(last) + 1n) : last;
    news = below === last ? news.filter(({ xid }) => xid !== last) : await read(below, null);
  }
  const due = await client.query<{ merchantId: string; name: string }>(
    `DELETE FROM ledger_due WHERE (merchant_id, payment_id, id) IN (
       SELECT merchant_id, payment_id, id FROM ledger_due LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
     RETURNING merchant_id AS "merchantId", 'payment-' || payment_id AS name`,
  );
  const posted = await post(client, [...news, ...due.rows]);
  await client.query('UPDATE ledger_position SET read_below = $1, read_at = clock_timestamp()', [below]);
  return { posted, more: below !== visibleBelow || due.rows.length === BATCH };
}

async function sweep(
  client: PoolClient,
  { sweptMerchant, sweptKey, isFirstLap, isSweepDue }: Position,
): Promise<{ posted: number; more: boolean }> {
  if (!isSweepDue) return { posted: 0, more: false };
  const { rows } = await client.query<{ merchantId: string; entityKey: string }>(
    `SELECT merchant_id AS "merchantId", entity_key AS "entityKey" FROM psp_requests
      WHERE $1::uuid IS NULL OR (merchant_id, entity_key) > ($1, $2)
      ORDER BY merchant_id, entity_key LIMIT ${BATCH}`,
    [sweptMerchant, sweptKey],
  );
  const names = /^(?:payment|payout)-[0-9a-f-]{36}/;
  const subjects = rows.flatMap(({ merchantId, entityKey }) => {
    const name = names.exec(entityKey)?.[0];
    return name === undefined ? [] : [{ merchantId, name }];
  });
  const posted = await post(client, subjects);
  const last = rows.length < BATCH ? undefined : rows.at(-1);
  await client.query(
    `UPDATE ledger_position
        SET swept_merchant = $1, swept_key = $2, laps = laps + CASE WHEN $3 THEN 1 ELSE 0 END,
            lap_started_at = CASE WHEN $4 THEN clock_timestamp() ELSE lap_started_at END`,
    [last?.merchantId ?? null, last?.entityKey ?? null, last === undefined, sweptKey === null],
  );
  // After the first lap it takes its time: a batch in a pass.
  return { posted, more: isFirstLap && last !== undefined };
}
