/**
 * jobs: wake-ups. What need not happen inside a request happens after it, at least once. A job
 * carries ids, never truth; rooms declare kinds of jobs, and this room imports none of them.
 *
 * `new JobsRuntime({ kinds, ladders, chores, feeders, … })` is all that works by itself in a worker:
 *
 * - the **enqueuer** hands staged jobs to the queue, at one process at a time
 * - **workers** run them, one for each queue; what fails climbs its **ladder**, and at its end, or at a
 *   FinalError, lies in the **dead letters**
 * - the **sweeper** finds due work again when the queue has lost it
 * - **schedules** run chores again and again, one run at a time over all processes
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
export { type Feeder } from './enqueuer.js';
export { FinalError, type JobKind } from './job-kind.js';
export { type JobTimings, JobsRuntime, type JobsRuntimeOptions } from './jobs-runtime.js';
export { chosenLadders, DEFAULT_LADDER, type Ladder, ladderOf, type Level } from './ladder.js';
export { type Story, storyOf } from './queued-job.js';
export { type Chore, ChoreFailed, ChoreTurns } from './chore-turns.js';
export { type JobArgs, StagedJobEntity } from './staged-job.entity.js';
export { jobIdOf, type NamedJob, StagedJobs, type Staging, type Transaction } from './staged-jobs.js';
