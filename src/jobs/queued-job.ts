import { redactedLine } from '../core/redact.js';
import { type JobArgs } from './staged-job.entity.js';

/** The earlier tries of a job, for its next run and for display. Times are ISO 8601. */
export interface RetryHistory {
  readonly firstTriedAt: string;
  /** How often it failed, over all tiers and requeues. */
  readonly tries: number;
  /** The last error, redacted, at most 500 characters. */
  readonly lastError: string;
  /** When it is tried again; null where it is not. */
  readonly nextAt: string | null;
}

/**
 * The data of a job in the queue: only ids and its retry history (the field is `story`, as older versions stored
 * it).
 */
export interface QueuedJob {
  readonly args: JobArgs;
  /** The tier of its retry policy; 0 is the first. */
  readonly level: number;
  readonly story: RetryHistory | null;
}

const MAX_ERROR_LENGTH = 500;
/** An error as it may be kept: redacted, one line. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `threw a ${typeof error}`;
  return redactedLine(text, MAX_ERROR_LENGTH);
}

/** The history with one more failure. */
export function failed(
  story: RetryHistory | null,
  lastError: string,
  now: Date,
  nextAt: Date | null,
): RetryHistory {
  return {
    firstTriedAt: story?.firstTriedAt ?? now.toISOString(),
    tries: (story?.tries ?? 0) + 1,
    lastError,
    nextAt: nextAt?.toISOString() ?? null,
  };
}

/** Reads the retries of a job from a queue or a row, which are not trusted: null where they do not fit. */
export function retryHistoryOf(value: unknown): RetryHistory | null {
  if (!isRecord(value)) return null;
  const { firstTriedAt, tries, lastError, nextAt } = value;
  if (typeof firstTriedAt !== 'string' || Number.isNaN(Date.parse(firstTriedAt))) return null;
  if (typeof tries !== 'number' || !Number.isSafeInteger(tries) || tries < 1) return null;
  return {
    firstTriedAt,
    tries,
    lastError: typeof lastError === 'string' ? lastError : '',
    nextAt: typeof nextAt === 'string' ? nextAt : null,
  };
}

/** Reads what a queue has of a job; throws TypeError where that is no job of ours. */
export function queuedJobOf(data: unknown): QueuedJob {
  if (!isRecord(data) || !isArgs(data['args'])) throw new TypeError('a job without args is in the queue');
  const level = data['level'];
  return {
    args: data['args'],
    level: typeof level === 'number' && Number.isSafeInteger(level) && level >= 0 ? level : 0,
    story: retryHistoryOf(data['story']),
  };
}

function isArgs(value: unknown): value is JobArgs {
  if (!isRecord(value)) return false;
  return Object.values(value).every(
    (arg) => arg === null || typeof arg === 'string' || typeof arg === 'number' || typeof arg === 'boolean',
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
