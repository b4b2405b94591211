import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Outcome } from '../../src/psp/contract.js';
import {
  type NotificationItem,
  type PspNotification,
  type NotificationReader,
  type NotificationRefusal,
} from '../../src/psp/notification.js';

/**
 * The notifications of a PSP that does not exist: a batch of items, each signed by itself and by the time
 * at which it was sent. Small, and real: it believes nothing that is not signed.
 */
export interface Item {
  readonly id: string;
  readonly type: string;
  readonly occurred_at?: string;
  /** Which operations of ours it speaks of, and what it says of them. */
  readonly about?: readonly { readonly operation: string; readonly outcome: Outcome }[];
  /** Whatever else there is in it; nobody reads it. */
  readonly noise?: unknown;
}

const TOLERANCE_MS = 300_000;

export interface Batch {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the PSP sends: one secret for each item. */
export function batchOf(items: readonly Item[], secrets: string | readonly string[], sentAt: Date): Batch {
  const sent = String(sentAt.getTime());
  const signed = items.map((item, index) => ({
    item,
    signature: sign(item, sent, typeof secrets === 'string' ? secrets : secrets[index]!),
  }));
  return { body: JSON.stringify(signed), headers: { 'x-sent': sent } };
}

function sign(item: unknown, sent: string, secret: string): string {
  return createHmac('sha256', secret)
    .update(`${sent}.${JSON.stringify(item)}`)
    .digest('hex');
}

export class HmacReader implements NotificationReader {
  constructor(private readonly secret: string) {}

  read(
    raw: Buffer,
    headers: Readonly<Record<string, string | undefined>>,
    now: Date,
  ): ReturnType<NotificationReader['read']> {
    const sent = headers['x-sent'] ?? '';
    const notices: PspNotification[] = [];
    const refused: NotificationRefusal[] = [];
    let batch: unknown;
    try {
      batch = JSON.parse(raw.toString('utf8'));
    } catch {
      return { notices, refused: ['malformed'] };
    }
    if (!Array.isArray(batch)) return { notices, refused: ['malformed'] };
    for (const each of batch as { item?: Item; signature?: unknown }[]) {
      const refusal = this.refusalOf(each, sent, now);
      if (refusal === null) notices.push(noticeOf(each.item!));
      else refused.push(refusal);
    }
    return { notices, refused };
  }

  private refusalOf(
    each: { item?: Item; signature?: unknown },
    sent: string,
    now: Date,
  ): NotificationRefusal | null {
    if (typeof each?.item !== 'object' || each.item === null) return 'malformed';
    if (typeof each.signature !== 'string') return 'signature_missing';
    const ours = Buffer.from(sign(each.item, sent, this.secret));
    const theirs = Buffer.from(each.signature);
    if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return 'signature_invalid';
    return Math.abs(now.getTime() - Number(sent)) > TOLERANCE_MS ? 'untimely' : null;
  }
}

function noticeOf({ id, type, occurred_at: at, about = [] }: Item): PspNotification {
  const facts = about.map(({ operation, outcome }): NotificationItem => ({
    entityKey: operation,
    route: 1,
    pspReference: `ref-${operation}`,
    ofPayment: null,
    parentReference: null,
    operation: 'charge',
    about: 'operation',
    cancelReference: null,
    answer: { outcome, money: { amount: 1_999, currency: 'EUR' } },
  }));
  return { eventId: id, type, occurredAt: at === undefined ? null : new Date(at), facts };
}
