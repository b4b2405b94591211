import { type Change, type NewRow, insert } from '../core/change.js';
import { type Table, tableOf } from '../core/table.js';
import { STAGED_CHANNEL } from './commit/waker.js';
import { type EventRecord } from './event.entity.js';

export const eventRecords: Table<EventRecord> = tableOf('events', ['merchantId', 'id'], {
  wakes: STAGED_CHANNEL,
});

export function event(record: Omit<NewRow<EventRecord>, 'fannedOutAt'>): Change {
  return insert(eventRecords, { ...record, fannedOutAt: null });
}
