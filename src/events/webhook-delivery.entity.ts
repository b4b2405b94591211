import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event on its way to an endpoint. */
@Entity('webhook_deliveries')
export class WebhookDelivery {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  eventId: string;

  @PrimaryColumn('uuid')
  endpointId: string;

  @Column('text')
  status: 'pending' | 'delivered' | 'exhausted' | 'canceled';

  /** Since the event was sent for, which it may be again. */
  @Column('integer')
  tries: number;

  /** Since ever. */
  @Column('integer')
  attempts: number;

  /** A try is under way, or its process died: then the next one is made at `nextAt`. */
  @Column('boolean')
  inFlight: boolean;

  @Column('timestamptz', { nullable: true })
  nextAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/** One request to an endpoint. What it answered is not kept but for its status. */
@Entity('webhook_delivery_attempts')
export class WebhookDeliveryAttempt {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  eventId: string;

  @PrimaryColumn('uuid')
  endpointId: string;

  /** From 1. */
  @PrimaryColumn('integer')
  attempt: number;

  @Column('timestamptz')
  startedAt: Date;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  @Column('integer', { nullable: true })
  httpStatus: number | null;

  @Column('text', { nullable: true })
  errorCode: string | null;

  @Column('integer', { nullable: true })
  latencyMs: number | null;
}
