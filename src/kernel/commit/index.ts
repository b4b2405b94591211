export {
  type Change,
  type CommitResult,
  FromNow,
  fromNow,
  insert,
  insertOrRefuse,
  type Refusal,
  type Store,
  update,
  type Where,
} from './change.js';
export { MemoryStore } from './memory-store.js';
export { PostgresStore, type PostgresStoreOptions } from './postgres-store.js';
export { STAGED_CHANNEL } from './waker.js';
export { type Column, tableOf, type Table } from './table.js';
