import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import {
  type PspNotification,
  type NotificationReader,
  type NotificationRefusal,
} from '../psp/notification.js';
import { Reports } from '../reconciliation/reports.js';
import { RequestStorage } from '../request-storage/request-storage.js';
import { Arrivals } from './arrivals.js';
import { IncomingMetrics } from './incoming-metrics.js';
import { checkReadable, isStorable } from './readable.js';

/** By account; none for an account that is not configured, or that has no secret to check signatures by. */
export abstract class NotificationReaders {
  abstract get(account: string): NotificationReader | undefined;
}

/** Receives notifications of PSPs. */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly readers: NotificationReaders,
    private readonly arrivals: Arrivals,
    private readonly metrics: IncomingMetrics,
    private readonly clock: Clock,
    @Inject(Reports) private readonly reports: Pick<Reports, 'announce'>,
    @Inject(RequestStorage) private readonly storage: Pick<RequestStorage, 'hint'>,
  ) {}

  /** Whether there is such an account, with a secret to check signatures by. */
  takes(account: string): boolean {
    return this.readers.get(account) !== undefined;
  }

  /**
   * Checks, translates and stores one body, which may hold a batch; a job applies it later. Returns how many items
   * were accepted, including those that are known already.
   * @param account the name of the account in the PSPs file
   * @param raw the body as it came, to the byte
   * @param headers names in lower case
   * @throws Problem `not_found`, `body_malformed`, `signature_invalid` where no item was accepted
   * @throws StoreUnavailable nothing was stored, or we do not know: the PSP must send it again
   */
  async receive(
    account: string,
    raw: Buffer,
    headers: Readonly<Record<string, string | undefined>>,
  ): Promise<number> {
    const { arrivals, metrics, clock } = this;
    const reader = this.readers.get(account);
    if (!reader) throw unknownAccount();
    try {
      checkReadable(raw);
    } catch (error) {
      metrics.refused(account, 'malformed');
      throw error;
    }
    await reader.prepare?.(headers, clock.now());
    const { notices, refused: unsigned, hints = [] } = reader.read(raw, headers, clock.now());
    for (const pspReference of hints) await this.storage.hint(account, pspReference);
    const good = notices.filter(isStorable);
    const bad = notices.filter((notice) => !isStorable(notice));
    const refused = [...unsigned, ...bad.map((): NotificationRefusal => 'malformed')];
    const once = new Map<string, PspNotification>();
    for (const notice of good) if (!once.has(notice.eventId)) once.set(notice.eventId, notice);
    // Before they are stored: the PSP sends unstored items again.
    for (const { report } of once.values()) if (report) await this.reports.announce(account, report);
    const stored = once.size > 0 ? await arrivals.store(account, [...once.values()]) : new Set();
    for (const notice of good) {
      metrics.accepted(account, notice, stored.has(notice.eventId) && once.get(notice.eventId) === notice);
    }
    for (const reason of refused) metrics.refused(account, reason);
    if (good.length + hints.length === 0) throw refusal(refused);
    return good.length + hints.length;
  }
}

/** The answer for a body without an accepted item. Says what to correct, and repeats no input. */
function refusal(refused: readonly NotificationRefusal[]): Problem {
  if (refused.includes('signature_invalid')) {
    return new Problem('signature_invalid', 'The signature is not one of this account.');
  }
  if (refused.includes('signature_missing')) {
    return new Problem('signature_invalid', 'There is no signature.');
  }
  if (refused.includes('untimely')) {
    return new Problem('signature_invalid', 'The timestamp of the signature is too old, or in the future.');
  }
  if (refused.includes('other_account')) {
    return new Problem('not_found', 'This is signed, and about another account at that PSP.');
  }
  return new Problem('body_malformed', 'This is not a notification of this PSP.');
}

export function unknownAccount(): Problem {
  return new Problem('not_found', 'No PSP account with this name accepts notifications.');
}
