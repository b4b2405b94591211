import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type DisabledReason } from './delivery-records.js';

/** An address that a merchant's events are sent to. */
@Entity('webhook_endpoints')
export class WebhookEndpoint {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  url: string;

  @Column('text', { nullable: true })
  description: string | null;

  /** null: every type. */
  @Column('text', { array: true, nullable: true })
  eventTypes: string[] | null;

  /** 1 to 16, its own among those of the merchant that are enabled; null while it is disabled. */
  @Column('smallint', { nullable: true })
  slot: number | null;

  @Column('text', { nullable: true })
  disabledReason: DisabledReason | null;

  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  /** Encrypted, bound to the row. */
  @Column('bytea')
  secret: Uint8Array;

  @Column('bytea', { nullable: true })
  previousSecret: Uint8Array | null;

  @Column('timestamptz', { nullable: true })
  previousSecretUntil: Date | null;

  /** Since when every try has failed; null where the last one did not. */
  @Column('timestamptz', { nullable: true })
  failingSince: Date | null;

  /** The last try failed or was slow: its deliveries wait in the slow lane. */
  @Column('boolean')
  apart: boolean;

  /** It asked for a pause. */
  @Column('timestamptz', { nullable: true })
  pausedUntil: Date | null;

  /** When a worker checks for due deliveries; null if none are pending. */
  @Column('timestamptz', { nullable: true })
  wakeAt: Date | null;

  /** The run that delivers to it now, and until when, by the database's clock. */
  @Column('uuid', { nullable: true })
  leasedBy: string | null;

  @Column('timestamptz', { nullable: true })
  leasedUntil: Date | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}
