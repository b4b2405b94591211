import { type Clock } from '../core/clock.js';
import { CallDeadline } from './call-deadline.js';
import { type PspConfig } from './psp-entry.js';
import { pspText } from './psp-text.js';
import { adapterNamed } from './registry.js';

/** Whether a PSP takes the credentials of an account for payments, in words for people. */
interface ConnectionCheck {
  readonly works: boolean;
  readonly says: string;
}

/** How far a chain of causes is followed. */
const MAX_DEPTH = 6;

/** Asks the PSP, by the credentials of this account, for something that changes nothing. Ends within the account's timeout. */
export async function checkConnection(psp: PspConfig, clock: Clock): Promise<ConnectionCheck> {
  const { adapter, timeoutMs, credentials } = psp;
  const entry = adapterNamed(adapter)!;
  const secrets = entry.credentials.flatMap(({ name, secret }) => (secret ? [credentials[name] ?? ''] : []));
  const call = new CallDeadline(timeoutMs, () => true);
  const late = new Error(`no answer within ${timeoutMs} ms`);
  const stop = clock.timer(timeoutMs, () => call.giveUp(late));
  try {
    const givenUp = new Promise<never>((_, reject) => call.onGivenUp(reject));
    return { works: true, says: await Promise.race([entry.check({ ...psp, clock }, call), givenUp]) };
  } catch (error) {
    return { works: false, says: pspText(saidBy(error), secrets) };
  } finally {
    stop();
  }
}

/** The words of the first cause: clients wrap what the network said. */
function saidBy(error: unknown, depth = 0): string {
  const { message, cause, detail } = error as { message?: string; cause?: unknown; detail?: unknown };
  const first = [cause, detail].find((each) => each instanceof Error);
  if (first !== undefined && depth < MAX_DEPTH) return saidBy(first, depth + 1);
  return message ?? String(error);
}
