import type pg from 'pg';
import { type Registry } from 'prom-client';
import { registerLookedUp } from '../core/looked-up-gauge.js';
import { Problem } from '../core/problem.js';
import { HELD } from './decisions/stuck-reason.js';

/** An open route that needs a person, as operators see it. */
interface StuckRoute {
  readonly merchantId: string;
  readonly paymentId: string | null;
  readonly payoutId: string | null;
  readonly entityKey: string;
  readonly route: number;
  readonly psp: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** Since it became stuck first: a retry does not make it younger. */
  readonly stuckAt: Date;
  /** The operator who looks after it; null: nobody has said so. */
  readonly snoozedTo: string | null;
  /** Why it is stuck; null if that is not stored. */
  readonly reason: string | null;
  readonly lastOutcome: string | null;
  /** The number of its last attempt, which a statement about it names. */
  readonly lastAttempt: number;
}

/** An open route of an operation that several PSPs could carry out. */
interface OpenRoute extends Omit<StuckRoute, 'stuckAt' | 'snoozedTo'> {
  readonly openedAt: Date;
  /** null while it has a next step. */
  readonly stuckAt: Date | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const ROUTES = `SELECT r.merchant_id AS "merchantId", r.payment_id AS "paymentId", r.payout_id AS "payoutId", r.entity_key AS "entityKey", r.route,
              r.psp, r.amount, r.currency, COALESCE(r.first_stuck_at, r.stuck_at) AS "stuckAt", r.stuck_reason AS reason, a.outcome AS "lastOutcome", COALESCE(a.attempt, 0) AS "lastAttempt"`;
const FROM = `
         FROM psp_requests r
         LEFT JOIN LATERAL (SELECT outcome, attempt FROM psp_attempts a
            WHERE a.merchant_id = r.merchant_id AND a.entity_key = r.entity_key AND a.route = r.route
            ORDER BY attempt DESC LIMIT 1) a ON true`;
const LISTED = `${ROUTES}, o.name AS "snoozedTo"${FROM}
         LEFT JOIN operation_snoozes s ON s.merchant_id = r.merchant_id AND s.entity_key = r.entity_key AND s.until > now()
         LEFT JOIN operators o ON o.id = s.owner_id
        WHERE r.stuck_at IS NOT NULL`;

const OPEN_AT_SEVERAL = `${ROUTES}, r.opened_at AS "openedAt"${FROM}
         LEFT JOIN payments p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
         LEFT JOIN payouts o ON o.merchant_id = r.merchant_id AND o.id = r.payout_id
        WHERE r.verdict = 'open' AND r.operation IN ('charge', 'authorize', 'payout')
          AND jsonb_array_length(COALESCE(p.candidates, o.candidates)) > 1
        ORDER BY r.opened_at LIMIT $1`;

/** Due soon, but not at once: a process that has not read the end of the hold yet would hold them again. */
const RESUME_HELD = `
UPDATE psp_requests
   SET next_step_at = clock_timestamp() + interval '5 s', stuck_at = NULL, stuck_reason = NULL, fence = fence + 1
 WHERE stuck_at IS NOT NULL AND stuck_reason = $1`;

/** Stuck routes for operators: SQL over the partial index on stuck routes. */
export class StuckRoutes {
  constructor(private readonly pool: pg.Pool) {}

  /** The longest stuck first, at most `limit`. */
  async list(limit = 100): Promise<StuckRoute[]> {
    const { rows } = await this.pool.query<StuckRoute>(
      `${LISTED} ORDER BY COALESCE(r.first_stuck_at, r.stuck_at) LIMIT $1`,
      [limit],
    );
    return rows;
  }

  /**
   * The stuck operation of a payment or payout.
   * @throws Problem `invalid_state` if none is stuck, or several are and none is named
   */
  async of(subjectId: string, entityKey: string | null): Promise<StuckRoute> {
    const { rows } = await this.pool.query<StuckRoute>(
      `${LISTED} AND (r.payment_id::text = $1 OR r.payout_id::text = $1) AND ($2::text IS NULL OR r.entity_key = $2)
        ORDER BY r.stuck_at LIMIT 100`,
      [subjectId.toLowerCase(), entityKey],
    );
    const [only, ...others] = rows;
    if (!only) {
      // People have the merchant's reference at hand, and other commands take it.
      if (!UUID.test(subjectId)) {
        throw new Problem(
          'validation_failed',
          `${subjectId} is no id of a payment or payout: npx payonce explain ${subjectId} shows it.`,
        );
      }
      throw new Problem('invalid_state', `No operation of ${subjectId} is stuck.`);
    }
    if (others.length === 0) return only;
    const names = rows.map((row) => row.entityKey).join(', ');
    throw new Problem('invalid_state', `Several operations of ${subjectId} are stuck; name one: ${names}.`);
  }

  /** Open routes of operations that several PSPs could carry out, the oldest first, at most `limit`. */
  async openAtSeveral(limit = 1_000): Promise<OpenRoute[]> {
    const { rows } = await this.pool.query<OpenRoute>(OPEN_AT_SEVERAL, [limit]);
    return rows;
  }

  /** Continues the routes that were held because commits may be lost. Returns their number. */
  async resumeHeld(): Promise<number> {
    return (await this.pool.query(RESUME_HELD, [HELD])).rowCount ?? 0;
  }

  async isStuck({ merchantId, entityKey, route }: StuckRoute): Promise<boolean> {
    const { rows } = await this.pool.query(
      'SELECT FROM psp_requests WHERE merchant_id = $1 AND entity_key = $2 AND route = $3 AND stuck_at IS NOT NULL',
      [merchantId, entityKey, route],
    );
    return rows.length > 0;
  }

  /** Figures to alert on when they are above 0, read at each scrape. */
  register(metrics: Registry): void {
    const figures = [
      {
        name: 'payonce_routes_stuck',
        help: 'Open routes that need a person (docs/runbooks/stuck-payment.md)',
        from: 'psp_requests WHERE stuck_at IS NOT NULL',
      },
      {
        name: 'payonce_orphan_effects',
        help: 'Routes that were ruled out and had an effect after all, and are not given back yet',
        from: "orphan_effects WHERE status NOT IN ('compensated', 'closed')",
      },
    ];
    for (const { name, help, from } of figures) {
      registerLookedUp(metrics, { name, help, look: async () => [{ value: await this.count(from) }] });
    }
  }

  private async count(from: string): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${from}`);
    return rows[0]!.count;
  }
}
