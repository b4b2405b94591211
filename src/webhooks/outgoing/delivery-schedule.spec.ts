import { DELIVERY_DELAYS_MS, MOST_TRIES } from './delivery-schedule.js';

describe('the schedule of deliveries', () => {
  it('makes sixteen tries over three days, ever further apart', () => {
    const hours = DELIVERY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0) / 3_600_000;
    expect(MOST_TRIES).toBe(16);
    expect(hours).toBeGreaterThan(70);
    expect(hours).toBeLessThanOrEqual(72);
    expect(DELIVERY_DELAYS_MS).toEqual(DELIVERY_DELAYS_MS.toSorted((a, b) => a - b));
  });
});
