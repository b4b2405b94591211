import { Column, PrimaryColumn } from 'typeorm';
import { type Failure } from '../core/failure.js';

/** Columns of payments, refunds and payouts alike: money that a PSP moves for a merchant. */
export abstract class MoneyMovement {
  @PrimaryColumn('uuid')
  merchantId: string;

  /** Minor units. */
  @Column('bigint')
  amount: number;

  @Column('text')
  currency: string;

  @Column('jsonb')
  metadata: Record<string, string>;

  /** The PSP of the effective route, or of the payment that a refund gives back; null until it is known. */
  @Column('text', { nullable: true })
  psp: string | null;

  /** The id there. */
  @Column('text', { nullable: true })
  pspReference: string | null;

  /** Why the last operation did not succeed; null when it did. */
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

/** Columns of the lines of a history, which are appended and never edited. */
export abstract class Transition<Status extends string> {
  @Column('text', { nullable: true })
  fromStatus: Status | null;

  @Column('text')
  toStatus: Status;

  @Column('text')
  actor: string;

  /** The operation whose outcome caused it. */
  @Column('text')
  entityKey: string;

  @Column('timestamptz')
  at: Date;
}
