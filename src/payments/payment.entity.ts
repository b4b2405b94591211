import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MoneyMovement, Transition } from '../database/money-movement.entity.js';
import { type MethodName } from '../psp/payment-method.js';
import { type Dispute } from './dispute.js';
import { type NextActionView } from './next-action.view.js';
import { type PaymentEvent, type PaymentStatus } from './payment.lifecycle.js';

/** Rows that are older than POST redirects hold a `type` and a `url` alone. */
export type StoredNextAction = NextActionView | { readonly type: 'redirect'; readonly url: string };

@Entity('payments')
export class Payment extends MoneyMovement {
  @PrimaryColumn('uuid')
  id: string;

  /** Raised by every write; a write based on an older version is refused. */
  @Column('integer')
  version: number;

  @Column('text')
  reference: string;

  @Column('text')
  status: PaymentStatus;

  @Column('text')
  captureMode: 'automatic' | 'manual';

  @Column('bigint')
  amountCaptured: number;

  @Column('bigint')
  amountRefunded: number;

  /** Minor units reserved by a capture or a refund in progress. */
  @Column('bigint')
  captureReserved: number;

  @Column('bigint')
  refundReserved: number;

  @Column('text', { nullable: true })
  cardBrand: string | null;

  @Column('text', { nullable: true })
  cardCountry: string | null;

  /** The way to pay; null: a card. Left out of inserts then. */
  @Column('text', { nullable: true })
  method?: Exclude<MethodName, 'card'> | null;

  @Column('text', { nullable: true })
  returnUrl: string | null;

  @Column('text', { nullable: true })
  statementDescriptor: string | null;

  /** PSP accounts that it may be sent to, best first, as routed when it was opened. */
  @Column('jsonb')
  candidates: string[];

  /** Its routing rule allows canceling a charge in doubt and failing over. */
  @Column('boolean', { name: 'fence' })
  cancelBeforeFailover: boolean;

  /** Tokens and customer data while they may still be needed; see core/encryption. null once decided. */
  @Column('bytea', { nullable: true })
  sealed: Uint8Array | null;

  @Column('jsonb', { nullable: true })
  nextAction: StoredNextAction | null;

  /** The customer's reference as the merchant named it, see customer-of-payment. Left out of inserts where none is kept. */
  @Column('text', { nullable: true })
  customerReference?: string | null;

  /** Keyed hashes of the customer's reference and e-mail address, see customer-of-payment. Left out of inserts where there is none. */
  @Column('bytea', { nullable: true })
  customerHash?: Uint8Array | null;

  @Column('bytea', { nullable: true })
  customerEmailHash?: Uint8Array | null;

  /** The order that it is for; null: none. Left out of inserts then. */
  @Column('text', { nullable: true })
  orderReference?: string | null;

  /** True while no other payment of its order may be live. */
  @Column('boolean', { nullable: true })
  holdsOrder?: boolean | null;

  /** Its disputes, oldest first; null: none. Left out of inserts. */
  @Column('jsonb', { nullable: true })
  disputes?: Dispute[] | null;
}

/** One line of a payment's history. Appended, never edited. */
@Entity('payment_transitions')
export class PaymentTransition extends Transition<PaymentStatus> {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  paymentId: string;

  /** The payment's version that this transition made. */
  @PrimaryColumn('integer')
  version: number;

  @Column('text')
  event: PaymentEvent;
}
