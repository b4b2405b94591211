import { EntitySchema } from 'typeorm';
import { type Change, insert } from '../core/change.js';
import { tableOf } from '../core/table.js';
import { STAGED_CHANNEL } from './commit/waker.js';

/**
 * What has become of an object of a merchant, for the merchant's endpoints. Written in the commit that
 * makes it so, so that there is exactly one for each change; never changed but for `fannedOutAt`.
 */
export interface EventRecord {
  merchantId: string;
  id: string;
  /** `payment.captured`: noun and past participle, or a state. */
  type: string;
  /** `payment:<id>`. */
  subject: string;
  /** The object as it was shown at that moment. No secrets, no tokens, no customer data. */
  data: Record<string, unknown>;
  at: Date;
  /** When it was decided who is to be told of it; null until then. */
  fannedOutAt: Date | null;
}

export const EventRecordEntity = new EntitySchema<EventRecord>({
  name: 'EventRecord',
  tableName: 'events',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    id: { type: 'uuid', primary: true },
    type: { type: 'text' },
    subject: { type: 'text' },
    // As it was written, in the order of the API's own answers; nobody searches in it.
    data: { type: 'json' },
    at: { type: 'timestamptz' },
    fannedOutAt: { type: 'timestamptz', nullable: true, name: 'fanned_out_at' },
  },
});

export const eventRecords = tableOf(EventRecordEntity, { wakes: STAGED_CHANNEL });

export function event(record: Omit<EventRecord, 'fannedOutAt'>): Change {
  return insert(eventRecords, { ...record, fannedOutAt: null });
}
