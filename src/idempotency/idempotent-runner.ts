import { type Refusal } from '../core/change.js';
import { decideAgain, REFUSED } from '../core/decide-again.js';
import { Problem } from '../core/problem.js';
import { type Encryption } from '../core/encryption.js';
import { type KeyedAnswer, type KeyedRequest } from '../core/keyed-request.js';
import { canonicalJson } from './fingerprint.js';
import { type IdempotencyKey } from './idempotency-key.entity.js';
import { FINISHED } from './idempotency-key.table.js';
import { IdempotencyKeyRepository, wasWritten } from './idempotency-key.repository.js';
import {
  type BeginResult,
  type Decision,
  type KeyedRun,
  type Operation,
  type Pause,
  type Reply,
} from './operation.js';
import {
  newRun,
  OperationRun,
  type RunLock,
  type RunTools,
  throughOutages,
  type WriteResult,
} from './operation-run.js';

interface IdempotentRunnerOptions extends RunTools {
  readonly seal: Encryption;
  /** How long a request may open further routes. */
  readonly deadlineMs: number;
  /** Gets the result of each request under a key. */
  readonly onEnded?: (result: KeyResult) => void;
}

/** `new`: the first request with its key; `failed`: refused or failed for another reason. */
export type KeyResult = 'new' | 'replayed' | 'in_progress' | 'reused' | 'failed';

/** A run waits through a pause this short while the client waits. */
const SHORT_PAUSE_MS = 2_000;
const MAX_NAPS = 64;

/** Another run took over the key; what this run still has is only evidence. */
class LockLost extends Error {}

function keyResultOf(refusal: unknown): KeyResult {
  const code = refusal instanceof Problem ? refusal.code : null;
  if (code === 'request_in_progress') return 'in_progress';
  return code === 'idempotency_key_reused' ? 'reused' : 'failed';
}

/**
 * Runs operations under idempotency keys: one run at a time per key, resumable from its recovery point by the next
 * request, or by the completer, with the answer stored once and replayed byte for byte.
 */
export class IdempotentRunner {
  private readonly keys: IdempotencyKeyRepository;
  private readonly operations = new Map<string, Operation<never, unknown>>();

  constructor(private readonly options: IdempotentRunnerOptions) {
    this.keys = new IdempotencyKeyRepository(options);
  }

  /** Operations that the completer may continue. Each module registers its own when the application starts. */
  register(operations: readonly Operation<never, unknown>[]): void {
    for (const operation of operations) this.operations.set(operation.name, operation);
  }

  /** Rejects with a `Problem` for every error that the client should see. */
  async run<Input, State>(
    operation: Operation<Input, State>,
    request: KeyedRequest<Input>,
  ): Promise<KeyedAnswer> {
    const { onEnded } = this.options;
    try {
      const answer = await this.beginOrGoOn(operation, request);
      onEnded?.(answer.replayed ? 'replayed' : 'new');
      return answer;
    } catch (error) {
      const refusal = error instanceof LockLost ? inProgress() : error;
      onEnded?.(keyResultOf(refusal));
      throw refusal;
    }
  }

  /** The first decision of `run`; writes nothing. @throws Problem as `run` */
  async foresee<Input, State>(
    operation: Operation<Input, State>,
    { merchantId, key, actor, traceId, input }: KeyedRequest<Input>,
  ): Promise<Decision<State>> {
    const run = { ...newRun(this.options, traceId, this.options.deadlineMs), merchantId, key, actor };
    return (await throughOutages(this.options, () => operation.begin(input, run, null))).decision;
  }

  /** Continues a key that no run has locked. False if another run has locked it meanwhile, or it is finished. */
  async resume(existingKey: IdempotencyKey, traceId: string): Promise<boolean> {
    const operation = this.operations.get(existingKey.operation);
    if (!operation) throw new RangeError(`no operation is registered for ${existingKey.operation}`);
    const { merchantId, key } = existingKey;
    const run = { ...newRun(this.options, traceId, null), merchantId, key, actor: 'system:completer' };
    try {
      return (await this.takeOver(operation, run, existingKey)) !== null;
    } catch (error) {
      if (error instanceof LockLost) return false;
      throw error;
    }
  }

  private async beginOrGoOn<Input, State>(
    operation: Operation<Input, State>,
    request: KeyedRequest<Input>,
  ): Promise<KeyedAnswer> {
    const { merchantId, key, actor, traceId, input } = request;
    const { clock, deadlineMs, seal } = this.options;
    const run = {
      ...newRun(this.options, traceId, request.deadlineMs ?? deadlineMs),
      merchantId,
      key,
      actor,
    };
    const asked = `${operation.name}\n${canonicalJson(input)}`;
    const waitUntilMs = clock.monotonicMs() + request.waitMs;
    let looksFirst = operation.readsFirst;
    let refused: Refusal | null = null;
    return decideAgain<KeyedAnswer>(
      this.options,
      async () => {
        const hasLooked = looksFirst;
        const existingKey = hasLooked ? await this.keys.read(run) : null;
        looksFirst = true;
        if (existingKey) {
          return this.handleExistingKey(operation, existingKey, asked, run, waitUntilMs);
        }
        let begun: BeginResult<State>;
        try {
          begun = await throughOutages(this.options, () => operation.begin(input, run, refused));
        } catch (error) {
          // Routing may have changed since the first request with this key, which is still answered as it was.
          if (hasLooked || !(error instanceof Problem)) throw error;
          return REFUSED;
        }
        const lock = this.lockOf(operation, run, { ...begun, recoveryPoint: '' });
        refused = await lock.accept(() =>
          this.keys.accept(operation.name, seal.fingerprint(asked), begun, run, request.sourceAddress),
        );
        return refused ? REFUSED : this.answer(lock, begun.decision);
      },
      () => {
        throw inProgress();
      },
    );
  }

  private lockOf<State>(operation: Operation<never, State>, run: KeyedRun, at: KeyPoint): KeyLock<State> {
    return new KeyLock(this.options, this.keys, operation, run, at);
  }

  /** Takes over the key and continues at its recovery point. null if another run has locked it. */
  private async takeOver<State>(
    operation: Operation<never, State>,
    run: KeyedRun,
    key: IdempotencyKey,
  ): Promise<KeyedAnswer | null> {
    if (!(await this.keys.takeOver(key, run))) return null;
    return this.answer(this.lockOf(operation, run, key), null);
  }

  /**
   * Advances the operation to its answer, through short pauses while the client waits. `first`: the decision that is
   * written; null: from the tables.
   */
  private async answer<State>(lock: KeyLock<State>, first: Decision<State> | null): Promise<KeyedAnswer> {
    const loop = new OperationRun(this.options, lock.operation, lock, lock.run);
    let rest = first ? await loop.toRest(first) : await loop.advance(await lock.read());
    for (let naps = 0; naps < MAX_NAPS && rest.go === 'pause' && (await lock.sleepThrough(rest)); naps++) {
      rest = await loop.advance(await lock.read());
    }
    return { status: rest.status, body: rest.body, replayed: false };
  }

  /** This key was used before. REFUSED: it no longer exists. */
  private async handleExistingKey<State>(
    operation: Operation<never, State>,
    existingKey: IdempotencyKey,
    asked: string,
    run: KeyedRun,
    waitUntilMs: number,
  ): Promise<KeyedAnswer | typeof REFUSED> {
    const { clock, store } = this.options;
    const answer = await this.answerOrTakeOver(operation, existingKey, asked, run);
    if (answer) return answer;
    let leftMs = waitUntilMs - clock.monotonicMs();
    if (leftMs <= 0) throw inProgress();
    const watch = store.watchCommits();
    try {
      for (; leftMs > 0; leftMs = waitUntilMs - clock.monotonicMs()) {
        const key = await this.keys.read(run);
        if (!key) return REFUSED;
        const answer = await this.answerOrTakeOver(operation, key, asked, run);
        if (answer) return answer;
        await watch.next(leftMs);
      }
      throw inProgress();
    } finally {
      watch.close();
    }
  }

  /** null: another run holds the key. */
  private async answerOrTakeOver<State>(
    operation: Operation<never, State>,
    key: IdempotencyKey,
    asked: string,
    run: KeyedRun,
  ): Promise<KeyedAnswer | null> {
    const { clock, seal } = this.options;
    const isSame = key.operation === operation.name && seal.matches(asked, key.fingerprint);
    if (isSame === null) {
      throw new Problem(
        'invalid_state',
        'This Idempotency-Key was used before a change of keys here, too long ago to tell whether for the same request. Look the payment up before anything else.',
      );
    }
    if (!isSame) throw reused(key);
    if (key.recoveryPoint === FINISHED) {
      return { status: key.responseStatus!, body: key.responseBody!, replayed: true };
    }
    // A run that lives holds it: to ask for it would be a write that changes nothing, for each look of each who waits.
    const isHeld = key.lockToken !== null && key.resumableAt !== null && key.resumableAt > clock.now();
    return isHeld && clock.isTrusted() ? null : this.takeOver(operation, run, key);
  }
}

/** The fields of its key from which a run reads the state. */
type KeyPoint = Pick<IdempotencyKey, 'subjectId' | 'params' | 'recoveryPoint'>;

/** An idempotency key that a run holds until it has an answer for the client. */
class KeyLock<State> implements RunLock<State, Reply | Pause> {
  constructor(
    private readonly tools: RunTools,
    private readonly keys: IdempotencyKeyRepository,
    readonly operation: Operation<never, State>,
    readonly run: KeyedRun,
    private at: KeyPoint,
  ) {}

  /** Writes the first decision. If the store's answer is lost, the key's token shows whether it was written. */
  async accept(write: () => Promise<Refusal | null>): Promise<Refusal | null> {
    let tries = 0;
    const refused = await throughOutages(this.tools, () => (tries++, write()));
    if (refused?.by !== 'gate' || tries === 1) return refused;
    const key = await throughOutages(this.tools, () => this.keys.read(this.run));
    return key?.lockToken === this.run.lockToken ? null : refused;
  }

  /** Waits through a short pause instead of answering "not yet". False if that is too long, or the PSP has accepted. */
  async sleepThrough({ until, isAccepted }: Pause): Promise<boolean> {
    const { clock } = this.tools;
    const { clientWaiting, deadline } = this.run;
    if (!until || isAccepted || !clientWaiting || until >= deadline) return false;
    const napMs = until.getTime() - clock.now().getTime();
    if (napMs > SHORT_PAUSE_MS) return false;
    await clock.sleep(Math.max(napMs, 0));
    const key = await this.keys.read(this.run);
    if (!key || key.recoveryPoint === FINISHED) return false;
    this.at = key;
    return this.keys.takeOver(key, this.run);
  }

  async write(decision: Decision<State>): Promise<WriteResult> {
    if ((await this.keys.write(decision, this.run)).done) return 'written';
    const key = await this.keys.read(this.run);
    if (wasWritten(decision, key)) return 'written';
    // Written under the new token though the answer was lost, or not written and still under the one before.
    const isOurs = key?.lockToken === this.run.lockToken || key?.lockToken === this.run.heldToken;
    if (!key?.lockToken || !isOurs) return 'unheld';
    this.run.heldToken = key.lockToken;
    this.at = key;
    return 'refused';
  }

  read(): Promise<State> {
    const { subjectId, params, recoveryPoint } = this.at;
    return this.operation.load(subjectId!, params, recoveryPoint, this.run);
  }

  async stepBack(state: State, why: 'refused' | 'unheld'): Promise<Pause> {
    if (why === 'unheld') throw new LockLost();
    const busy = this.operation.busy(state);
    await this.keys.write(busy, this.run);
    return busy;
  }
}

/** Names what the key made: a client that repeats itself in other words must not send its request under a new key. */
function reused({ operation, subjectId }: IdempotencyKey): Problem {
  const noun = /^POST \/v1\/(payment|payout)s/.exec(operation)?.[1];
  const made = noun === undefined || subjectId === null ? null : { noun, id: subjectId };
  const first = made ? `Read ${made.noun} ${made.id}` : 'Find out what that one did';
  return new Problem(
    'idempotency_key_reused',
    `This Idempotency-Key was used before, for another request: ${operation}. A retry sends the same request again, with nothing changed. ${first} before you send this one under a new key.`,
    made ? { members: { [`${made.noun}_id`]: made.id } } : {},
  );
}

function inProgress(): Problem {
  return new Problem(
    'request_in_progress',
    'A request with this Idempotency-Key is still running. Ask again in a moment with the same key, or send Prefer: wait=<seconds>.',
    { retryAfterS: 1 },
  );
}
