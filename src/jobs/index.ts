/**
 * jobs: wake-ups. What need not happen inside a request happens after it, at least once. A job
 * carries ids, never truth; rooms declare kinds of jobs, and this room imports none of them.
 */
export { FinalError, type JobKind } from './job-kind.js';
export { type JobArgs, StagedJobEntity } from './staged-job.entity.js';
export { jobIdOf, StagedJobs, type Staging, type Transaction } from './staged-jobs.js';
