import { checkpoint } from '../core/checkpoint.js';
import { commitOf, type CommitResult, fromNow, insert, type Refusal, update } from '../core/change.js';
import { type IdempotencyKey } from './idempotency-key.entity.js';
import { FINISHED, idempotencyKeys } from './idempotency-key.table.js';
import { type BeginResult, type Decision, type KeyedRun, type RecoveryPoint } from './operation.js';
import { newLease, nowHeld, type RunTools } from './operation-run.js';

/** A key whose operation waits for a person is tried once a day. */
const DAY_MS = 24 * 3_600_000;

/** The recovery point of a run that stopped before its call, or before another decision. */
const points = { call: 'accepted', decide: 'started' } as const satisfies Record<string, RecoveryPoint>;

const unanswered = { responseStatus: null, responseBody: null, finishedAt: null };

/** The rows of idempotency keys: inserts, locks, updates and reads them. */
export class IdempotencyKeyRepository {
  constructor(private readonly tools: RunTools) {}

  /**
   * The first commit: the key with all changes of the first decision. null if it was written; else why not: the key
   * exists already, or the decision was based on data that has changed.
   */
  async accept<State>(
    operation: string,
    fingerprint: string,
    { subjectId, params, decision }: BeginResult<State>,
    run: KeyedRun,
    sourceAddress?: string,
  ): Promise<Refusal | null> {
    const { merchantId, key } = run;
    const createdAt = this.tools.clock.now();
    const from = sourceAddress === undefined ? {} : { sourceAddress };
    const row = { merchantId, key, operation, fingerprint, subjectId, params, createdAt, ...from };
    const place = placeOf(decision);
    await checkpoint(`commit:before:new:${place}`);
    run.lease = newLease(this.tools, run.lockToken);
    const gate = insert(idempotencyKeys, { ...row, ...this.keyAfter(decision, run) });
    const result = await this.tools.store.commit(commitOf(gate, decision.changes));
    if (!result.done) return result.refused;
    await checkpoint(`commit:after:new:${place}`);
    return null;
  }

  /** Locks a key that is free or whose lock has ended by the store's clock. */
  async takeOver(existingKey: IdempotencyKey, run: KeyedRun): Promise<boolean> {
    const lease = newLease(this.tools, run.lockToken);
    const { lockToken, recoveryPoint } = existingKey;
    const gate = update(
      idempotencyKeys,
      { merchantId: existingKey.merchantId, key: existingKey.key },
      { lockToken: run.lockToken, resumableAt: fromNow(run.leaseMs) },
      { lockToken, recoveryPoint },
      lockToken === null ? null : 'resumableAt',
    );
    const { done } = await this.tools.store.commit(commitOf(gate));
    if (done) nowHeld(run, lease);
    return done;
  }

  /** Writes a decision and the key's new state, guarded by the run's token. */
  async write<State>(decision: Decision<State>, run: KeyedRun): Promise<CommitResult> {
    const place = placeOf(decision);
    await checkpoint(`commit:before:${place}`);
    const { merchantId, key, heldToken } = run;
    const lease = newLease(this.tools, run.lockToken);
    const held = { lockToken: heldToken };
    const gate = update(idempotencyKeys, { merchantId, key }, this.keyAfter(decision, run), held);
    const result = await this.tools.store.commit(commitOf(gate, decision.changes));
    if (result.done) nowHeld(run, lease);
    await checkpoint(`commit:after:${place}`);
    return result;
  }

  /** The key's state after a decision. */
  private keyAfter<State>(decision: Decision<State>, { lockToken }: KeyedRun) {
    const { leaseMs, clock } = this.tools;
    const now = clock.now();
    switch (decision.go) {
      case 'call':
      case 'decide':
        return {
          recoveryPoint: points[decision.go],
          lockToken,
          resumableAt: fromNow(leaseMs),
          ...unanswered,
        };
      case 'pause': {
        const { at, until } = decision;
        const untilMs = until ? Math.max(until.getTime() - now.getTime(), 0) + leaseMs : DAY_MS;
        return { recoveryPoint: at, lockToken: null, resumableAt: fromNow(untilMs), ...unanswered };
      }
      case 'reply':
        return {
          recoveryPoint: FINISHED,
          lockToken: null,
          resumableAt: null,
          responseStatus: decision.status,
          responseBody: decision.body,
          finishedAt: now,
        };
    }
  }

  async read({
    merchantId,
    key,
  }: Pick<IdempotencyKey, 'merchantId' | 'key'>): Promise<IdempotencyKey | null> {
    const [found] = await this.tools.store.find(idempotencyKeys, { merchantId, key }, 1);
    return found ?? null;
  }
}

/** Whether the key shows that the decision was written, though the store's answer to it was lost. */
export function wasWritten<State>(decision: Decision<State>, key: IdempotencyKey | null): boolean {
  if (decision.go === 'reply') return key?.recoveryPoint === FINISHED && key.responseBody === decision.body;
  return decision.go === 'pause' && key?.lockToken === null && key.recoveryPoint === decision.at;
}

function placeOf<State>(decision: Decision<State>): string {
  if (decision.go === 'pause') return `paused:${decision.at}`;
  return decision.go === 'reply' ? FINISHED : points[decision.go];
}
