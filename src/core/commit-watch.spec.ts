import { ManualClock } from './clock.js';
import { CommitWatch } from './commit-watch.js';

function scene() {
  const clock = new ManualClock();
  const watch = new CommitWatch(clock, () => {});
  let looks = 0;
  const next = (ms: number) => void watch.next(ms).then(() => (looks += 1));
  const settled = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    return looks;
  };
  return { clock, watch, next, settled };
}

describe('CommitWatch', () => {
  it('waits for a commit', async () => {
    const { watch, next, settled } = scene();
    next(10_000);
    expect(await settled()).toBe(0);
    watch.wake();
    expect(await settled()).toBe(1);
  });

  it('misses none between two waits, and takes several for one', async () => {
    const { watch, next, settled } = scene();
    watch.wake();
    watch.wake();
    next(10_000);
    expect(await settled()).toBe(1);
    next(10_000);
    expect(await settled()).toBe(1);
  });

  it('looks ten times a second at most, however much is committed', async () => {
    const { clock, watch, next, settled } = scene();
    watch.wake();
    next(10_000);
    expect(await settled()).toBe(1);
    next(10_000);
    watch.wake();
    clock.advance(99);
    watch.wake();
    expect(await settled()).toBe(1);
    clock.advance(1);
    expect(await settled()).toBe(2);
  });

  it('looks after half a second by itself, or when its time is over', async () => {
    const { clock, next, settled } = scene();
    next(10_000);
    clock.advance(499);
    expect(await settled()).toBe(0);
    clock.advance(1);
    expect(await settled()).toBe(1);
    next(30);
    clock.advance(30);
    expect(await settled()).toBe(2);
  });
});
