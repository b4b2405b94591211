import { type Logger } from 'pino';
import { type Pool } from 'pg';
import { type Repository } from 'typeorm';
import { type Clock } from '../core/clock.js';
import { withTimeout } from '../core/time-limit.js';
import { type PeriodicTask } from '../jobs/periodic-task-leases.js';
import { alertDue, alertKinds, type Waiting } from './alert-rules.js';
import { messageOf } from './alert-message.js';
import { type AlertTold } from './alert-told.entity.js';
import { type AlertSettings, type Channel } from './alerts-file.js';
import { sendAlert } from './send-alert.js';

/** A channel has so long for one alert. */
const MOST_MS = 15_000;

/**
 * The `late_reports` are reports that did not come within a day after they were due, and refused ones, until another report of
 * the same time is imported. A snoozed operation has an owner, who needs no alert. An operation that a retry leaves stuck keeps
 * the time at which it first became stuck, and so is no news.
 */
const WAITING = `
WITH each (kind, currency, amount, since) AS (
  SELECT 'stuck', currency, amount, coalesce(first_stuck_at, stuck_at) FROM psp_requests r WHERE stuck_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM operation_snoozes s
     WHERE s.merchant_id = r.merchant_id AND s.entity_key = r.entity_key AND s.until > now())
  UNION ALL SELECT 'orphans', currency, amount, found_at
    FROM orphan_effects WHERE status IN ('open', 'failed')
  UNION ALL SELECT 'breaks', currency, abs(reported - expected), opened_at
    FROM reconciliation_breaks WHERE closed_at IS NULL
  UNION ALL SELECT 'disputes', currency, (d ->> 'amount')::bigint, (d ->> 'openedAt')::timestamptz
    FROM payments p CROSS JOIN LATERAL jsonb_array_elements(p.disputes) d
   WHERE p.disputes IS NOT NULL AND d ->> 'status' = 'open'
  UNION ALL SELECT 'disputes_due', currency, (d ->> 'amount')::bigint, (d ->> 'respondBy')::timestamptz - interval '3 days'
    FROM payments p CROSS JOIN LATERAL jsonb_array_elements(p.disputes) d
   WHERE p.disputes IS NOT NULL AND d ->> 'status' = 'open'
     AND (d ->> 'respondBy')::timestamptz - interval '3 days' < now()
  UNION ALL SELECT 'approvals', NULL, NULL, requested_at
    FROM approvals WHERE decision IS NULL AND expires_at > now()
  UNION ALL SELECT 'late_reports', NULL, NULL, due_at
    FROM report_fetches f
   WHERE (state = 'refused' OR (state = 'due' AND due_at < now() - interval '1 day')) AND NOT EXISTS (
     SELECT FROM reconciliation_runs r
      WHERE r.psp = f.psp AND r.imported_at > f.due_at AND r.period_to >= coalesce(f.period_to, f.due_at - interval '7 days')))
SELECT kind, sum(count)::int AS count, min(oldest) AS "oldestAt", max(newest) AS "newestAt",
       coalesce(json_agg(json_build_object('currency', currency, 'amount', amount) ORDER BY count DESC, currency)
                FILTER (WHERE amount > 0 AND currency IS NOT NULL), '[]') AS money
  FROM (SELECT kind, currency, count(*), sum(amount) AS amount, min(since) AS oldest, max(since) AS newest
          FROM each GROUP BY kind, currency) sums
 GROUP BY kind`;

/**
 * Tells people of what waits for them, by the channels of the alerts file. An alert is written down once its channel has
 * taken it: after a crash in between it comes twice rather than never.
 */
export class Alerts implements PeriodicTask {
  readonly name = 'alerts';
  readonly everyMs = 15_000;

  constructor(
    private readonly settings: AlertSettings,
    private readonly pool: Pool,
    private readonly told: Repository<AlertTold>,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** @throws where a channel did not take an alert; the others have theirs */
  async runOnce(): Promise<{ readonly sent: number }> {
    const { rows } = await this.pool.query<Waiting>(WAITING);
    const before = await this.told.find();
    const none = { count: 0, oldestAt: null, newestAt: null, money: [] };
    const waiting = alertKinds.map((kind) => rows.find((row) => row.kind === kind) ?? { kind, ...none });
    const told = await Promise.all(
      this.settings.channels.map((channel) => this.tellAll(channel, waiting, before)),
    );
    const refused = told.flatMap(({ refusedBy }) => refusedBy ?? []);
    if (refused.length > 0) throw new Error(`no alert was taken by ${refused.join(', ')}`);
    return { sent: told.reduce((sum, { sent }) => sum + sent, 0) };
  }

  /** One after the other; what follows an alert that is not taken waits for the next pass. */
  private async tellAll(
    channel: Channel,
    waiting: readonly Waiting[],
    before: readonly AlertTold[],
  ): Promise<{ readonly sent: number; readonly refusedBy?: string }> {
    let sent = 0;
    try {
      for (const list of waiting) {
        if (channel.kinds?.includes(list.kind) === false) continue;
        const told = before.find((row) => row.channel === channel.name && row.kind === list.kind) ?? null;
        if (await this.tell(channel, list, told)) sent += 1;
      }
      return { sent };
    } catch (error) {
      this.logger.warn({ channel: channel.name, reason: (error as Error).message }, 'an alert was not taken');
      return { sent, refusedBy: channel.name };
    }
  }

  private async tell(channel: Channel, waiting: Waiting, told: AlertTold | null): Promise<boolean> {
    const now = this.clock.now();
    const event = alertDue(waiting, told, now);
    const { kind, count, newestAt } = waiting;
    const of = { channel: channel.name, kind };
    if (event === null) {
      // Fewer wait than were told of: the next one more is news.
      if (told !== null && count < told.count) await this.told.update(of, { count });
      return false;
    }
    const sending = sendAlert(channel, messageOf(event, waiting, this.settings.consoleUrl));
    await withTimeout(this.clock, MOST_MS, 'the channel', sending);
    await this.told.upsert({ ...of, count, newestAt, toldAt: now }, ['channel', 'kind']);
    return true;
  }
}
