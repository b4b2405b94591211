import { HandlerHasRun } from './call-error.js';
import { type CallOptions, type RunEnd } from './call-options.js';
import { type CallRecord, writeRecord } from './call-record.js';
import { type CallLock, type CallStore, type Hold } from './call-store.js';
import { carriedJson } from './carried-json.js';
import { LockKeeper } from './lock-keeper.js';

export interface RunContext {
  /** `i9y:<operation>:<id>`. */
  readonly name: string;
  /** Aborted when the lock is no longer surely this run's: another may be running. */
  readonly signal: AbortSignal;
}

export type Handler<Q, A> = (request: Q, context: RunContext) => Promise<A> | A;

const FIRST_RETRY_MS = 25;
const MAX_RETRY_MS = 1_000;
/** More than fit into the longest `recordWithin`. */
const MAX_RETRIES = 100;

/** One run of the handler under a lock that has just been taken. */
export class CallRun<Q, A> {
  private readonly keeper: LockKeeper;

  constructor(
    private readonly store: CallStore,
    private readonly options: CallOptions<Q>,
    private readonly handler: Handler<Q, A>,
    private readonly lock: CallLock,
    private readonly sinceMs: number,
  ) {
    const { clock, lockTtl, longestRun } = options;
    this.keeper = new LockKeeper(store, lock, clock, sinceMs, lockTtl, longestRun);
  }

  async answer(request: Q): Promise<A> {
    const { lock, keeper, handler } = this;
    let answer: A;
    keeper.start();
    try {
      answer = await handler(request, { name: lock.name, signal: keeper.signal });
    } catch (error) {
      keeper.stop();
      // A lock that cannot be given up lapses; what the handler has to say matters more.
      await this.store.release(lock).catch(() => {});
      this.ended('threw', keeper.lossOfLock === 'taken_over');
      throw error;
    }
    keeper.stop();
    return this.remember(answer);
  }

  /**
   * The handler has run and must not run again for want of an answer that can be stored: what cannot
   * be carried is recorded as such, and its caller gets what every later one will get.
   */
  private async remember(answer: A): Promise<A> {
    const { operation, mostAnswerBytes } = this.options;
    const carried = carriedJson(answer, mostAnswerBytes);
    const record: CallRecord =
      'text' in carried ? { kind: 'answer', text: carried.text } : { kind: 'not_kept', why: carried.what };
    const { hold, cause } = await this.offer(writeRecord(record));
    if (hold !== 'held') {
      this.ended('not_recorded', hold === 'taken_over' || this.keeper.lossOfLock === 'taken_over');
      throw new HandlerHasRun('done_not_recorded', operation, `done, but not recorded: ${REASONS[hold]}`, {
        answer,
        cause,
      });
    }
    this.ended(record.kind === 'answer' ? 'recorded' : 'not_kept', false);
    if (record.kind === 'answer') return JSON.parse(record.text) as A;
    const detail = `done, but its answer held ${record.why}`;
    throw new HandlerHasRun('answer_not_kept', operation, detail, { answer });
  }

  /** Offers the record until the store says something. It compares and sets, so that asking again is safe. */
  private async offer(record: string): Promise<{ hold: Hold | 'unknown'; cause?: unknown }> {
    const { clock, recordWithin, retention } = this.options;
    const untilMs = clock.monotonicMs() + recordWithin;
    let cause: unknown;
    for (let retry = 0; retry < MAX_RETRIES; retry++) {
      try {
        return { hold: await this.store.record(this.lock, record, retention) };
      } catch (error) {
        cause = error;
      }
      const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(retry, 10), MAX_RETRY_MS);
      if (clock.monotonicMs() + pauseMs > untilMs) break;
      await clock.sleep(pauseMs);
    }
    return { hold: 'unknown', cause };
  }

  private ended(end: RunEnd, wasTakenOver: boolean): void {
    const { metrics, operation, clock } = this.options;
    metrics?.ended(operation, end, clock.monotonicMs() - this.sinceMs);
    if (wasTakenOver && this.store.takeOverSeenBy === 'loser') metrics?.tookOver(operation);
  }
}

const REASONS: Readonly<Record<Exclude<Hold, 'held'> | 'unknown', string>> = {
  taken_over: 'its lock had lapsed and another run has the key',
  gone: 'the store no longer knows of its lock',
  unknown: 'the store gave no answer, and may or may not have it',
};
