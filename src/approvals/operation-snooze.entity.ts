import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A stuck operation that is not listed until then, because its owner looks after it. */
@Entity('operation_snoozes')
export class OperationSnooze {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('text')
  entityKey: string;

  @Column('timestamptz')
  until: Date;

  @Column('uuid')
  ownerId: string;

  @Column('text')
  note: string;

  @Column('timestamptz')
  at: Date;
}
