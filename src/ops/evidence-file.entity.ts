import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a person found at a PSP, as a file: never changed, never deleted. */
@Entity('evidence_files')
export class EvidenceFile {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  entityKey: string;

  @Column('text')
  name: string;

  /** As its bytes say. */
  @Column('text')
  contentType: string;

  @Column('text')
  sha256: string;

  @Column('bytea')
  content: Buffer;

  @Column('uuid')
  operatorId: string;

  @Column('timestamptz')
  at: Date;
}
