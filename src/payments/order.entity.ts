import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A debt that a customer pays once, with the sums of the payments that were tried for it. Amounts are in minor units. */
@Entity('orders')
export class Order {
  @PrimaryColumn('uuid')
  readonly merchantId: string;

  /** The merchant's own name for it. */
  @PrimaryColumn('text')
  readonly reference: string;

  @Column('uuid')
  readonly id: string;

  /** Raised by every write; a write based on an older version is refused. */
  @Column('integer')
  readonly version: number;

  @Column('text')
  readonly currency: string;

  /** Several payments may be live, each for its part; otherwise one. */
  @Column('boolean')
  readonly inParts: boolean;

  @Column('bigint')
  readonly amountDue: number;

  /** The sum of payments that took money or may yet, less what was given back. */
  @Column('bigint')
  readonly amountLive: number;

  /** Captured, less what was given back. */
  @Column('bigint')
  readonly amountPaid: number;

  /** How much more is live than is due: a PSP took back a refund or a release that it had done. */
  @Column('bigint')
  readonly amountOverpaid: number;

  @Column('timestamptz')
  readonly createdAt: Date;

  @Column('timestamptz')
  readonly updatedAt: Date;
}
