import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a merchant asked under one Idempotency-Key, how far it has come, and the answer it got. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  @PrimaryColumn('uuid')
  merchantId: string;

  /** As the client sent it, unquoted. */
  @PrimaryColumn('text')
  key: string;

  /** The call it was first used for: `POST /v1/payments`. */
  @Column('text')
  operation: string;

  /** Keyed hash of the parsed request; tells a retry from a reuse. */
  @Column('text')
  fingerprint: string;

  /** What it is about, once that exists: the payment's id. */
  @Column('uuid', { nullable: true })
  subjectId: string | null;

  /** What a later phase needs of the request and the tables do not hold (an amount). No secrets. */
  @Column('jsonb')
  params: Record<string, unknown>;

  /** Where a resumed run goes on; `finished` once an answer is stored. */
  @Column('text')
  recoveryPoint: string;

  /** The fencing token of the run that works on it; null while none does. */
  @Column('uuid', { nullable: true })
  lockToken: string | null;

  /** While locked: when the lock lapses. Else: when the completer takes it up. null when finished. */
  @Column('timestamptz', { nullable: true })
  resumableAt: Date | null;

  @Column('smallint', { nullable: true })
  responseStatus: number | null;

  @Column('text', { nullable: true })
  responseBody: string | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}
