import { Problem } from '../core/problem.js';
import { type InFlightRequest } from './access.js';

const RETRY_S = 1;

/** A bound on what is worked on at once. */
export class Places {
  private used = 0;

  constructor(
    private readonly count: number,
    private readonly noun: 'requests' | 'notifications' | 'sign-ins',
  ) {}

  get taken(): number {
    return this.used;
  }

  get left(): number {
    return this.count - this.used;
  }

  /**
   * Counts the request until its answer is ready.
   * @throws Problem `overloaded` where no place is left
   */
  take(inFlight: Pick<InFlightRequest, 'release'>): void {
    if (this.used >= this.count) {
      throw new Problem('overloaded', `More ${this.noun} are being worked on than this process takes.`, {
        retryAfterS: RETRY_S,
      });
    }
    this.used++;
    inFlight.release = () => this.used--;
  }
}
