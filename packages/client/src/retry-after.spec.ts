import fc from 'fast-check';
import { retryAfterMs } from './retry-after.js';

const now = new Date('1994-11-06T08:49:00Z');

/** A time that a date of HTTP can say: whole seconds, four digits of a year. */
const times = fc
  .integer({ min: Date.UTC(1970, 0, 1) / 1_000, max: Date.UTC(2199, 11, 31) / 1_000 })
  .map((seconds) => new Date(seconds * 1_000));

describe('Retry-After', () => {
  it('is read as seconds', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (seconds) => {
        expect(retryAfterMs(String(seconds), null, now)).toBe(seconds * 1_000);
      }),
    );
  });

  it('is read as a date in each of the three ways of RFC 9110', () => {
    for (const written of [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ]) {
      expect([written, retryAfterMs(written, null, now)]).toEqual([written, 37_000]);
    }
  });

  it('as a date is what is left until then, and nothing where it is over', () => {
    fc.assert(
      fc.property(times, times, (at, when) => {
        const left = Math.max(0, at.getTime() - when.getTime());
        expect(retryAfterMs(at.toUTCString(), null, when)).toBe(left);
      }),
    );
  });

  it('as a date is measured from the Date of the answer, whatever the clock says here', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 100_000 }), times, (sent, seconds, here) => {
        const at = new Date(sent.getTime() + seconds * 1_000);
        expect(retryAfterMs(at.toUTCString(), sent.toUTCString(), here)).toBe(seconds * 1_000);
      }),
    );
  });

  it.each([null, '', ' ', '-1', '1.5', '1e3', '0x10', 'soon', '2026-11-21T10:00:00Z', 'Sun, 99 Abc 1994'])(
    'that is %j says nothing',
    (header) => {
      expect(retryAfterMs(header, null, now)).toBeNull();
    },
  );

  it('is a number that can be reckoned with, however long it is', () => {
    expect(retryAfterMs('9'.repeat(400), null, now)).toBe(Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(fc.string(), fc.string(), (header, date) => {
        const ms = retryAfterMs(header, date, now);
        if (ms !== null) expect(ms).toBeGreaterThanOrEqual(0);
        if (ms !== null) expect(Number.isFinite(ms)).toBe(true);
      }),
    );
  });
});
