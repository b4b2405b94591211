/**
 * idempotency: what a client asked us, once. Keys, atomic phases, recovery points, the completer
 * that takes up what was abandoned and the reaper that forgets what is old; and a factory that makes
 * any handler idempotent over Postgres or Redis, where money does not rest on it.
 */
export { Completer, type CompleterReport } from './completer.js';
export {
  FINISHED,
  type IdempotencyKey,
  IdempotencyKeyEntity,
  idempotencyKeys,
} from './idempotency-key.entity.js';
export { type FlowAnswer, KeyedFlows, type KeyedFlowsOptions, type KeyedRequest } from './keyed-flows.js';
export {
  type Begun,
  type Decision,
  type Flow,
  inside,
  moveTo,
  outside,
  pause,
  type Pause,
  type Phase,
  reply,
  type Run,
} from './phases.js';
export { PostgresKeyRetention } from './key-retention.js';
export { type KeyRetention, Reaper, type ReaperReport } from './reaper.js';
export {
  CallInProgress,
  type CallErrorCode,
  HandlerHasRun,
  IdempotentCallError,
} from './factory/call-error.js';
export { CallMetrics } from './factory/call-metrics.js';
export { type CallKey } from './factory/call-name.js';
export { type IdempotentOptions } from './factory/call-options.js';
export { type Handler, type RunContext } from './factory/call-run.js';
export {
  type CallLock,
  type CallStore,
  CallStoreUnavailable,
  type Hold,
  type Taken,
} from './factory/call-store.js';
export { type Idempotent, idempotent } from './factory/idempotent.js';
export { MemoryCallStore } from './factory/memory-store.js';
export { PostgresCallStore } from './factory/postgres-store.js';
export { RedisCallStore } from './factory/redis-store.js';
export { keyedHash } from './factory/request-hash.js';
