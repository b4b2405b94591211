import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { isFailure } from '../psp/breaker.js';
import { type Outcome } from '../psp/contract.js';
import { type AnsweredCall } from './decisions/attempt.js';
import { BACK_WITHIN_MS } from './decisions/schedule.js';
import { type Operated } from './route-worker.js';

/** One open route of an account is asked about so often, in the first hour, to learn whether the PSP is back. */
const PROBE_EVERY = "interval '20 seconds'";

/** Signs of life of one account lead to a statement of this process so often at most. */
const ANNOUNCE_EVERY_MS = 5_000;

/** The statement announces a return once a minute at most: a PSP that comes and goes makes its routes due no more often. */
const ANNOUNCE = `
WITH back AS (
  INSERT INTO psp_returns AS r (psp, back_at) VALUES ($1, statement_timestamp())
  ON CONFLICT (psp) DO UPDATE SET back_at = excluded.back_at
   WHERE r.back_at IS NULL OR r.back_at < excluded.back_at - $2 * interval '1 ms'
  RETURNING back_at
), due AS (
  UPDATE psp_requests SET next_step_at = statement_timestamp() + random() * $2 * interval '1 ms'
   WHERE psp = $1 AND verdict = 'open' AND leased_by IS NULL
     AND next_step_at > statement_timestamp() + $2 * interval '1 ms' AND EXISTS (SELECT FROM back))
SELECT back_at AS "backAt" FROM back`;

/** One route of each account of which the last call failed: that which would wait for longest, of so many that wait. */
const CLAIM = `
WITH waiting AS (
  SELECT DISTINCT ON (a.psp) r.*
    FROM unnest($1::text[]) AS a (psp)
   CROSS JOIN LATERAL (
     SELECT psp, merchant_id, entity_key, route, payment_id, payout_id, next_step_at FROM psp_requests
      WHERE psp = a.psp AND verdict = 'open' AND leased_by IS NULL
        -- Nothing waits for longer in its first hour, so what is older and waits for days is not read.
        AND next_step_at BETWEEN statement_timestamp() + interval '5 seconds' AND statement_timestamp() + interval '1 hour'
        AND opened_at > statement_timestamp() - interval '1 hour'
      ORDER BY next_step_at DESC LIMIT 50) r
   CROSS JOIN LATERAL (
     SELECT outcome, coalesce(ended_at, started_at) AS at FROM psp_attempts t
      WHERE t.merchant_id = r.merchant_id AND t.entity_key = r.entity_key AND t.route = r.route AND t.kind <> 'notice'
      ORDER BY attempt DESC LIMIT 1) last
   WHERE (last.outcome IS NULL OR last.outcome IN ('unknown', 'not_sent'))
     AND last.at < statement_timestamp() - ${PROBE_EVERY}
   ORDER BY a.psp, r.next_step_at DESC
), claimed AS (
  INSERT INTO psp_returns AS r (psp, probed_at) SELECT psp, statement_timestamp() FROM waiting
  ON CONFLICT (psp) DO UPDATE SET probed_at = excluded.probed_at
   WHERE r.probed_at IS NULL OR r.probed_at < excluded.probed_at - ${PROBE_EVERY}
  RETURNING psp)
SELECT merchant_id AS "merchantId", payment_id AS "paymentId", payout_id AS "payoutId", entity_key AS "entityKey", psp
  FROM waiting JOIN claimed USING (psp)`;

/** An open route by which is found out whether its PSP is back. */
interface Probe extends Operated {
  readonly psp: string;
}

/**
 * The PSP accounts that are back after failures. The first sign of life makes the open routes of the account due, spread
 * over a minute, so that nobody waits for the next round of a schedule that grew while the PSP was away.
 */
@Injectable()
export class PspReturns {
  private readonly failing = new Set<string>();
  private readonly returns = new Map<string, Date>();
  /** The time of the last statement about each account, in monotonic ms. */
  private readonly announcedMs = new Map<string, number>();

  constructor(
    @Inject(Pool) private readonly pool: Pick<Pool, 'query'>,
    @Inject(Clock) private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {}

  /** The last return that this process has read; null where the account never came back. */
  backAt(psp: string): Date | null {
    return this.returns.get(psp) ?? null;
  }

  /** Another process may have stored this. */
  learn(psp: string, backAt: Date): void {
    this.returns.set(psp, backAt);
  }

  /** Called with every answered call. Never throws. */
  heard({ call, answer }: AnsweredCall): void {
    const { psp } = call.request;
    if (isFailure(answer)) this.failing.add(psp);
    if (!this.failing.has(psp) || !isSignOfLife(answer)) return;
    const now = this.clock.monotonicMs();
    if (now - (this.announcedMs.get(psp) ?? -Infinity) < ANNOUNCE_EVERY_MS) return;
    this.announcedMs.set(psp, now);
    // If the store is away, a later sign of life announces it.
    this.announce(psp).catch(() => {});
  }

  /** The account has answered. */
  async announce(psp: string): Promise<void> {
    const { rows } = await this.pool.query<{ backAt: Date }>(ANNOUNCE, [psp, BACK_WITHIN_MS]);
    if (!rows[0]) return;
    this.failing.delete(psp);
    this.learn(psp, rows[0].backAt);
  }

  /** Returns one route at most of each of these accounts, for this process to ask about now. */
  async claimProbes(psps: readonly string[]): Promise<readonly Probe[]> {
    return (await this.pool.query<Probe>(CLAIM, [psps])).rows;
  }
}

/** The PSP answered. What says nothing of its health is neither this nor a failure. */
export function isSignOfLife({ outcome }: { readonly outcome: Outcome | null }): boolean {
  return outcome !== null && outcome !== 'unknown' && outcome !== 'not_sent' && outcome !== 'throttled';
}
