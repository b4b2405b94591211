import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last of several like payments, and until when another one like it is refused as a duplicate. */
@Entity('duplicate_guards')
export class DuplicateGuard {
  @PrimaryColumn('uuid')
  readonly merchantId: string;

  /** A keyed hash of customer, amount, currency and reference; no customer can be guessed from it. */
  @PrimaryColumn('text')
  readonly digest: string;

  @Column('uuid')
  readonly paymentId: string;

  /** By the store's clock, which all processes share. */
  @Column('timestamptz')
  readonly until: Date;
}
