import { type Table, tableOf } from '../core/table.js';
import { type IdempotencyKey } from './idempotency-key.entity.js';

export const FINISHED = 'finished';

export const idempotencyKeys: Table<IdempotencyKey> = tableOf('idempotency_keys', ['merchantId', 'key'], {
  defaults: { sourceAddress: null },
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
