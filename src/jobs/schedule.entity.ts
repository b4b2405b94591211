import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A periodic task: who runs it now, and how its last run ended. Times are the database's. */
@Entity('schedules')
export class Schedule {
  @PrimaryColumn('text')
  name: string;

  @Column('integer')
  everyMs: number;

  @Column('uuid', { nullable: true })
  leasedBy: string | null;

  @Column('timestamptz', { nullable: true })
  leasedUntil: Date | null;

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  /** Runs that failed since the last one that did not. */
  @Column('integer')
  failures: number;
}
