import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which seal key the database was written with: one row. */
@Entity('seal_key')
export class SealKey {
  @PrimaryColumn('boolean')
  one: true;

  /** An HMAC under the key itself. */
  @Column('text')
  keyId: string;

  @Column('timestamptz')
  since: Date;
}
