import fc from 'fast-check';
import { type Backoff, delayMs } from './backoff.js';

const stripes: Backoff = { initialDelayMs: 500, maxDelayMs: 5_000 };

const backoffs = fc
  .tuple(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 0, max: 600_000 }))
  .map(([initialDelayMs, more]) => ({ initialDelayMs, maxDelayMs: initialDelayMs + more }));
const tries = fc.integer({ min: 1, max: 10_000 });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const retryAfter = fc.option(fc.integer({ min: 0, max: 10_000_000 }));

describe('the delay before another try', () => {
  it('is doubled from the initial one up to the cap, where chance takes all of it', () => {
    const all = [1, 2, 3, 4, 5, 6].map((n) => delayMs(n, 1, stripes, null));
    expect(all).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('is half of that where chance takes the least, and the first is never less than the initial one', () => {
    const least = [1, 2, 3, 4, 5, 6].map((n) => delayMs(n, 0, stripes, null));
    expect(least).toEqual([500, 500, 1_000, 2_000, 2_500, 2_500]);
  });

  it('is never below the base and never above the cap', () => {
    fc.assert(
      fc.property(tries, chance, backoffs, (n, random, backoff) => {
        const ms = delayMs(n, random, backoff, null);
        expect(ms).toBeGreaterThanOrEqual(backoff.initialDelayMs);
        expect(ms).toBeLessThanOrEqual(backoff.maxDelayMs);
      }),
    );
  });

  it('lies between half and all of what doubling gives, or is the base', () => {
    fc.assert(
      fc.property(tries, chance, backoffs, (n, random, backoff) => {
        const whole = Math.min(backoff.initialDelayMs * 2 ** (n - 1), backoff.maxDelayMs);
        const ms = delayMs(n, random, backoff, null);
        if (ms !== backoff.initialDelayMs) expect(ms).toBeGreaterThanOrEqual(whole / 2);
        expect(ms).toBeLessThanOrEqual(whole);
      }),
    );
  });

  it('grows with chance', () => {
    fc.assert(
      fc.property(tries, chance, chance, backoffs, (n, one, other, backoff) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        expect(delayMs(n, less, backoff, null)).toBeLessThanOrEqual(delayMs(n, more, backoff, null));
      }),
    );
  });

  it('is never shorter than the service asked for, and not changed by one that asks for less', () => {
    fc.assert(
      fc.property(tries, chance, backoffs, retryAfter, (n, random, backoff, asked) => {
        const own = delayMs(n, random, backoff, null);
        expect(delayMs(n, random, backoff, asked)).toBe(Math.max(own, asked ?? 0));
      }),
    );
  });
});
