import { LOCK_TOO_OLD } from '../../psp/network-error.js';
import { type PspAttempt } from '../route.entity.js';

/** A process may lose its lock so often in a row before the next call waits: for a second, then for twice as long. */
const SKIPS_AT_ONCE = 3;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** The call was not made because our own lock no longer outlived it: a fact about us, never about the PSP. */
export function wasSkipped({ outcome, pspCode }: PspAttempt): boolean {
  return outcome === 'not_sent' && pspCode === LOCK_TOO_OLD;
}

/** The next call of the route waits until then, because its last calls were skipped; null if it need not wait. */
export function mayCallFrom(attempts: readonly PspAttempt[]): Date | null {
  const inARow = attempts.length - 1 - attempts.findLastIndex((a) => !wasSkipped(a));
  if (inARow < SKIPS_AT_ONCE) return null;
  const { startedAt, endedAt } = attempts.at(-1)!;
  const delay = Math.min(FIRST_WAIT_MS * 2 ** (inARow - SKIPS_AT_ONCE), MAX_WAIT_MS);
  return new Date((endedAt ?? startedAt).getTime() + delay);
}
