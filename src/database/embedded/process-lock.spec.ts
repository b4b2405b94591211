import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../core/clock.js';
import { isMarkAlive, isProcessAlive, markOf, withProcessLock } from './process-lock.js';

const clock = new SystemClock();
let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'payonce-lock-'))));
afterEach(() => rmSync(directory, { recursive: true }));

/** The mark of a process that has ended: our own pid, another start. */
function deadMark(): string {
  const [pid, , home, nonce] = markOf(directory).split('.');
  return [pid, 1, home, nonce].join('.');
}

describe('withProcessLock', () => {
  it('lets one in at a time, and everybody in the end', async () => {
    let inside = 0;
    let most = 0;
    const done: number[] = [];
    const work = (n: number) =>
      withProcessLock(directory, clock, 20_000, async () => {
        most = Math.max(most, ++inside);
        await clock.sleep(n % 3);
        inside--;
        done.push(n);
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => work(n)));
    expect(most).toBe(1);
    expect(done).toHaveLength(20);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is free again after work that throws', async () => {
    const thrown = withProcessLock(directory, clock, 1_000, () => Promise.reject(new Error('broken')));
    await expect(thrown).rejects.toThrow('broken');
    expect(await withProcessLock(directory, clock, 1_000, async () => 'in')).toBe('in');
  });

  it('does not wait for the dead, holding or choosing, and clears up after them', async () => {
    writeFileSync(join(directory, `ticket_000000000001_${deadMark()}`), '');
    writeFileSync(join(directory, `choosing_${deadMark()}`), '');
    expect(await withProcessLock(directory, clock, 1_000, async () => 'in')).toBe('in');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('waits for the living with a bound, and names them', async () => {
    writeFileSync(join(directory, `ticket_000000000001_${markOf(directory)}`), '');
    const waited = withProcessLock(directory, clock, 50, async () => 'in');
    await expect(waited).rejects.toThrow(
      `process ${process.pid} has held the lock in ${directory} for 50 ms`,
    );
  });
});

describe('marks', () => {
  it('are alive here and in no copy of the directory', () => {
    const mark = markOf(directory);
    expect(isMarkAlive(mark, directory)).toBe(true);
    expect(isMarkAlive(mark, `${directory}-copy`)).toBe(false);
    expect(isMarkAlive(deadMark(), directory)).toBe(false);
    expect(markOf(directory)).not.toBe(mark);
  });

  it.each(['', 'x', '1.2.3', '0.0.0.0', 'NaN.NaN'])('%j is nobody', (mark) => {
    expect(isMarkAlive(mark, directory)).toBe(false);
  });

  it.each([0, -1, 1.5, Number.NaN, 4_000_000_000])('no process runs under %p', (pid) => {
    expect(isProcessAlive(pid)).toBe(false);
  });
});
