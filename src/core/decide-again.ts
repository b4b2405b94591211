import { type Clock } from './clock.js';
import { type Ids } from './ids.js';
import { Problem } from './problem.js';

/** The decision rests on data that has changed since it was read. */
export const REFUSED = Symbol('refused');

/** The one bound: a refused commit is read and decided again so often. */
const MAX_DECISIONS = 6;

/** Reads, decides and writes, and does so again where it was refused; after a bound, what `otherwise` comes to. */
export async function decideAgain<T>(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  work: () => Promise<T | typeof REFUSED>,
  otherwise: () => T | Promise<T> = changesTooFast,
): Promise<T> {
  for (let refusals = 0; refusals < MAX_DECISIONS; refusals++) {
    const done = await work();
    if (done !== REFUSED) return done;
    // Lets the others finish: a few milliseconds, twice as many each time.
    await clock.sleep(ids.random() * 4 * 2 ** refusals);
  }
  return otherwise();
}

function changesTooFast(): never {
  throw new Problem('overloaded', 'What is asked about changes too fast.', { retryAfterS: 1 });
}
