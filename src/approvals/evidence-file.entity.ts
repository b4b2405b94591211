import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A person's finding at a PSP, as a file: never changed, never deleted. */
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

  /** The type that its bytes show. */
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
