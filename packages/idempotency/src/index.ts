/** `@payonce/idempotency`: see README.md. Stores and metrics that need a package are entries of their own. */
export { idempotent, type Idempotent } from './idempotent.js';
export {
  type CallObserver,
  type CallResult,
  type Ids,
  type IdempotentOptions,
  type RunEnd,
} from './call-options.js';
export { type CallKey } from './call-name.js';
export { type Handler, type RunContext } from './call-run.js';
export { type Carried } from './carried-json.js';
export { type Clock } from './clock.js';
export { type CallErrorCode, CallInProgress, HandlerHasRun, IdempotentCallError } from './call-error.js';
export { type CallLock, type CallStore, CallStoreUnavailable, type Hold, type Taken } from './call-store.js';
export { MemoryCallStore } from './memory-store.js';
export { keyedHash } from './request-hash.js';
