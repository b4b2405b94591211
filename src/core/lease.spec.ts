import { ManualClock } from './clock.js';
import { Lease } from './lease.js';

describe('a lease', () => {
  it('ends by the clock that says so first', () => {
    const clock = new ManualClock();
    expect(new Lease(clock, 1_000).outlives(1_000)).toBe(true);
    expect(new Lease(clock, 1_000).outlives(1_001)).toBe(false);

    const wall = { now: clock.now().getTime(), monotonic: 0 };
    const twoClocks = {
      now: () => new Date(wall.now),
      wallMs: () => wall.now,
      isTrusted: () => true,
      monotonicMs: () => wall.monotonic,
      sleep: () => Promise.resolve(),
      timer: () => () => {},
    };
    const lease = new Lease(twoClocks, 1_000);
    wall.now += 5_000; // the machine slept; its monotonic clock did not notice
    expect(lease.outlives(0)).toBe(false);
    wall.now -= 60_000; // an operator set the wall clock back
    wall.monotonic += 2_000;
    expect(lease.outlives(0)).toBe(false);
  });

  it.each([
    ['the wall clock', { wallMs: 500, monotonicMs: 0 }, 500],
    ['the monotonic clock', { wallMs: -500, monotonicMs: 0 }, 1_000],
  ])('lasts as long as %s says, to the millisecond', (_, gone, leftMs) => {
    const time = { wallMs: 0, monotonicMs: 0 };
    const clock = Object.assign(new ManualClock(), {
      wallMs: () => time.wallMs,
      monotonicMs: () => time.monotonicMs,
    });
    const lease = new Lease(clock, 1_000);
    Object.assign(time, gone);
    expect(lease.outlives(leftMs)).toBe(true);
    expect(lease.outlives(leftMs + 1)).toBe(false);
  });
});
