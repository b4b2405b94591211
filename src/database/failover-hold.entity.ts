import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which database the last process met, and until when something is held because of it: one row. */
@Entity('failover_hold')
export class FailoverHold {
  @PrimaryColumn('boolean')
  one: true;

  /** Server, timeline of its WAL, and database. */
  @Column('text')
  identity: string;

  /** null where nothing is held. `infinity`, which the driver gives as a number: until a person resumes. */
  @Column('timestamptz', { nullable: true })
  heldUntil: Date | number | null;

  /** `system:session`, or the person who held or resumed it. */
  @Column('text')
  changedBy: string;

  @Column('timestamptz')
  changedAt: Date;
}
