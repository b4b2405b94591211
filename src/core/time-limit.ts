import { type Clock } from './clock.js';

/** Something took longer than it may. What it was doing may still come to an end. */
class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** The promise, or TimedOut after `ms`. */
export async function withTimeout<T>(clock: Clock, ms: number, what: string, work: Promise<T>): Promise<T> {
  const settled = new AbortController();
  const limit = clock.sleep(ms, settled.signal).then(() => {
    throw new TimedOut(`${what} took longer than ${ms} ms`);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    // The sleep rejects with this; the race above has looked at it already.
    settled.abort(new Error('settled'));
  }
}
