/**
 * request-storage: what we asked a PSP. The only place that answers which PSP an operation may be
 * sent to now, and the only caller of money verbs.
 */
export {
  type Answered,
  type Call,
  drive,
  type Driven,
  type Driver,
  open,
  type Opening,
  type OperationStory,
  evidenceOnly,
  reopen,
} from './drive.js';
export { entityKey, pspIdempotencyKey } from './entity-key.js';
export { type Evidence, type RouteStory, weigh } from './evidence.js';
export { nextStep, SCHEDULE_MS, type Step, type StepFacts } from './next-step.js';
export {
  type NonExecutionProof,
  NonExecutionProofEntity,
  nonExecutionProofs,
  type OrphanEffect,
  OrphanEffectEntity,
  orphanEffects,
  type PspAttempt,
  PspAttemptEntity,
  pspAttempts,
  type PspRequest,
  PspRequestEntity,
  pspRequests,
  type Verdict,
} from './psp-request.entity.js';
export { RequestStorage, type RequestStorageOptions } from './request-storage.js';
export { type DriveOn, Resolver, type ResolverReport } from './resolver.js';
export { type StuckRoute, StuckRoutes } from './stuck-routes.js';
