import { type Logger } from 'pino';
import { type Pool } from 'pg';
import { type Repository } from 'typeorm';
import { type Clock } from '../core/clock.js';
import { withTimeout } from '../core/time-limit.js';
import { readWaiting } from '../database/waiting.js';
import { type PeriodicTask } from '../jobs/periodic-task-leases.js';
import { alertDue, alertKinds, type Waiting } from './alert-rules.js';
import { messageOf } from './alert-message.js';
import { type AlertTold } from './alert-told.entity.js';
import { type AlertSettings, type Channel } from './alerts-file.js';
import { sendAlert } from './send-alert.js';

/** A channel has so long for one alert. */
const MOST_MS = 15_000;

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
    const waiting = await readWaiting(this.pool, alertKinds, null);
    const before = await this.told.find();
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
        if (channel.kinds?.includes(list.list) === false) continue;
        const told = before.find((row) => row.channel === channel.name && row.kind === list.list) ?? null;
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
    const { list: kind, count, newestAt } = waiting;
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
