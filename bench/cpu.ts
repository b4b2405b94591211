import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of processes, as Linux counts it (in steps of 10 ms). Elsewhere everything is null. */

/** The kernel's USER_HZ; 100 on every architecture that Node runs on. */
const TICK_MS = 10;

interface Stat {
  readonly parent: number;
  readonly ownMs: number;
  /** Of children that have ended and were waited for. */
  readonly endedChildrenMs: number;
}

/** User and system time of one process so far, with all its threads. */
export function cpuMsOf(pid: number): number | null {
  return statOf(pid)?.ownMs ?? null;
}

/** Of a process and all its children, those that have ended too: Postgres with its backends. */
export function cpuMsOfFamily(pid: number): number | null {
  const stat = statOf(pid);
  if (!stat) return null;
  let sum = stat.ownMs + stat.endedChildrenMs;
  for (const child of childrenOf(pid)) sum += statOf(child)?.ownMs ?? 0;
  return sum;
}

/** Of the children of a process that have ended. */
export function cpuMsOfEndedChildren(pid: number): number | null {
  return statOf(pid)?.endedChildrenMs ?? null;
}

export function parentOf(pid: number): number | null {
  return statOf(pid)?.parent ?? null;
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => statOf(other)?.parent === pid);
}

/** proc(5): the name stands in parentheses and may hold anything; fields are counted after it. */
function statOf(pid: number): Stat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (field: number) => Number(fields[field - 3]);
  return {
    parent: ticks(4),
    ownMs: (ticks(14) + ticks(15)) * TICK_MS,
    endedChildrenMs: (ticks(16) + ticks(17)) * TICK_MS,
  };
}
