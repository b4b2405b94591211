import { type Table, tableOf } from '../core/table.js';
import { STAGED_CHANNEL } from '../database/commit/waker.js';
import { type StagedJob } from './staged-job.entity.js';

export const stagedJobs: Table<StagedJob> = tableOf('staged_jobs', ['id'], { wakes: STAGED_CHANNEL });
