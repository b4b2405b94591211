import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A merchant's request under one Idempotency-Key, its progress, and its answer. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  @PrimaryColumn('uuid')
  merchantId: string;

  /** The header of the client, unquoted. */
  @PrimaryColumn('text')
  key: string;

  /** The call it was first used for: `POST /v1/payments`. */
  @Column('text')
  operation: string;

  /** Keyed hash of the parsed request: a retry has the same one, a reuse of the key another. */
  @Column('text')
  fingerprint: string;

  /** The address that its first request came from; null for a request of the service itself, whose insert leaves it out. */
  @Column('text', { nullable: true })
  sourceAddress?: string | null;

  /** The id of its payment or payout, once that exists. */
  @Column('uuid', { nullable: true })
  subjectId: string | null;

  /** Data of the request that a later step needs and no other table has (an amount). No secrets. */
  @Column('jsonb')
  params: Record<string, unknown>;

  /** The point at which a resumed run continues; `finished` once an answer is stored. */
  @Column('text')
  recoveryPoint: string;

  /** The lock token of the present run; null while there is none. */
  @Column('uuid', { nullable: true })
  lockToken: string | null;

  /** While locked: when the lock ends. Otherwise: when the completer continues it. null when finished. */
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
