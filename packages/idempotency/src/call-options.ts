import { randomUUID } from 'node:crypto';
import { checkOperation } from './call-name.js';
import { type Clock, systemClock } from './clock.js';

/** How a call was met. */
export type CallResult = 'hit' | 'miss' | 'mismatch' | 'in_progress' | 'unavailable';

/** How a run of a handler ended. */
export type RunEnd = 'recorded' | 'threw' | 'not_kept' | 'not_recorded';

/** Hears what calls come to, by operation (never by key). `CallMetrics` is one. */
export interface CallObserver {
  /** There is an operation of this name. */
  declare(operation: string): void;
  met(operation: string, result: CallResult): void;
  ended(operation: string, end: RunEnd, heldMs: number): void;
  /** A lock that had lapsed under a run was taken over. */
  tookOver(operation: string): void;
}

/** Tokens of locks, and jitter. */
export interface Ids {
  /** A UUID, of any version, never the same twice. */
  uuid(): string;
  /** Uniform in [0, 1). */
  random(): number;
}

/** All durations in ms. */
export interface IdempotentOptions<Q> {
  /** What is done, in lower case with hyphens: `send-receipt`. */
  readonly operation: string;
  /** How long an answer is remembered. 1 s to 400 days. */
  readonly retention: number;
  /**
   * How long a lock lasts that its holder does not extend: so long is a key refused after its process died, and so
   * long may a process stand still without another taking over. 100 ms to 1 h.
   */
  readonly lockTtl: number;
  /**
   * Tells a repetition from another request under the same key: 1 to 128 printable characters, the
   * same for the same parameters. `keyedHash(key)` is one. Without it any request is a repetition.
   */
  readonly hashRequest?: (request: Q) => string;
  /** How long a call waits for another that is running, at most 60 s. Default 0: refused at once. */
  readonly wait?: number;
  /** A handler that runs longer is no longer covered by its lock. Default: 20 times `lockTtl`. */
  readonly longestRun?: number;
  /** How long an answer is offered to a store that does not take it. Default 5 s, at most 60 s. */
  readonly recordWithin?: number;
  /** UTF-8 bytes of the answer's JSON. Default 64 kB, at most 1 MB. */
  readonly mostAnswerBytes?: number;
  readonly metrics?: CallObserver;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** The options with every default filled in. */
export type CallOptions<Q> = Required<Omit<IdempotentOptions<Q>, 'hashRequest' | 'metrics'>> &
  Pick<IdempotentOptions<Q>, 'hashRequest' | 'metrics'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_RUN_TTLS = 20;

/** Throws RangeError, when the program starts rather than when the first call comes. */
export function callOptions<Q>(options: IdempotentOptions<Q>): CallOptions<Q> {
  checkOperation(options.operation);
  return {
    operation: options.operation,
    hashRequest: options.hashRequest,
    metrics: options.metrics,
    clock: options.clock ?? systemClock,
    ids: options.ids ?? { uuid: randomUUID, random: Math.random },
    retention: between('retention', options.retention, 1_000, 400 * DAY_MS),
    lockTtl: between('lockTtl', options.lockTtl, 100, HOUR_MS),
    wait: between('wait', options.wait ?? 0, 0, 60_000),
    longestRun: between('longestRun', options.longestRun ?? DEFAULT_RUN_TTLS * options.lockTtl, 100, DAY_MS),
    recordWithin: between('recordWithin', options.recordWithin ?? 5_000, 0, 60_000),
    mostAnswerBytes: between('mostAnswerBytes', options.mostAnswerBytes ?? 65_536, 1, 1_000_000),
  };
}

function between(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${name} is a whole number from ${least} to ${most}`);
}
