import { delayMs } from './backoff.js';
import { AbortedError, type CallFacts, DeadlineError } from './errors.js';
import { type Answer, exchange, type Failure, type Request } from './exchange.js';
import { type Patience, type Settings } from './options.js';

/** More tries than any patience needs; a clock that stands still must not make one call endless. */
const MOST_TRIES = 10_000;

export interface CallOptions extends Required<Patience> {
  readonly signal: AbortSignal | undefined;
  /** Null for calls that change nothing. */
  readonly idempotencyKey: string | null;
  /** How long to go on asking while the outcome is not known yet, from the start of the call. 0: not at all. */
  readonly waitUntilSettledMs: number;
}

export interface Outcome extends Answer {
  readonly tries: number;
}

type Tools = Pick<Settings, 'fetch' | 'clock' | 'random' | 'initialDelayMs' | 'maxDelayMs'>;

/** Asking again brings nothing: it is the customer's turn. */
function waitsForCustomer(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'status' in body && body.status === 'requires_action';
}

/** One logical call: as many tries of one request as it takes, or as are allowed. */
export class Call {
  private readonly startedMs: number;
  private tries = 0;
  /** Failures in a row. */
  private failures = 0;
  /** Waits since the call began, or since it turned from trying into waiting for the outcome. */
  private waits = 0;
  private mayHaveActed = false;
  /** The last 202. */
  private unsettled: Answer | null = null;

  constructor(
    private readonly request: Request,
    private readonly options: CallOptions,
    private readonly tools: Tools,
  ) {
    this.startedMs = tools.clock.monotonicMs();
  }

  /** @throws PayonceError */
  async run(): Promise<Outcome> {
    const { signal, maxTries, waitUntilSettledMs } = this.options;
    while (this.tries < MOST_TRIES) {
      if (signal?.aborted) throw this.aborted(signal);
      const came = await this.attempt();
      if (signal?.aborted && came.kind === 'failure') throw this.aborted(signal);
      if (came.kind === 'answer') {
        if (came.status !== 202 || waitUntilSettledMs === 0 || waitsForCustomer(came.body)) {
          return this.outcome(came);
        }
        if (this.unsettled === null) this.waits = 0;
        this.unsettled = came;
        this.failures = 0;
      } else {
        this.failures += 1;
        if (!came.retry) throw came.error(this.facts());
        if (this.failures >= maxTries) return this.giveUp(came);
      }
      const waitMs = this.nextWaitMs(came);
      if (this.elapsedMs() + waitMs >= this.limitMs()) return this.tooLate(came);
      await this.wait(waitMs);
    }
    throw new RangeError(`${MOST_TRIES} tries, and the clock of the client does not move`);
  }

  private async attempt(): Promise<Answer | Failure> {
    this.tries += 1;
    const { clock, fetch } = this.tools;
    const { tryTimeoutMs, signal, idempotencyKey } = this.options;
    const timeoutMs = Math.min(tryTimeoutMs, Math.max(0, this.limitMs() - this.elapsedMs()));
    const came = await exchange(this.request, fetch, clock, { timeoutMs, signal });
    const inTheDark = came.kind === 'failure' ? came.mayHaveActed : came.status === 202;
    if (inTheDark && idempotencyKey !== null) this.mayHaveActed = true;
    return came;
  }

  private nextWaitMs({ retryAfterMs }: Answer | Failure): number {
    this.waits += 1;
    return delayMs(this.waits, this.tools.random(), this.tools, retryAfterMs);
  }

  private async wait(ms: number): Promise<void> {
    const { signal } = this.options;
    try {
      await this.tools.clock.sleep(ms, signal);
    } catch (error) {
      if (signal?.aborted) throw this.aborted(signal);
      throw error;
    }
  }

  /** From the start of the call. */
  private limitMs(): number {
    const { deadlineMs, waitUntilSettledMs } = this.options;
    return this.unsettled === null ? deadlineMs : Math.min(deadlineMs, waitUntilSettledMs);
  }

  private elapsedMs(): number {
    return this.tools.clock.monotonicMs() - this.startedMs;
  }

  /** That the outcome is not known yet is an answer; what failed after it says no more than it does. */
  private giveUp(failure: Failure): Outcome {
    if (this.unsettled !== null) return this.outcome(this.unsettled);
    throw failure.error(this.facts());
  }

  private tooLate(came: Answer | Failure): Outcome {
    if (this.unsettled !== null) return this.outcome(this.unsettled);
    if (came.kind === 'answer') return this.outcome(came);
    throw new DeadlineError(this.options.deadlineMs, this.facts(), came.error(this.facts()));
  }

  private outcome(answer: Answer): Outcome {
    return { ...answer, tries: this.tries };
  }

  private aborted({ reason }: AbortSignal): AbortedError {
    return new AbortedError(this.facts(), reason);
  }

  private facts(): CallFacts {
    const { idempotencyKey } = this.options;
    return { idempotencyKey, outcomeKnown: !this.mayHaveActed, tries: this.tries };
  }
}
