import { type Change, gatedByFirst, type Refusal } from '../core/change.js';
import { Lease } from '../core/lease.js';
import { Problem } from '../core/problem.js';
import { type Encryption } from '../core/encryption.js';
import { canonicalJson } from './fingerprint.js';
import { type IdempotencyKey } from './idempotency-key.entity.js';
import { FINISHED } from './idempotency-key.table.js';
import {
  IdempotencyKeyRepository,
  type IdempotencyKeyRepositoryOptions,
} from './idempotency-key.repository.js';
import { type Decision, type Flow, type Run } from './phases.js';

export interface IdempotentRunnerOptions extends IdempotencyKeyRepositoryOptions {
  readonly seal: Encryption;
  /** How long a request may go on opening routes. */
  readonly deadlineMs: number;
}

/** A request as it reaches a flow. */
export interface KeyedRequest<Ask> {
  readonly merchantId: string;
  readonly key: string;
  readonly actor: string;
  readonly traceId: string;
  /** The parsed and validated request, which the fingerprint is taken over. */
  readonly ask: Ask;
  /** How long to wait for a request that runs under the same key, in ms; 0 = not at all. */
  readonly waitMs: number;
  /** How long the caller waits, in ms from now; absent or null = `KeyedFlowsOptions.deadlineMs`. */
  readonly deadlineMs?: number | null;
}

export interface FlowAnswer {
  readonly status: number;
  readonly body: string;
  readonly replayed: boolean;
}

/** A run takes at most so many phases; more means that it turns in a circle. */
const MAX_PHASES = 64;
/** A refused commit is read and decided again so often. */
const MAX_DECISIONS = 6;
/** A pause this short is slept through while the client waits. */
const SHORT_PAUSE_MS = 2_000;

/** What a call came back with, as changes against a state that was just read. */
type Evidence<State> = (fresh: State) => readonly Change[];

/** Another run took the key over; whatever this one still holds is evidence at most. */
class LockLost extends Error {}

/**
 * Runs flows under idempotency keys: one run at a time per key, resumable from its recovery point
 * by the next request, or by the completer, with the answer stored once and replayed to the byte.
 */
export class IdempotentRunner {
  private readonly keys: IdempotencyKeyRepository;

  constructor(private readonly options: IdempotentRunnerOptions) {
    this.keys = new IdempotencyKeyRepository(options);
  }

  /** Rejects with a `Problem` for everything that a client should hear. */
  async run<Ask, State>(flow: Flow<Ask, State>, request: KeyedRequest<Ask>): Promise<FlowAnswer> {
    try {
      return await this.runOrLose(flow, request);
    } catch (error) {
      throw error instanceof LockLost ? inProgress() : error;
    }
  }

  private async runOrLose<Ask, State>(
    flow: Flow<Ask, State>,
    request: KeyedRequest<Ask>,
  ): Promise<FlowAnswer> {
    const asked = `${flow.operation}\n${canonicalJson(request.ask)}`;
    const waitUntilMs = this.options.clock.monotonicMs() + request.waitMs;
    let refused: Refusal | null = null;
    for (let tries = 0; tries < MAX_DECISIONS; tries++) {
      const run = this.newRun(request, true, request.deadlineMs);
      const existingKey = flow.readsFirst || tries > 0 ? await this.keys.read(run) : null;
      if (existingKey) {
        const answer = await this.handleExistingKey(flow, existingKey, asked, run, waitUntilMs);
        if (answer) return answer;
        continue;
      }
      const begun = await flow.begin(request.ask, run, refused);
      refused = await this.keys.accept(flow.operation, this.options.seal.fingerprint(asked), begun, run);
      if (!refused) return this.loop(flow, begun.decision, run);
      await this.keys.backoffAfterConflict(tries, run);
    }
    throw inProgress();
  }

  /** Goes on with a key that no run holds. null when another run holds it after all, or it is finished. */
  async resume<State>(
    flow: Flow<never, State>,
    existingKey: IdempotencyKey,
    traceId: string,
  ): Promise<FlowAnswer | null> {
    const { merchantId, key } = existingKey;
    const run = this.newRun({ merchantId, key, actor: 'system:completer', traceId }, false);
    if (!(await this.keys.takeOver(existingKey, run))) return null;
    try {
      return await this.resumeRun(flow, existingKey, run);
    } catch (error) {
      if (error instanceof LockLost) return null;
      throw error;
    }
  }

  private newRun(
    of: Pick<Run, 'merchantId' | 'key' | 'actor' | 'traceId'>,
    clientWaiting: boolean,
    givenMs?: number | null,
  ): Run {
    const { clock, ids, holder, leaseMs, deadlineMs } = this.options;
    return {
      merchantId: of.merchantId,
      key: of.key,
      actor: of.actor,
      traceId: of.traceId,
      lockToken: holder?.newToken() ?? ids.uuid(),
      leaseMs,
      clientWaiting,
      deadline: new Date(clock.now().getTime() + (clientWaiting ? (givenMs ?? deadlineMs) : 0)),
      clock,
      lease: new Lease(clock, leaseMs),
    };
  }

  /** This key was used before. null: look again. */
  private async handleExistingKey<State>(
    flow: Flow<never, State>,
    existingKey: IdempotencyKey,
    asked: string,
    run: Run,
    waitUntilMs: number,
  ): Promise<FlowAnswer | null> {
    let key = existingKey;
    for (let napMs = 20; ; napMs = Math.min(napMs * 2, 250)) {
      const isSame = key.operation === flow.operation && this.options.seal.matches(asked, key.fingerprint);
      if (isSame === null) {
        throw new Problem(
          'invalid_state',
          'This Idempotency-Key was used before a change of keys here, too long ago to tell whether for the same request. Look the payment up before anything else.',
        );
      }
      if (!isSame) {
        throw new Problem(
          'idempotency_key_reused',
          'This Idempotency-Key was used before, for another call or with other parameters. Use a new key for a new request.',
        );
      }
      if (key.recoveryPoint === FINISHED) return storedAnswer(key);
      if (await this.keys.takeOver(key, run)) return this.resumeRun(flow, key, run);
      const leftMs = waitUntilMs - run.clock.monotonicMs();
      if (leftMs <= 0) throw inProgress();
      await run.clock.sleep(Math.min(napMs, leftMs));
      const again = await this.keys.read(run);
      if (!again) return null;
      key = again;
    }
  }

  private async resumeRun<State>(
    flow: Flow<never, State>,
    existingKey: IdempotencyKey,
    run: Run,
  ): Promise<FlowAnswer> {
    const state = await flow.load(existingKey.subjectId!, existingKey.params, existingKey.recoveryPoint, run);
    return this.commitAndLoop(flow, state, (fresh) => flow.resume(fresh, run), null, run);
  }

  /** From a committed decision to an answer. */
  private async loop<State>(flow: Flow<never, State>, first: Decision<State>, run: Run): Promise<FlowAnswer> {
    let decision = first;
    for (let phases = 0; phases < MAX_PHASES; phases++) {
      if (decision.go === 'reply') return { status: decision.status, body: decision.body, replayed: false };
      if (decision.go === 'pause') return { status: decision.status, body: decision.body, replayed: false };
      const { to, state } = decision;
      const phase = flow.phases[to];
      if (!phase) throw new RangeError(`${flow.operation} has no phase ${to}`);
      if (phase.kind === 'inside') {
        decision = await this.commit(flow, state, (fresh) => phase.decide(fresh, run), null, run);
      } else {
        const fact = await phase.call(state, run);
        const evidence = (fresh: State) => phase.evidence(fresh, fact);
        decision = await this.commit(flow, state, (fresh) => phase.decide(fresh, fact, run), evidence, run);
      }
      decision = await this.sleepThrough(flow, decision, run);
    }
    throw new RangeError(`${flow.operation} did not come to rest in ${MAX_PHASES} phases`);
  }

  private async commitAndLoop<State>(
    flow: Flow<never, State>,
    state: State,
    decide: (state: State) => Decision<State>,
    evidence: Evidence<State> | null,
    run: Run,
  ): Promise<FlowAnswer> {
    const decision = await this.commit(flow, state, decide, evidence, run);
    return this.loop(flow, await this.sleepThrough(flow, decision, run), run);
  }

  /** A pause that ends soon is not worth an answer that says "not yet". */
  private async sleepThrough<State>(
    flow: Flow<never, State>,
    decision: Decision<State>,
    run: Run,
  ): Promise<Decision<State>> {
    if (decision.go !== 'pause' || !decision.until || !run.clientWaiting) return decision;
    const napMs = decision.until.getTime() - run.clock.now().getTime();
    if (napMs > SHORT_PAUSE_MS || decision.until >= run.deadline) return decision;
    await run.clock.sleep(Math.max(napMs, 0));
    const existingKey = await this.keys.read(run);
    if (
      !existingKey ||
      existingKey.recoveryPoint === FINISHED ||
      !(await this.keys.takeOver(existingKey, run))
    )
      return decision;
    const state = await flow.load(existingKey.subjectId!, existingKey.params, existingKey.recoveryPoint, run);
    return this.commit(flow, state, (fresh) => flow.resume(fresh, run), null, run);
  }

  /**
   * Decides and writes, guarded by the run's token. Refused because the world has moved: read it
   * and decide again, with a bound. Refused because the token is no longer ours: what we learned
   * is written down as evidence, and the caller hears that another run holds the key.
   */
  private async commit<State>(
    flow: Flow<never, State>,
    from: State,
    decide: (state: State) => Decision<State>,
    evidence: Evidence<State> | null,
    run: Run,
  ): Promise<Decision<State>> {
    let state = from;
    let outages = 0;
    for (let decisions = 0; decisions < MAX_DECISIONS;) {
      const decision = decide(state);
      try {
        const result = await this.keys.write(decision, run);
        if (result.done) return decision;
        await this.keys.backoffAfterConflict(decisions++, run);
      } catch (error) {
        await this.keys.retryStoreOutage(error, outages++, run);
      }
      const existingKey = await this.keys
        .read(run)
        .catch((error: unknown) => this.keys.retryStoreOutage(error, outages++, run));
      if (!existingKey) continue;
      if (
        existingKey.recoveryPoint === FINISHED &&
        decision.go === 'reply' &&
        existingKey.responseBody === decision.body
      ) {
        return decision;
      }
      if (
        decision.go === 'pause' &&
        existingKey.lockToken === null &&
        existingKey.recoveryPoint === decision.at
      )
        return decision;
      if (existingKey.lockToken !== run.lockToken) {
        await this.leaveEvidence(flow, evidence, run);
        throw new LockLost();
      }
      // Where even that cannot be read, the old state is decided again, and refused if it is stale.
      const fresh = flow.load(existingKey.subjectId!, existingKey.params, existingKey.recoveryPoint, run);
      state =
        (await fresh.catch((error: unknown) => this.keys.retryStoreOutage(error, outages++, run))) ?? state;
    }
    // Another run drives what this run waits for. It steps back and stays resumable.
    await this.leaveEvidence(flow, evidence, run);
    const busy = flow.busy(state, run);
    await this.keys.write(busy, run);
    return busy;
  }

  /** Writes down what the call came back with, for the run that decides now; read anew, with a bound. */
  private async leaveEvidence<State>(
    flow: Flow<never, State>,
    evidence: Evidence<State> | null,
    run: Run,
  ): Promise<void> {
    if (!evidence) return;
    for (let tries = 0; tries < MAX_DECISIONS; tries++) {
      const existingKey = await this.keys.read(run);
      if (!existingKey) return;
      const changes = evidence(
        await flow.load(existingKey.subjectId!, existingKey.params, existingKey.recoveryPoint, run),
      );
      if (changes.length === 0 || (await this.options.store.commit(gatedByFirst(changes))).done) return;
    }
  }
}

function storedAnswer({ responseStatus, responseBody }: IdempotencyKey): FlowAnswer {
  return { status: responseStatus!, body: responseBody!, replayed: true };
}

function inProgress(): Problem {
  return new Problem(
    'request_in_progress',
    'A request with this Idempotency-Key is still running. Ask again in a moment with the same key, or send Prefer: wait=<seconds>.',
    { retryAfterS: 1 },
  );
}
