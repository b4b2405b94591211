import { APPLY_DELAYS_MS, applyDelayMs } from './apply-schedule.js';

describe('when a notification of an unknown operation is looked at again', () => {
  it('waits longer each time, for more than a day in all, and then no more', () => {
    expect(APPLY_DELAYS_MS).toEqual(APPLY_DELAYS_MS.toSorted((a, b) => a - b));
    expect(APPLY_DELAYS_MS.map((_, tries) => applyDelayMs(tries, 0.999_999))).toEqual(
      APPLY_DELAYS_MS.map((ms) => Math.floor(ms * 0.999_999)),
    );
    expect(applyDelayMs(APPLY_DELAYS_MS.length, 0.5)).toBeNull();
  });

  it('is drawn from zero to that long', () => {
    expect([0, 0.25, 0.5].map((random) => applyDelayMs(1, random))).toEqual([0, 2_500, 5_000]);
  });
});
