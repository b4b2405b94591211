import { checkpoint } from '../core/checkpoint.js';
import { type Clock } from '../core/clock.js';
import {
  commitOf,
  type CommitResult,
  fromNow,
  insert,
  type Refusal,
  type Store,
  update,
} from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { Lease } from '../core/lease.js';
import { type LockHolder } from '../core/lock-holder.js';
import { Problem } from '../core/problem.js';
import { StoreUnavailable } from '../database/store-unavailable.js';
import { type IdempotencyKey } from './idempotency-key.entity.js';
import { FINISHED, idempotencyKeys } from './idempotency-key.table.js';
import { type Begun, type Decision, type Run } from './phases.js';

export interface IdempotencyKeyRepositoryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Absent: locks end by time alone. */
  readonly holder?: LockHolder;
  /** How long a lock lasts; it outlives the slowest PSP call by a margin. */
  readonly leaseMs: number;
}

/** The store is tried again so often before the caller is told. */
const MAX_OUTAGES = 6;
/** A key whose operation waits for a person is looked at once a day. */
const DAY_MS = 24 * 3_600_000;

/** The rows of idempotency keys: made, locked, moved on and read, through outages of the store. */
export class IdempotencyKeyRepository {
  constructor(private readonly options: IdempotencyKeyRepositoryOptions) {}

  /**
   * The first commit: the key, with all that the first decision wants written. null when it is written;
   * else why not: a key was there already, or the decision rested on something that has changed.
   */
  async accept<State>(
    operation: string,
    fingerprint: string,
    { subjectId, params, decision }: Begun<State>,
    run: Run,
  ): Promise<Refusal | null> {
    const row: IdempotencyKey = {
      merchantId: run.merchantId,
      key: run.key,
      operation,
      fingerprint,
      subjectId,
      params,
      recoveryPoint: '',
      lockToken: null,
      resumableAt: null,
      responseStatus: null,
      responseBody: null,
      createdAt: run.clock.now(),
      finishedAt: null,
    };
    const place = placeOf(decision);
    await checkpoint(`commit:before:new:${place}`);
    run.lease = this.leaseOf(run);
    const gate = insert(idempotencyKeys, { ...row, ...this.keyAfter(decision, run) });
    for (let outages = 0; ; outages++) {
      try {
        const result = await this.options.store.commit(commitOf(gate, decision.changes));
        if (!result.done) return result.refused;
        await checkpoint(`commit:after:new:${place}`);
        return null;
      } catch (error) {
        await this.retryStoreOutage(error, outages, run);
        // It is not known whether it was written: the row tells, by its token.
        const found = await this.readThrough(run);
        if (found?.lockToken === run.lockToken) return null;
        if (found) return { by: 'gate' };
      }
    }
  }

  /** Takes the lock of a key that is free or whose lock has lapsed by the store's clock. */
  async takeOver(existingKey: IdempotencyKey, run: Run): Promise<boolean> {
    run.lease = this.leaseOf(run);
    const { done } = await this.options.store.commit(
      commitOf(
        update(
          idempotencyKeys,
          { merchantId: existingKey.merchantId, key: existingKey.key },
          { lockToken: run.lockToken, resumableAt: fromNow(run.leaseMs) },
          { lockToken: existingKey.lockToken, recoveryPoint: existingKey.recoveryPoint },
          existingKey.lockToken === null ? null : 'resumableAt',
        ),
      ),
    );
    return done;
  }

  /** Writes a decision and what it makes of the key, guarded by the run's token. */
  async write<State>(decision: Decision<State>, run: Run): Promise<CommitResult> {
    const place = placeOf(decision);
    await checkpoint(`commit:before:${place}`);
    const lease = this.leaseOf(run);
    const { merchantId, key, lockToken } = run;
    const gate = update(idempotencyKeys, { merchantId, key }, this.keyAfter(decision, run), { lockToken });
    const result = await this.options.store.commit(commitOf(gate, decision.changes));
    if (result.done) run.lease = lease;
    await checkpoint(`commit:after:${place}`);
    return result;
  }

  private leaseOf({ clock, leaseMs, lockToken }: Run): Lease {
    return new Lease(clock, leaseMs, () => this.options.holder?.holds(lockToken) ?? true);
  }

  /** What a decision makes of the key. */
  private keyAfter<State>(decision: Decision<State>, run: Run) {
    const { leaseMs, clock } = this.options;
    switch (decision.go) {
      case 'move':
        return {
          recoveryPoint: decision.to,
          lockToken: run.lockToken,
          resumableAt: fromNow(leaseMs),
          responseStatus: null,
          responseBody: null,
          finishedAt: null,
        };
      case 'pause': {
        const now = clock.now().getTime();
        const untilMs = decision.until ? Math.max(decision.until.getTime() - now, 0) + leaseMs : DAY_MS;
        return {
          recoveryPoint: decision.at,
          lockToken: null,
          resumableAt: fromNow(untilMs),
          responseStatus: null,
          responseBody: null,
          finishedAt: null,
        };
      }
      case 'reply':
        return {
          recoveryPoint: FINISHED,
          lockToken: null,
          resumableAt: null,
          responseStatus: decision.status,
          responseBody: decision.body,
          finishedAt: clock.now(),
        };
    }
  }

  /** A run that was refused lets the others finish: a few milliseconds, twice as many each time. */
  async backoffAfterConflict(refusals: number, run: Run): Promise<void> {
    await run.clock.sleep(this.options.ids.random() * 4 * 2 ** refusals);
  }

  /** Waits a little and lets the caller try again; gives up after a bound. Anything else is thrown on. */
  async retryStoreOutage(error: unknown, outages: number, run: Run): Promise<null> {
    if (!(error instanceof StoreUnavailable)) throw error;
    if (outages >= MAX_OUTAGES) {
      throw new Problem(
        'overloaded',
        'The store cannot be reached. Try again with the same Idempotency-Key.',
        {
          retryAfterS: 2,
          cause: error,
        },
      );
    }
    await run.clock.sleep(25 * 2 ** outages * (0.5 + this.options.ids.random() / 2));
    return null;
  }

  /** Reads the key through an outage, with a bound. */
  private async readThrough(run: Run): Promise<IdempotencyKey | null> {
    for (let outages = 0; ; outages++) {
      try {
        return await this.read(run);
      } catch (error) {
        await this.retryStoreOutage(error, outages, run);
      }
    }
  }

  async read(run: Run): Promise<IdempotencyKey | null> {
    const { merchantId, key } = run;
    const [found] = await this.options.store.find(idempotencyKeys, { merchantId, key }, 1);
    return found ?? null;
  }
}

function placeOf(decision: Decision<unknown>): string {
  if (decision.go === 'move') return decision.to;
  return decision.go === 'reply' ? FINISHED : `paused:${decision.at}`;
}
