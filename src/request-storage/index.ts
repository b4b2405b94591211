/**
 * request-storage: what we asked a PSP. The only place that answers which PSP an operation may be
 * sent to now, and the only caller of money verbs.
 */
export { type Answered, type Call, type Driver, type OperationStory } from './attempt.js';
export { drive, type Driven, evidenceOnly, open, type Opening, reopen } from './drive.js';
export { entityKey, isOfOrphan, isOfPayment, paymentIdOf, pspIdempotencyKey } from './entity-key.js';
export { type Evidence, isFence, type RouteStory, saysDone, weigh } from './evidence.js';
export { LATE_LOOKS_MS, lookAgain, lookedAgain } from './late-look.js';
export { nextStep, SCHEDULE_MS, type Step, type StepFacts } from './next-step.js';
export {
  type DrivenBy,
  type Operated,
  type OperationOwner,
  OperationResolver,
  type OperationResolverDeps,
  type Settled,
  type Subject,
} from './operation-resolver.js';
export {
  type NonExecutionProof,
  NonExecutionProofEntity,
  nonExecutionProofs,
  type OrphanEffect,
  OrphanEffectEntity,
  orphanEffects,
  type OrphanStatus,
  type PspAttempt,
  PspAttemptEntity,
  pspAttempts,
  type PspRequest,
  PspRequestEntity,
  pspRequests,
  type Verdict,
} from './psp-request.entity.js';
export { OrphanEffects } from './orphan-effects.js';
export { RequestStorage, type RequestStorageOptions } from './request-storage.js';
export { type DriveOn, Resolver, type ResolverReport } from './resolver.js';
export { columnsOf, readStories } from './stories.js';
export { type StuckRoute, StuckRoutes } from './stuck-routes.js';
export { type Failure, failureOf, type RouteView, routeViewsOf } from './told.js';
export { Facts, type SubjectFacts } from './facts.js';
export { type FactTaker, type Taken } from './notice.js';
