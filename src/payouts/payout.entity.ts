import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MoneyMovement, Transition } from '../database/money-movement.entity.js';
import { type PayoutEvent, type PayoutStatus } from './payout.lifecycle.js';

@Entity('payouts')
export class Payout extends MoneyMovement {
  /** The merchant's name for the recipient; the first half of what a sequence is known by. */
  @PrimaryColumn('text')
  recipient: string;

  @PrimaryColumn('uuid')
  id: string;

  /** Raised by every write; a write that read an older one is refused. */
  @Column('integer')
  version: number;

  @Column('text')
  reference: string;

  @Column('text')
  status: PayoutStatus;

  @Column('text', { nullable: true })
  statementDescriptor: string | null;

  /** PSP accounts that may be asked, best first, as routed when it was opened. */
  @Column('jsonb')
  candidates: string[];

  /** The version of the registered recipient that its tokens were compared with; null: with none. */
  @Column('integer', { nullable: true })
  recipientVersion: number | null;

  /** The tokens of where the money goes, as long as they may be needed; see core/encryption. */
  @Column('bytea', { nullable: true })
  sealed: Uint8Array | null;

  /** The payout of this recipient that had ended last when this one was asked for; null for the first. */
  @Column('uuid', { nullable: true })
  previous: string | null;
}

/** One line of a payout's history. Appended, never edited. */
@Entity('payout_transitions')
export class PayoutTransition extends Transition<PayoutStatus> {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  payoutId: string;

  /** The payout's version that this transition made. */
  @PrimaryColumn('integer')
  version: number;

  @Column('text')
  event: PayoutEvent;
}
