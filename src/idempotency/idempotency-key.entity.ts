import { EntitySchema } from 'typeorm';
import { type Table, tableOf } from '../core/table.js';

/** What a merchant asked under one Idempotency-Key, how far it has come, and the answer it got. */
export interface IdempotencyKey {
  merchantId: string;
  /** As the client sent it, unquoted. */
  key: string;
  /** The call it was first used for: `POST /v1/payments`. */
  operation: string;
  /** Keyed hash of the parsed request; tells a retry from a reuse. */
  fingerprint: string;
  /** What it is about, once that exists: the payment's id. */
  subjectId: string | null;
  /** What a later phase needs of the request and the tables do not hold (an amount). No secrets. */
  params: Record<string, unknown>;
  /** Where a resumed run goes on; `finished` once an answer is stored. */
  recoveryPoint: string;
  /** The fencing token of the run that works on it; null while none does. */
  lockToken: string | null;
  /** While locked: when the lock lapses. Else: when the completer takes it up. null when finished. */
  resumableAt: Date | null;
  responseStatus: number | null;
  responseBody: string | null;
  createdAt: Date;
  finishedAt: Date | null;
}

export const FINISHED = 'finished';

export const IdempotencyKeyEntity = new EntitySchema<IdempotencyKey>({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    key: { type: 'text', primary: true },
    operation: { type: 'text' },
    fingerprint: { type: 'text' },
    subjectId: { type: 'uuid', name: 'subject_id', nullable: true },
    params: { type: 'jsonb' },
    recoveryPoint: { type: 'text', name: 'recovery_point' },
    lockToken: { type: 'uuid', name: 'lock_token', nullable: true },
    resumableAt: { type: 'timestamptz', name: 'resumable_at', nullable: true },
    responseStatus: { type: 'smallint', name: 'response_status', nullable: true },
    responseBody: { type: 'text', name: 'response_body', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    finishedAt: { type: 'timestamptz', name: 'finished_at', nullable: true },
  },
});

export const idempotencyKeys: Table<IdempotencyKey> = tableOf(IdempotencyKeyEntity, {
  checks: [
    {
      name: 'idempotency_keys_finished',
      holds: ({ recoveryPoint, responseBody, finishedAt, lockToken, resumableAt }) =>
        recoveryPoint === FINISHED
          ? responseBody !== null && finishedAt !== null && lockToken === null && resumableAt === null
          : responseBody === null || finishedAt === null,
    },
  ],
});
