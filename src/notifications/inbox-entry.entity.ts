import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type NotificationItem } from '../psp/notification.js';
import { type NotificationOutcome } from '../request-storage/decisions/record-notification.js';
import { type BreakReason } from './inbox.js';

/** A translated notification of a PSP. Neither its body nor its signature. */
@Entity('webhook_inbox')
export class InboxEntry {
  /** The account at the PSP. */
  @PrimaryColumn('text')
  psp: string;

  @PrimaryColumn('text')
  eventId: string;

  @Column('text')
  type: string;

  @Column('jsonb')
  facts: NotificationItem[];

  /** The operation, where the notification names it. */
  @Column('text', { nullable: true })
  entityKey: string | null;

  @Column('timestamptz', { nullable: true })
  occurredAt: Date | null;

  @Column('timestamptz')
  receivedAt: Date;

  /** The trace id of everything stored because of it. */
  @Column('text')
  traceId: string;

  @Column('text')
  state: 'received' | 'applied' | 'ignored' | 'break';

  /** Why it is a break; null if it is none. */
  @Column('text', { nullable: true })
  reason: BreakReason | null;

  /** The result of each fact at the last try, in their order. */
  @Column('text', { array: true })
  taken: NotificationOutcome[];

  @Column('integer')
  tries: number;

  /** When it is tried again; null once it is decided. */
  @Column('timestamptz', { nullable: true })
  nextAt: Date | null;

  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;
}
