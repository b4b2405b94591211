import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type ApprovableAction } from './approvable-action.js';

/** An act that one operator asks for and another one approves. */
@Entity('approvals')
export class Approval {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('jsonb')
  action: ApprovableAction;

  /** The hash of exactly that action. */
  @Column('text')
  actionHash: string;

  /** `payment:<id>`. */
  @Column('text')
  subject: string;

  @Column('uuid')
  requestedBy: string;

  @Column('timestamptz')
  requestedAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('text', { nullable: true })
  decision: 'approved' | 'declined' | null;

  @Column('uuid', { nullable: true })
  decidedBy: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  /** The result of the action; null if it was not done, or its process died over it. */
  @Column('text', { nullable: true })
  result: string | null;
}
