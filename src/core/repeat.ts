import { type Clock } from './clock.js';

/**
 * Waits, works, waits again, until `signal` is aborted. `waitMs` says how long each time, in ms.
 * @param work handles its own errors
 */
export async function repeat(
  clock: Clock,
  signal: AbortSignal,
  waitMs: () => number,
  work: () => Promise<void>,
): Promise<void> {
  for (;;) {
    await clock.sleep(waitMs(), signal).catch(() => {});
    if (signal.aborted) return;
    await work();
  }
}
