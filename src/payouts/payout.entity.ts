import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Failure } from '../core/failure.js';
import { type PayoutEvent, type PayoutStatus } from './payout.lifecycle.js';

@Entity('payouts')
export class Payout {
  @PrimaryColumn('uuid')
  merchantId: string;

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

  /** Minor units. */
  @Column('bigint')
  amount: number;

  @Column('text')
  currency: string;

  @Column('text', { nullable: true })
  statementDescriptor: string | null;

  @Column('jsonb')
  metadata: Record<string, string>;

  /** PSP accounts that may be asked, best first, as routed when it was opened. */
  @Column('jsonb')
  candidates: string[];

  /** The version of the registered recipient that its tokens were compared with; null: with none. */
  @Column('integer', { nullable: true })
  recipientVersion: number | null;

  /** The tokens of where the money goes, as long as they may be needed; see core/encryption. */
  @Column('bytea', { nullable: true })
  sealed: Uint8Array | null;

  /** The PSP of the effective route, and its id there. */
  @Column('text', { nullable: true })
  psp: string | null;

  @Column('text', { nullable: true })
  pspReference: string | null;

  @Column('jsonb', { nullable: true })
  failure: Failure | null;

  /** The payout of this recipient that had ended last when this one was asked for; null for the first. */
  @Column('uuid', { nullable: true })
  previous: string | null;

  /** Its merchant is a test mode: no money of it is real. Inserts leave it out otherwise. Answers and events are made of this row alone. */
  @Column('boolean', { name: 'test', nullable: true })
  isTest?: boolean | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/** One line of a payout's history. Appended, never edited. */
@Entity('payout_transitions')
export class PayoutTransition {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  payoutId: string;

  /** The payout's version that this transition made. */
  @PrimaryColumn('integer')
  version: number;

  @Column('text')
  event: PayoutEvent;

  @Column('text', { nullable: true })
  fromStatus: PayoutStatus | null;

  @Column('text')
  toStatus: PayoutStatus;

  @Column('text')
  actor: string;

  /** The operation whose outcome caused it. */
  @Column('text')
  entityKey: string;

  @Column('timestamptz')
  at: Date;
}
