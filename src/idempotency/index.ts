/**
 * idempotency: what a client asked us, once. Keys, atomic phases, recovery points, the completer
 * that takes up what was abandoned and the reaper that forgets what is old.
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
