import { Inject, Injectable } from '@nestjs/common';
import { type Registry } from 'prom-client';
import { DataSource, type EntityManager } from 'typeorm';
import { NO_MERCHANT } from '../core/ids.js';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { redact } from '../core/redact.js';
import { recordAct } from '../database/record-act.js';
import { sqlState, sqlStateOf } from '../database/sql-state.js';
import { registerLookedUp } from '../core/looked-up-gauge.js';
import { type NotificationItem } from '../psp/notification.js';
import { type NotificationOutcome } from '../request-storage/decisions/record-notification.js';

/** A difference between a PSP's words and our books: in a line of a report, or in a notification. */
export interface ReconciliationBreak {
  readonly psp: string;
  readonly id: string;
  readonly category: string;
  /** The report, and the line of it; null where a notification found it. */
  readonly runId: string | null;
  readonly line: number | null;
  readonly merchantId: string | null;
  readonly entityKey: string | null;
  readonly pspReference: string | null;
  readonly currency: string | null;
  /** Signed minor units: what the ledger has, and what the PSP says. */
  readonly expected: number | null;
  readonly reported: number | null;
  readonly occurredAt: Date;
  readonly openedAt: Date;
  readonly owner: string | null;
  readonly closedAt: Date | null;
  readonly closedBy: string | null;
  readonly resolution: string | null;
  readonly notification: BreakNotification | null;
}

/** The notification that a break was found by. */
export interface BreakNotification {
  readonly eventId: string;
  readonly type: string;
  readonly facts: readonly NotificationItem[];
  /** The result of each fact, in their order. */
  readonly taken: readonly NotificationOutcome[];
  readonly traceId: string;
  readonly occurredAt: string | null;
  readonly receivedAt: string;
}

export interface BreakNote {
  readonly id: string;
  readonly at: Date;
  readonly by: string;
  readonly note: string;
}

/** Who does something about a break, and the id of the audit record of it. */
export interface BreakActor {
  readonly actor: string;
  readonly auditId: string;
  readonly at: Date;
}

/** Which break: by its id, or by the notification that it was found by. */
type WhichBreak =
  { readonly psp?: string; readonly id: string } | { readonly psp: string; readonly eventId: string };

const MAX_NOTE_LENGTH = 500;
const MAX_OWNER_LENGTH = 100;
const OF_NOTIFICATIONS = ['operation_unknown', 'contradiction'] as const;

const LISTED = `
SELECT b.psp, b.id, b.category, b.run_id AS "runId", l.line, b.merchant_id AS "merchantId", b.entity_key AS "entityKey",
       b.psp_reference AS "pspReference", b.currency, b.expected, b.reported, b.occurred_at AS "occurredAt",
       b.opened_at AS "openedAt", b.owner, b.closed_at AS "closedAt", b.closed_by AS "closedBy", b.resolution,
       CASE WHEN i.event_id IS NOT NULL THEN jsonb_build_object('eventId', i.event_id, 'type', i.type, 'facts', i.facts,
         'taken', i.taken, 'traceId', i.trace_id, 'occurredAt', i.occurred_at, 'receivedAt', i.received_at) END AS notification
  FROM reconciliation_breaks b
  LEFT JOIN report_lines l ON l.psp = b.psp AND l.key = b.line_key
  LEFT JOIN webhook_inbox i ON i.psp = b.psp AND i.event_id = b.event_id`;

/** All breaks, for people: those of reports and of notifications in one list. */
@Injectable()
export class Breaks {
  constructor(
    private readonly data: DataSource,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Those that are open, the oldest first. */
  list(limit = 100): Promise<ReconciliationBreak[]> {
    const sql = `${LISTED} WHERE b.closed_at IS NULL ORDER BY b.opened_at, b.psp, b.id LIMIT $1`;
    return this.data.query(sql, [limit]);
  }

  /** Those that are closed, the latest first. */
  closed(limit = 100): Promise<ReconciliationBreak[]> {
    const sql = `${LISTED} WHERE b.closed_at IS NOT NULL ORDER BY b.closed_at DESC, b.psp, b.id LIMIT $1`;
    return this.data.query(sql, [limit]);
  }

  /** All of a run, closed ones too, in the order of the lines. */
  ofRun(runId: string, limit = 10_000): Promise<ReconciliationBreak[]> {
    const sql = `${LISTED} WHERE b.run_id = $1 ORDER BY l.line NULLS LAST, b.id LIMIT $2`;
    return this.data.query(sql, [runId, limit]);
  }

  /** An open or a closed one, and what was noted about it, the oldest first. @throws Problem `not_found` */
  async show(
    which: WhichBreak,
  ): Promise<{ readonly found: ReconciliationBreak; readonly notes: readonly BreakNote[] }> {
    const found = await find(this.data.manager, which, null);
    return { found, notes: await this.notesOf(found) };
  }

  notesOf({ psp, id }: Pick<ReconciliationBreak, 'psp' | 'id'>): Promise<BreakNote[]> {
    return this.data.query(
      'SELECT id, at, by, note FROM break_notes WHERE psp = $1 AND break_id = $2 ORDER BY at, id',
      [psp, id],
    );
  }

  /** Says who looks after it; null: no one. @throws Problem `not_found`, `validation_failed` */
  async assign(which: WhichBreak, owner: string | null, by: BreakActor): Promise<ReconciliationBreak> {
    if (
      owner !== null &&
      (owner.length < 1 || owner.length > MAX_OWNER_LENGTH || /\0|\p{Surrogate}/u.test(owner))
    ) {
      throw new Problem(
        'validation_failed',
        `The owner must be 1 to ${MAX_OWNER_LENGTH} characters of text.`,
      );
    }
    return this.act(which, by, 'break.assigned', { owner }, async (tx, found) => {
      await tx.query('UPDATE reconciliation_breaks SET owner = $3 WHERE psp = $1 AND id = $2', [
        found.psp,
        found.id,
        owner,
      ]);
      return { ...found, owner };
    });
  }

  /** Writes down what a person found out so far. @throws Problem `not_found`, `validation_failed` */
  async note(which: WhichBreak, text: string, by: BreakActor): Promise<ReconciliationBreak> {
    const note = noteOf(text);
    return this.act(which, by, 'break.noted', { note }, async (tx, found) => {
      await noteDown(tx, found, note, by);
      return found;
    });
  }

  /**
   * Writes down what a person found out in the end; the note and who made it are one commit. It changes no payment.
   * @param text 1 to 500 characters; no secrets, no customer data
   * @throws Problem `not_found` where no open break has this name, `validation_failed` for the note
   */
  async close(which: WhichBreak, text: string, by: BreakActor): Promise<ReconciliationBreak> {
    const note = noteOf(text);
    return this.act(which, by, 'break.resolved', { note }, async (tx, found) => {
      await tx.query(
        'UPDATE reconciliation_breaks SET closed_at = $3, closed_by = $4, resolution = $5 WHERE psp = $1 AND id = $2',
        [found.psp, found.id, by.at, by.actor, note],
      );
      return { ...found, closedAt: by.at, closedBy: by.actor, resolution: note };
    });
  }

  /**
   * Opens one again that was closed too early, with a note that says why. Where the reason for which
   * it was closed by itself still holds, the next look closes it again.
   * @throws Problem `not_found` where no closed break has this name, `invalid_state` where another is open about the same
   */
  async reopen(which: WhichBreak, text: string, by: BreakActor): Promise<ReconciliationBreak> {
    const note = noteOf(text);
    const changed = this.act(
      which,
      by,
      'break.reopened',
      { note },
      async (tx, found) => {
        await tx.query(
          'UPDATE reconciliation_breaks SET closed_at = NULL, closed_by = NULL, resolution = NULL WHERE psp = $1 AND id = $2',
          [found.psp, found.id],
        );
        await noteDown(tx, found, note, by);
        return { ...found, closedAt: null, closedBy: null, resolution: null };
      },
      'closed',
    );
    return changed.catch((error: unknown) => {
      if (sqlStateOf(error) !== sqlState.UNIQUE_VIOLATION) throw error;
      throw new Problem('invalid_state', 'Another break about the same is open.');
    });
  }

  /** Figures to alert on, looked up when the metrics are read. */
  register(metrics: Registry): void {
    const count = `SELECT psp, category, count(*)::int AS value,
        extract(epoch FROM $1 - min(opened_at))::float8 AS "oldestS"
      FROM reconciliation_breaks WHERE closed_at IS NULL GROUP BY 1, 2`;
    const look = () =>
      this.data.query<{ psp: string; category: string; value: number; oldestS: number }[]>(count, [
        this.clock.now(),
      ]);
    registerLookedUp(metrics, {
      name: 'payonce_reconciliation_breaks',
      help: 'Breaks that are open, by what they are (docs/reconciliation.md)',
      labels: ['psp', 'category'],
      look: async () =>
        (await look()).map(({ psp, category, value }) => ({ value, labels: { psp, category } })),
    });
    registerLookedUp(metrics, {
      name: 'payonce_breaks',
      help: 'Notifications that contradict our books, or speak of nothing in them (docs/runbooks/break.md)',
      labels: ['reason'],
      look: async () => {
        const rows = await look();
        return OF_NOTIFICATIONS.map((reason) => ({
          value: rows
            .filter(({ category }) => category === reason)
            .reduce((sum, { value }) => sum + value, 0),
          labels: { reason },
        }));
      },
    });
    registerLookedUp(metrics, {
      name: 'payonce_breaks_oldest_seconds',
      help: 'How long the oldest of them has been waiting for a person; 0 where there is none',
      look: async () => {
        const rows = (await look()).filter(({ category }) =>
          OF_NOTIFICATIONS.some((each) => each === category),
        );
        return [{ value: Math.max(0, ...rows.map(({ oldestS }) => oldestS)) }];
      },
    });
  }

  /** One commit: what is done to it, and the record of who did it. */
  private act(
    which: WhichBreak,
    { actor, auditId, at }: BreakActor,
    action: string,
    said: Readonly<Record<string, string | null>>,
    change: (tx: EntityManager, found: ReconciliationBreak) => Promise<ReconciliationBreak>,
    is: 'open' | 'closed' = 'open',
  ): Promise<ReconciliationBreak> {
    return this.data.transaction(async (tx) => {
      const found = await find(tx, which, is);
      const after = await change(tx, found);
      const { psp, id, category, merchantId, entityKey, notification } = found;
      const named =
        notification === null
          ? { break_id: id, category }
          : { break_id: id, event_id: notification.eventId, reason: category };
      await recordAct(tx, {
        merchantId: merchantId ?? NO_MERCHANT,
        id: auditId,
        at,
        actor,
        action,
        subject: entityKey ?? `break:${id}`,
        detail: { psp, ...named, ...said },
      });
      return after;
    });
  }
}

async function noteDown(
  tx: EntityManager,
  { psp, id }: ReconciliationBreak,
  note: string,
  { auditId, at, actor }: BreakActor,
): Promise<void> {
  await tx.query(
    'INSERT INTO break_notes (psp, break_id, id, at, by, note) VALUES ($1, $2, $3, $4, $5, $6)',
    [psp, id, auditId, at, actor, note],
  );
}

/** Locked, where it is to be changed in the state `is`. */
async function find(
  tx: EntityManager,
  which: WhichBreak,
  is: 'open' | 'closed' | null,
): Promise<ReconciliationBreak> {
  const [condition, values] =
    'eventId' in which
      ? ['b.psp = $1 AND b.event_id = $2', [which.psp, which.eventId]]
      : ['b.id = $1::uuid AND ($2::text IS NULL OR b.psp = $2)', [uuidOf(which.id), which.psp ?? null]];
  const lock = is ? ` AND b.closed_at IS ${is === 'open' ? '' : 'NOT '}NULL FOR UPDATE OF b` : '';
  const [found] = await tx.query<ReconciliationBreak[]>(`${LISTED} WHERE ${condition}${lock}`, values);
  if (found) return found;
  throw new Problem('not_found', `No ${is === null ? '' : `${is} `}break of this name is known.`);
}

/** A text that is no id names no break. */
function uuidOf(id: string): string | null {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) ? id : null;
}

function noteOf(text: string): string {
  const note = redact(text.trim());
  if (note.length < 1 || note.length > MAX_NOTE_LENGTH || /\0|\p{Surrogate}/u.test(note)) {
    throw new Problem('validation_failed', `The note must be 1 to ${MAX_NOTE_LENGTH} characters of text.`);
  }
  return note;
}
