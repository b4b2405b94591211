/**
 * kernel: the floor. Imports nothing of ours, knows no payment nouns and no policy.
 */
export { audit, type AuditRecord, AuditRecordEntity } from './audit.js';
export { checkpoint } from './checkpoint.js';
export { type Clock, ManualClock, SystemClock } from './clock.js';
export * from './commit/index.js';
export { event, type EventRecord, EventRecordEntity, eventRecords } from './event.js';
export { type Ids, SeededIds, SystemIds, uuidv7 } from './ids.js';
export { Lease } from './lease.js';
export { lifecycle, type Lifecycle, TransitionRefused } from './lifecycle.js';
export { currencies, exponentOf, formatMoney, isCurrency, LARGEST_AMOUNT, type Money } from './money.js';
export {
  Problem,
  problemCatalogue,
  type ProblemCode,
  type ProblemDocument,
  type ProblemField,
} from './problem.js';
export { prune } from './prune.js';
export { isOutage, orUnavailable, StoreUnavailable } from './store-unavailable.js';
export { Seal } from './seal.js';
export {
  bearLoss,
  type Database,
  type DatabaseOptions,
  DatabaseUnavailable,
  migrate,
  openDatabase,
  sqlState,
  sqlStateOf,
} from './database.js';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
export { type JobLadders, type LadderStep } from './job-ladder.js';
export { type Config, ConfigError, loadConfig } from './config.js';
export { type Figure, type LookedUpGauge, registerLookedUp } from './looked-up-gauge.js';
export { sealKeyOf } from './seal-key.js';
