import {
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleWhenResult,
} from 'cockatiel';
import { type Answer } from './contract.js';
import { LOCK_TOO_OLD } from './network-error.js';

export interface BreakerOptions {
  /** So many failures in a row open it. */
  readonly failuresInARow: number;
  /** After this long one call may try whether the PSP is back. */
  readonly retryAfterMs: number;
}

export const breakerDefaults: BreakerOptions = { failuresInARow: 10, retryAfterMs: 5_000 };

/** `open`: by itself, until a call succeeds; `held_open`: by an operator, until one closes it. */
export type BreakerState = 'closed' | 'open' | 'held_open';

/**
 * Stops sending money orders to a PSP account that keeps failing: an open breaker is an answer
 * at once, `not_sent`, and so a proof to go elsewhere with. Only what speaks of the PSP's health
 * counts (`unknown`, `not_sent`); a decline, a refusal and a 429 are signs of life. Lookups and
 * cancels are not stopped: they settle doubt, are few, and have a schedule of their own.
 */
export class Breaker {
  private policy: CircuitBreakerPolicy;
  private isHeld = false;

  constructor(private readonly options: BreakerOptions = breakerDefaults) {
    this.policy = policyOf(options);
  }

  get state(): BreakerState {
    if (this.isHeld) return 'held_open';
    return this.policy.state === CircuitState.Closed ? 'closed' : 'open';
  }

  /** Nothing passes until it is closed by hand. */
  hold(): void {
    this.isHeld = true;
  }

  /** Closes it, a person's opening included, and forgets the failures until now. */
  close(): void {
    this.isHeld = false;
    this.policy = policyOf(this.options);
  }

  /** `call` must not throw. */
  async run(call: () => Promise<Answer>): Promise<Answer> {
    if (this.isHeld)
      return this.refusal('An operator holds the breaker of this PSP open; nothing is sent to it');
    // While one call tries whether the PSP is back, cockatiel makes the others wait for it, which
    // could double the longest time a call takes. Ours are answered at once.
    if (this.policy.state === CircuitState.HalfOpen) return this.refusal();
    try {
      return await this.policy.execute(call);
    } catch (error) {
      if (error instanceof BrokenCircuitError) return this.refusal();
      throw error;
    }
  }

  private refusal(message = 'This PSP has kept failing; nothing is sent to it for the moment'): Answer {
    return {
      outcome: 'not_sent',
      pspCode: 'breaker_open',
      message,
      retryAfterMs: this.options.retryAfterMs,
    };
  }
}

function policyOf({ failuresInARow, retryAfterMs }: BreakerOptions): CircuitBreakerPolicy {
  return circuitBreaker(
    handleWhenResult((answer) => isFailure(answer as Answer)),
    { breaker: new ConsecutiveBreaker(failuresInARow), halfOpenAfter: retryAfterMs },
  );
}

/** A lock that lapsed while the connection was made is ours; that the connection stood is a sign of life. */
export function isFailure({ outcome, pspCode }: Answer): boolean {
  return outcome === 'unknown' || (outcome === 'not_sent' && pspCode !== LOCK_TOO_OLD);
}
