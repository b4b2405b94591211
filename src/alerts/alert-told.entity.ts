import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last alert of a list that a channel took. */
@Entity('alerts_told')
export class AlertTold {
  @PrimaryColumn('text')
  channel: string;

  @PrimaryColumn('text')
  kind: string;

  @Column('integer')
  count: number;

  @Column('timestamptz', { nullable: true })
  newestAt: Date | null;

  @Column('timestamptz')
  toldAt: Date;
}
