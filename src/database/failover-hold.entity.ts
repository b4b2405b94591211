import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which database the last process met, and until when failover is held because of it: one row. */
@Entity('failover_hold')
export class FailoverHold {
  @PrimaryColumn('boolean')
  one: true;

  /** Server, timeline of its WAL, and database. */
  @Column('text')
  identity: string;

  /** null where failover is not held. */
  @Column('timestamptz', { nullable: true })
  heldUntil: Date | null;

  /** `system:session`, or the person who held or resumed it. */
  @Column('text')
  changedBy: string;

  @Column('timestamptz')
  changedAt: Date;
}
