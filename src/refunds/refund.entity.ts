import { type Failure } from '../core/failure.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type RefundStatus } from './refund.lifecycle.js';

@Entity('refunds')
export class Refund {
  @PrimaryColumn('uuid')
  merchantId: string;

  /** `payment-<id>-refund` or `payment-<id>-refund-<reference>`: there is one refund of this name. */
  @PrimaryColumn('text')
  entityKey: string;

  @Column('uuid')
  id: string;

  @Column('uuid')
  paymentId: string;

  /** The merchant's name for it among the refunds of the payment; null for the only one. */
  @Column('text', { nullable: true })
  reference: string | null;

  @Column('text')
  status: RefundStatus;

  /** Minor units. */
  @Column('bigint')
  amount: number;

  @Column('text')
  currency: string;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('jsonb')
  metadata: Record<string, string>;

  /** The PSP that took the payment; null until it is known which. */
  @Column('text', { nullable: true })
  psp: string | null;

  @Column('text', { nullable: true })
  pspReference: string | null;

  @Column('jsonb', { nullable: true })
  failure: Failure | null;

  /** Its merchant is a test mode: no money of it is real. Inserts leave it out otherwise. Answers and events are made of this row alone. */
  @Column('boolean', { name: 'test', nullable: true })
  isTest?: boolean | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}
