import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type MerchantSettings } from '../core/merchant-settings.js';

/** A tenant: asks for payments, and owns them. */
@Entity('merchants')
export class Merchant implements MerchantSettings {
  @PrimaryColumn('uuid')
  readonly id: string;

  @Column('text')
  readonly name: string;

  @Column('integer', { default: 0 })
  readonly duplicateWindowS: number;

  @Column('text', { default: 'named' })
  readonly orders: MerchantSettings['orders'];

  @Column('text', { default: 'unique' })
  readonly paymentReferences: MerchantSettings['paymentReferences'];

  @Column('text', { default: 'any' })
  readonly payoutRecipients: MerchantSettings['payoutRecipients'];

  @Column('text', { nullable: true })
  readonly orphans: MerchantSettings['orphans'];

  @Column('integer', { nullable: true })
  readonly requestRate: number | null;

  /** It is the test mode of this merchant, with data of its own; null: its money is real. */
  @Column('uuid', { nullable: true })
  readonly testOf: string | null;

  @Column('timestamptz')
  readonly createdAt: Date;
}
