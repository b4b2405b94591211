import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock } from '../../core/clock.js';

/**
 * Mutual exclusion between the processes of one checkout, by files alone, that a SIGKILL cannot
 * leave locked.
 *
 * A lock file that names its holder has to be broken when the holder dies, and two processes that
 * break it at the same moment can both come to hold it. Lamport's bakery has no file that two
 * processes ever write or take from each other: everybody draws a ticket of their own, and a ticket
 * whose process is gone may be removed by anybody, because its name is never used again.
 */

/**
 * The name of a process in a directory: `<pid>.<started>.<directory>.<nonce>`. The start time tells
 * a process from a later one with the same pid; the directory's hash tells marks made here from
 * marks that were copied along with the directory.
 */
export function markOf(directory: string): string {
  return [process.pid, startedAt(process.pid), directoryHash(directory), randomBytes(6).toString('hex')].join(
    '.',
  );
}

/** Whether the process that made this mark in this directory is still running. */
export function isMarkAlive(mark: string, directory: string): boolean {
  const [pid, started, home] = mark.split('.');
  return home === directoryHash(directory) && started !== undefined && startedAt(Number(pid)) === started;
}

/** Whether a process runs under this pid. A zombie does not. */
export function isProcessAlive(pid: number): boolean {
  return startedAt(pid) !== null;
}

/** When the process was started, in a form that only equality is asked of; null when there is none. */
function startedAt(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  if (process.platform !== 'linux') {
    try {
      const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
      return started.replaceAll(/\W+/g, '') || null;
    } catch {
      return null;
    }
  }
  try {
    // proc(5): after the command in parentheses come the state and, 19 fields on, the start time.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function directoryHash(directory: string): string {
  return createHash('sha256').update(directory).digest('hex').slice(0, 12);
}

/** Runs `work` while no other process (and no other call in this one) holds the lock in `directory`. */
export async function withProcessLock<T>(
  directory: string,
  clock: Clock,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const me = markOf(directory);
  const choosing = join(directory, `choosing_${me}`);
  writeFileSync(choosing, '');
  const last = Math.max(0, ...ticketsIn(directory).map((ticket) => ticket.number));
  const mine = `ticket_${String(last + 1).padStart(12, '0')}_${me}`;
  writeFileSync(join(directory, mine), '');
  rmSync(choosing);

  try {
    const giveUpAtMs = clock.monotonicMs() + timeoutMs;
    for (;;) {
      const ahead = aheadOf(mine, directory);
      if (ahead === null) break;
      if (clock.monotonicMs() > giveUpAtMs) {
        throw new Error(
          `process ${ahead.split('.')[0]} has held the lock in ${directory} for ${timeoutMs} ms`,
        );
      }
      await clock.sleep(10);
    }
    return await work();
  } finally {
    rmSync(join(directory, mine), { force: true });
  }
}

/**
 * A living process that has to be waited for, or null. Two readings, in this order: who was choosing in
 * the first has written a ticket before the second, so none can be missed between them.
 */
function aheadOf(mine: string, directory: string): string | null {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith('choosing_')) continue;
    const mark = name.slice('choosing_'.length);
    if (isMarkAlive(mark, directory)) return mark;
    rmSync(join(directory, name), { force: true });
  }
  for (const { name, mark } of ticketsIn(directory)) {
    if (name >= mine) continue;
    if (isMarkAlive(mark, directory)) return mark;
    rmSync(join(directory, name), { force: true });
  }
  return null;
}

function ticketsIn(directory: string): { name: string; number: number; mark: string }[] {
  return readdirSync(directory)
    .filter((name) => name.startsWith('ticket_'))
    .map((name) => {
      const [, number, mark] = name.split('_');
      return { name, number: Number(number), mark: mark ?? '' };
    });
}
