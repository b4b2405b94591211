import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.js';

/** Ends the Postgres of this data directory with a signal, if one runs; resolves when it is gone. */
export async function endPostmaster(data: string, signal: NodeJS.Signals): Promise<void> {
  const pid = postmasterOf(data);
  if (pid === null) return;
  process.kill(pid, signal);
  await eventually(() => !isRunning(pid), 'the postmaster is gone');
}

function postmasterOf(data: string): number | null {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return isRunning(pid) ? pid : null;
  } catch {
    return null;
  }
}

/** A zombie that nobody has reaped yet is gone, too; so is a process of another kind under its number. */
function isRunning(pid: number): boolean {
  try {
    return /^\d+ \(postgres\) [^Z]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
