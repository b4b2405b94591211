import { setTimeout as sleep } from 'node:timers/promises';

/** The one limit for states that a spec waits for. It is long: a machine may be busy, and a state that comes costs nothing. */
export const PATIENCE_MS = 60_000;

/** Waits until `look` finds something, and returns it. @throws when it is not so within `patienceMs` */
export async function eventually<T>(
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  what: string,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > giveUpAt) throw new Error(`${what}: not so within ${patienceMs} ms`);
    await sleep(25);
  }
}
