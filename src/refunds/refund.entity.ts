import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MoneyMovement } from '../database/money-movement.entity.js';
import { type RefundStatus } from './refund.lifecycle.js';

@Entity('refunds')
export class Refund extends MoneyMovement {
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

  @Column('text', { nullable: true })
  reason: string | null;
}
