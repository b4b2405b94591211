import { type Table, tableOf } from '../core/table.js';
import { type IdempotencyKey } from './idempotency-key.entity.js';

export const FINISHED = 'finished';

export const idempotencyKeys: Table<IdempotencyKey> = tableOf('idempotency_keys', ['merchantId', 'key'], {
  defaults: { sourceAddress: null },
});
