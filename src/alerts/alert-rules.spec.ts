import fc from 'fast-check';
import { alertDue, type Told, type Waiting } from './alert-rules.js';

const MINUTE_MS = 60_000;
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * MINUTE_MS);
const stuck = (count: number, newest: number | null): Waiting => ({
  list: 'stuck',
  count,
  oldestAt: count === 0 ? null : at(0),
  newestAt: newest === null ? null : at(newest),
  money: [],
});
const told = (count: number, newest: number | null, minutes: number): Told => ({
  count,
  newestAt: newest === null ? null : at(newest),
  toldAt: at(minutes),
});

describe('an alert', () => {
  it.each([
    ['of the first thing that waits comes at once', stuck(1, 10), null, 10, 'new'],
    ['of nothing does not come', stuck(0, null), null, 10, null],
    ['of nothing more says that it is over, once', stuck(0, null), told(1, 10, 10), 11, 'over'],
    ['that said so is not repeated', stuck(0, null), told(0, null, 11), 999, null],
    ['after that begins anew at once', stuck(1, 12), told(0, null, 11), 12, 'new'],
    ['of what was told does not come again', stuck(3, 10), told(3, 10, 10), 200, null],
    ['of more waits until five minutes are over', stuck(4, 11), told(3, 10, 10), 14, null],
    ['of more comes then', stuck(4, 11), told(3, 10, 10), 15, 'new'],
    ['of what still waits after four hours is a reminder', stuck(3, 10), told(3, 10, 10), 250, 'reminder'],
    ['of more that are as old comes too', stuck(4, 10), told(3, 10, 10), 16, 'new'],
    ['of fewer that are as old does not come', stuck(2, 10), told(3, 10, 10), 30, null],
  ] as const)('%s', (_what, waiting, before, now, event) => {
    expect(alertDue(waiting, before, at(now))).toBe(event);
  });

  it('comes of everything within five minutes, at most once in these, and ends when nothing waits', () => {
    const step = fc.record({ comes: fc.nat(50), goes: fc.nat(50), minutes: fc.integer({ min: 1, max: 3 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let [now, count, newest] = [0, 0, null as number | null];
        let last: Told | null = null;
        let lastTrigger = -Infinity;
        for (const { comes, goes, minutes } of steps) {
          now += minutes;
          count = Math.max(0, count - goes) + comes;
          if (comes > 0) newest = now;
          if (count === 0) newest = null;
          const event = alertDue(stuck(count, newest), last, at(now));
          const isKnown = last !== null && last.count > 0;
          if (event === 'over') expect(count).toBe(0);
          else if (event !== null && isKnown) expect(now - lastTrigger).toBeGreaterThanOrEqual(5);
          // What came is told of by now, or so much was told a moment ago.
          if (event === null && count > 0 && newest !== null && at(newest) > (last?.newestAt ?? at(-1))) {
            expect(now - lastTrigger).toBeLessThan(5);
          }
          if (event !== null) {
            last = told(count, newest, now);
            lastTrigger = now;
          }
          expect((last?.count ?? 0) > 0 || count === 0).toBe(true);
        }
      }),
    );
  });
});
