/**
 * jobs: wake-ups. What need not happen inside a request happens after it, at least once. A job
 * carries ids, never truth; rooms declare kinds of jobs, and this room imports none of them.
 */
export { type DeadLetter, DeadLetterEntity } from './dead-letter.entity.js';
export {
  deadLetterCountView,
  type DeadLetterCountView,
  deadLetterView,
  type DeadLetterView,
} from './dead-letter.view.js';
export { registerDeadLetterMetrics } from './dead-letter-metrics.js';
export {
  type Burial,
  CODE,
  CURSOR,
  type DeadLetterCount,
  type DeadLetterFilter,
  type DeadLetterPage,
  DeadLetters,
  type Handled,
  type MergedStory,
  MOST_AT_ONCE,
  MOST_IN_A_PAGE,
  type Selection,
} from './dead-letters.js';
export { FinalError, type JobKind } from './job-kind.js';
export { type JobArgs, StagedJobEntity } from './staged-job.entity.js';
export { jobIdOf, type NamedJob, StagedJobs, type Staging, type Transaction } from './staged-jobs.js';
