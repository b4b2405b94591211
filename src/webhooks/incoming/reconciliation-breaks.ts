import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type Registry } from 'prom-client';
import { IsNull, Repository } from 'typeorm';
import { Clock } from '../../core/clock.js';
import { registerLookedUp } from '../../monitoring/looked-up-gauge.js';
import { recordAct } from '../../database/record-act.js';
import { Problem } from '../../core/problem.js';
import { redact } from '../../core/redact.js';
import { InboxEntry } from './inbox-entry.entity.js';
import { type BreakReason } from './inbox.js';

/** Where what a PSP says and what our books say differ, and only a person can tell who is right. */
export type ReconciliationBreak = InboxEntry & {
  readonly reason: BreakReason;
  /** Since when it is a break. */
  readonly decidedAt: Date;
};

export interface BreakFigures {
  readonly byReason: Readonly<Record<BreakReason, number>>;
  /** How long the oldest has been waiting; 0 where there is none. */
  readonly oldestS: number;
}

/** Whose audit records are those of the installation itself: it is not known which merchant's money a break is about. */
const NO_MERCHANT = '00000000-0000-0000-0000-000000000000';
const MAX_NOTE_LENGTH = 500;
const WAITS = { state: 'break', resolvedAt: IsNull() } as const;

/** Breaks for people, over the partial index on those that are not resolved. */
@Injectable()
export class ReconciliationBreaks {
  constructor(
    @InjectRepository(InboxEntry) private readonly inbox: Repository<InboxEntry>,
    private readonly clock: Clock,
  ) {}

  /** Those that wait for a person, the oldest first, at most `limit`. */
  async list(limit = 100): Promise<ReconciliationBreak[]> {
    const order = { decidedAt: 'ASC', psp: 'ASC', eventId: 'ASC' } as const;
    return (await this.inbox.find({ where: WAITS, order, take: limit })) as ReconciliationBreak[];
  }

  async figures(): Promise<BreakFigures> {
    const rows = await this.inbox.query<{ reason: BreakReason; count: number; oldest: Date }[]>(
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
    return this.inbox.manager.transaction(async (tx) => {
      const found = await tx.findOne(InboxEntry, {
        where: { psp, eventId, ...WAITS },
        lock: { mode: 'pessimistic_write' },
      });
      if (!found) throw new Problem('not_found', 'No break of this name waits for a person.');
      const at = this.clock.now();
      const set = { resolvedAt: at, resolution };
      await tx.update(InboxEntry, { psp, eventId }, set);
      const { reason, entityKey, traceId } = found;
      await recordAct(tx, {
        merchantId: NO_MERCHANT,
        id: by.auditId,
        at,
        actor: by.actor,
        action: 'break.resolved',
        subject: entityKey ?? `notice:${traceId}`,
        detail: { psp, event_id: eventId, reason, note: resolution },
      });
      return { ...(found as ReconciliationBreak), ...set };
    });
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
