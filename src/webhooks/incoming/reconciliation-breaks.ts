import type pg from 'pg';
import { type Registry } from 'prom-client';
import { type Clock } from '../../core/clock.js';
import { registerLookedUp } from '../../monitoring/looked-up-gauge.js';
import { Problem } from '../../core/problem.js';
import { redact } from '../../core/redact.js';
import { type NotificationItem } from '../../psp/notification.js';
import { type BreakReason } from './inbox.js';

/** Where what a PSP says and what our books say differ, and only a person can tell who is right. */
export interface ReconciliationBreak {
  readonly psp: string;
  readonly eventId: string;
  readonly type: string;
  readonly reason: BreakReason;
  /** The operation, where the notification names it. */
  readonly entityKey: string | null;
  readonly facts: readonly NotificationItem[];
  /** What became of each fact. */
  readonly taken: readonly string[];
  readonly traceId: string;
  readonly occurredAt: Date | null;
  readonly receivedAt: Date;
  /** Since when it is a break. */
  readonly decidedAt: Date;
  readonly resolvedAt: Date | null;
  readonly resolution: string | null;
}

export interface BreakFigures {
  readonly byReason: Readonly<Record<BreakReason, number>>;
  /** How long the oldest has been waiting; 0 where there is none. */
  readonly oldestS: number;
}

/** Whose audit records are those of the installation itself: it is not known which merchant's money a break is about. */
const NO_MERCHANT = '00000000-0000-0000-0000-000000000000';
const MAX_NOTE_LENGTH = 500;

const COLUMNS = `psp, event_id AS "eventId", type, reason, entity_key AS "entityKey", facts, taken,
  trace_id AS "traceId", occurred_at AS "occurredAt", received_at AS "receivedAt", decided_at AS "decidedAt",
  resolved_at AS "resolvedAt", resolution`;

/** Breaks for people: hand-written SQL over the partial index on those that are not resolved. */
export class ReconciliationBreaks {
  constructor(
    private readonly pool: pg.Pool,
    private readonly clock: Clock,
  ) {}

  /** Those that wait for a person, the oldest first, at most `limit`. */
  async list(limit = 100): Promise<ReconciliationBreak[]> {
    const { rows } = await this.pool.query<ReconciliationBreak>(
      `SELECT ${COLUMNS} FROM webhook_inbox
        WHERE state = 'break' AND resolved_at IS NULL ORDER BY decided_at, psp, event_id LIMIT $1`,
      [limit],
    );
    return rows;
  }

  async figures(): Promise<BreakFigures> {
    const { rows } = await this.pool.query<{ reason: BreakReason; count: number; oldest: Date }>(
      `SELECT reason, count(*)::int AS count, min(decided_at) AS oldest FROM webhook_inbox
        WHERE state = 'break' AND resolved_at IS NULL GROUP BY reason`,
    );
    const countOf = (reason: BreakReason) => rows.find((row) => row.reason === reason)?.count ?? 0;
    const now = this.clock.now().getTime();
    return {
      byReason: {
        operation_unknown: countOf('operation_unknown'),
        contradiction: countOf('contradiction'),
      },
      oldestS: Math.max(0, ...rows.map(({ oldest }) => (now - oldest.getTime()) / 1_000)),
    };
  }

  /**
   * Writes down what a person found out; the note and who made it are one commit. It changes no payment.
   * @param note 1 to 500 characters; no secrets, no customer data
   * @throws Problem `not_found` where none of this name waits, `validation_failed` for the note
   */
  async resolve(
    psp: string,
    eventId: string,
    note: string,
    by: { readonly actor: string; readonly auditId: string },
  ): Promise<ReconciliationBreak> {
    const resolution = redact(note.trim());
    if (
      resolution.length < 1 ||
      resolution.length > MAX_NOTE_LENGTH ||
      /\0|\p{Surrogate}/u.test(resolution)
    ) {
      throw new Problem('validation_failed', `The note must be 1 to ${MAX_NOTE_LENGTH} characters of text.`);
    }
    const { rows } = await this.pool.query<ReconciliationBreak>(
      `WITH resolved AS (
         UPDATE webhook_inbox SET resolved_at = $3, resolution = $4
          WHERE psp = $1 AND event_id = $2 AND state = 'break' AND resolved_at IS NULL
          RETURNING *
       ), recorded AS (
         INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)
         SELECT $5, $6, $3, $7, 'break.resolved', coalesce(entity_key, 'notice:' || trace_id),
                jsonb_build_object('psp', psp, 'event_id', event_id, 'reason', reason, 'note', resolution)
           FROM resolved
       )
       SELECT ${COLUMNS} FROM resolved`,
      [psp, eventId, this.clock.now(), resolution, NO_MERCHANT, by.auditId, by.actor],
    );
    if (!rows[0]) throw new Problem('not_found', 'No break of this name waits for a person.');
    return rows[0];
  }

  /** Figures to alert on when they are above 0, looked up when the metrics are read. */
  register(metrics: Registry): void {
    registerLookedUp(metrics, {
      name: 'payonce_breaks',
      help: 'Notifications that contradict our books, or speak of nothing in them (docs/runbooks/break.md)',
      labels: ['reason'],
      look: async () =>
        Object.entries((await this.figures()).byReason).map(([reason, value]) => ({
          value,
          labels: { reason },
        })),
    });
    registerLookedUp(metrics, {
      name: 'payonce_breaks_oldest_seconds',
      help: 'How long the oldest of them has been waiting for a person; 0 where there is none',
      look: async () => [{ value: (await this.figures()).oldestS }],
    });
  }
}
