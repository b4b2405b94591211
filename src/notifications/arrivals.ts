import { Inject, Injectable } from '@nestjs/common';
import { traceparent } from '../core/tracing.js';
import { type JobKind } from '../jobs/job-kind.js';
import { StoreUnavailable } from '../database/store-unavailable.js';
import { type PspNotification } from '../psp/notification.js';
import { ApplyNotice } from './apply-notification.js';
import { type ApplyArgs, type Arrived, Inbox } from './inbox.js';

/** At once: one commits while the next is being written. */
const MAX_STATEMENTS = 2;
/** Notices in one statement, unless one body alone has more. */
const MAX_STATEMENT = 256;
/** The most waiting bodies; one more is refused at once, and the PSP sends it again. */
const MAX_QUEUE_LENGTH = 1_000;

interface Waiting {
  readonly notices: readonly Arrived[];
  readonly resolve: (stored: ReadonlySet<string>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes bodies that arrive together in one statement. A commit that wakes a listener (NOTIFY) is written to disk
 * by itself, one after another, so sixteen bodies at once would wait for sixteen of them. No body waits for a
 * statement to fill: a free one takes all waiting bodies.
 */
@Injectable()
export class Arrivals {
  private waiting: Waiting[] = [];
  private statements = 0;

  constructor(
    @Inject(Inbox) private readonly inbox: Pick<Inbox, 'store'>,
    @Inject(ApplyNotice) private readonly kind: JobKind<ApplyArgs>,
  ) {}

  /**
   * Stores the notices of one body, all or none, and returns the ids of those that are new.
   * @throws StoreUnavailable
   */
  store(psp: string, notices: readonly PspNotification[]): Promise<ReadonlySet<string>> {
    if (this.waiting.length >= MAX_QUEUE_LENGTH) {
      return Promise.reject(new StoreUnavailable(new Error('too many notifications wait')));
    }
    const from = traceparent();
    const of = from === null ? { psp } : { psp, traceparent: from };
    return new Promise((resolve, reject) => {
      this.waiting.push({ notices: notices.map((notice) => ({ ...notice, ...of })), resolve, reject });
      this.pump();
    });
  }

  private pump(): void {
    while (this.statements < MAX_STATEMENTS && this.waiting.length > 0) {
      const batch = this.take();
      this.statements += 1;
      void this.write(batch).finally(() => {
        this.statements -= 1;
        this.pump();
      });
    }
  }

  private take(): Waiting[] {
    let notices = 0;
    const fits = this.waiting.findIndex((each, index) => {
      notices += each.notices.length;
      return index > 0 && notices > MAX_STATEMENT;
    });
    return this.waiting.splice(0, fits === -1 ? this.waiting.length : fits);
  }

  /** Never rejects: each caller gets its own result. If one body breaks the statement, each is tried alone. */
  private async write(batch: readonly Waiting[]): Promise<void> {
    // Several bodies may contain the same item; it is new for the first of them.
    const once = new Map<string, Arrived>();
    for (const notice of batch.flatMap(({ notices }) => notices)) {
      const name = `${notice.psp} ${notice.eventId}`;
      if (!once.has(name)) once.set(name, notice);
    }
    try {
      const stored = await this.inbox.store([...once.values()], this.kind);
      for (const { notices, resolve } of batch) {
        resolve(new Set(notices.filter((notice) => stored.has(notice)).map(({ eventId }) => eventId)));
      }
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreUnavailable) {
        for (const { reject } of batch) reject(error);
      } else {
        for (const one of batch) await this.write([one]);
      }
    }
  }
}
