import {
  delayAfter,
  DELIVERY_DELAYS_MS,
  MAX_RETRY_AFTER_MS,
  MAX_TRIES,
  retryAfterMsOf,
} from './delivery-schedule.js';

describe('the schedule of deliveries', () => {
  it('makes sixteen tries over three days, ever further apart', () => {
    const hours = DELIVERY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0) / 3_600_000;
    expect(MAX_TRIES).toBe(16);
    expect(hours).toBeGreaterThan(70);
    expect(hours).toBeLessThanOrEqual(72);
    expect(DELIVERY_DELAYS_MS).toEqual(DELIVERY_DELAYS_MS.toSorted((a, b) => a - b));
  });
});

describe('the next try', () => {
  it('is made a tenth earlier to a tenth later than planned, and none after the last', () => {
    expect(delayAfter(1, null, 0)).toBe(4_500);
    expect(delayAfter(1, null, 0.5)).toBe(5_000);
    expect(delayAfter(1, null, 0.999_999)).toBe(5_500);
    expect(delayAfter(15, null, 0.5)).toBe(24 * 3_600_000);
    expect(delayAfter(MAX_TRIES, null, 0.5)).toBeNull();
    expect(delayAfter(MAX_TRIES, 1_000, 0.5)).toBeNull();
  });

  it('is made no sooner than the endpoint asked for', () => {
    expect(delayAfter(1, 60_000, 0.5)).toBe(60_000);
    expect(delayAfter(6, 60_000, 0.5)).toBe(30 * 60_000);
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-11-21T10:00:00Z');

  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 10:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['999999999', MAX_RETRY_AFTER_MS],
    ['Tue, 01 Dec 2026 00:00:00 GMT', MAX_RETRY_AFTER_MS],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%s is %s ms', (header, ms) => {
    expect(retryAfterMsOf(header, now)).toBe(ms);
  });
});
