import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type OrphanPolicy, type RecipientRule } from '../core/caller.js';

/** A tenant: asks for payments, and owns them. */
@Entity('merchants')
export class Merchant {
  @PrimaryColumn('uuid')
  readonly id: string;

  @Column('text')
  readonly name: string;

  /** For how many seconds the same payment under another key is held to be a mistake; 0 = never. */
  @Column('integer', { default: 0 })
  readonly duplicateWindowS: number;

  /** Whom it pays out to; see `recipientRules`. */
  @Column('text', { default: 'any' })
  readonly payoutRecipients: RecipientRule;

  /** The policy for its orphan effects; null: that of `PAYONCE_ORPHANS`. */
  @Column('text', { nullable: true })
  readonly orphans: OrphanPolicy | null;

  /** Requests a second of all its keys together; null: what `PAYONCE_MERCHANT_RATE` says. */
  @Column('integer', { nullable: true })
  readonly requestRate: number | null;

  /** It is the test mode of this merchant, with data of its own; null: its money is real. */
  @Column('uuid', { nullable: true })
  readonly testOf: string | null;

  @Column('timestamptz')
  readonly createdAt: Date;
}
