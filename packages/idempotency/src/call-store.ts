/** The lock of one run: what is held, by whom, for which parameters. */
export interface CallLock {
  /** `i9y:<operation>:<id>`. */
  readonly name: string;
  /** Unique to one call, so that a store can tell its lock from every other one. */
  readonly token: string;
  /** A hash of the request, 1 to 128 printable characters without a space. */
  readonly fingerprint: string;
}

/** What a store answers to a call that wants to run. */
export type Taken =
  | {
      readonly state: 'taken';
      /** Whether another run's lock had lapsed and was taken over; a store may be unable to tell. */
      readonly tookOver: boolean;
    }
  | {
      readonly state: 'running';
      readonly fingerprint: string;
      /** How long the lock that is there still lasts, in ms; 0 when it has gone meanwhile. */
      lastsMs(): Promise<number>;
    }
  | { readonly state: 'done'; readonly fingerprint: string; readonly record: string };

/** What has become of a lock. `gone`: nothing is there. */
export type Hold = 'held' | 'taken_over' | 'gone';

/**
 * Where calls are remembered. Every method is one step that happens whole or not at all and may be
 * repeated, and rejects with CallStoreUnavailable when it is not known whether it happened. No method
 * waits longer than a bound of the store's own.
 */
export interface CallStore {
  /** Which run sees that a lapsed lock was taken over: the one that takes it, or only the one that lost it. */
  readonly takeOverSeenBy: 'taker' | 'loser';
  /** Takes the lock where nothing is there. A lock that this very token holds counts as taken. */
  take(lock: CallLock, ttlMs: number): Promise<Taken>;
  /** Makes the lock last `ttlMs` from now, while it is the lock's own. */
  extend(lock: CallLock, ttlMs: number): Promise<Hold>;
  /** Replaces the lock by the record, while it is the lock's own; `held` when the record is there. */
  record(lock: CallLock, record: string, retentionMs: number): Promise<Hold>;
  /** Gives the lock up, while it is the lock's own. */
  release(lock: CallLock): Promise<void>;
}

/**
 * The store gave no answer, or one that says that it cannot serve. `cause` is a message and a code
 * alone: the errors of drivers carry the commands and rows that they are about.
 */
export class CallStoreUnavailable extends Error {
  override readonly name = 'CallStoreUnavailable';

  constructor(error: unknown) {
    super('the store of idempotent calls cannot be used', { cause: bare(error) });
  }
}

function bare(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('no reason was given');
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return new Error(`${error.message.slice(0, 200)}${code}`);
}
