import { dayIn, daysLater, lastCutOff } from './cut-off.js';

const at = (times: readonly string[], timeZone = 'Europe/Berlin') => ({
  times,
  timeZone,
  everyMinutes: null,
});
const last = (times: readonly string[], now: string, timeZone?: string) =>
  lastCutOff(at(times, timeZone), new Date(now)).toISOString();

it.each([
  [['11:30', '16:00'], '2026-11-23T10:29:59Z', '2026-11-22T15:00:00.000Z'],
  [['11:30', '16:00'], '2026-11-23T10:30:00Z', '2026-11-23T10:30:00.000Z'],
  [['16:00', '11:30'], '2026-11-23T23:59:00Z', '2026-11-23T15:00:00.000Z'],
  // Summer time, and the days on which it begins and ends.
  [['12:00'], '2026-07-01T11:00:00Z', '2026-07-01T10:00:00.000Z'],
  [['12:00'], '2026-03-29T11:00:00Z', '2026-03-29T10:00:00.000Z'],
  [['12:00'], '2026-10-25T12:00:00Z', '2026-10-25T11:00:00.000Z'],
  [['01:00'], '2026-10-25T05:00:00Z', '2026-10-24T23:00:00.000Z'],
])('the last cut-off of %j at %s is %s', (times, now, expected) => expect(last(times, now)).toBe(expected));

it('takes a time that the clock jumps over for a moment of that night', () => {
  const jumped = Date.parse(last(['02:30'], '2026-03-29T12:00:00Z'));
  expect(jumped).toBeGreaterThanOrEqual(Date.parse('2026-03-29T00:30:00Z'));
  expect(jumped).toBeLessThanOrEqual(Date.parse('2026-03-29T01:30:00Z'));
});

it('is the last of every so many minutes', () => {
  const cutOffs = { times: [], timeZone: 'UTC', everyMinutes: 15 };
  expect(lastCutOff(cutOffs, new Date('2026-11-22T10:44:59.999Z')).toISOString()).toBe(
    '2026-11-22T10:30:00.000Z',
  );
});

it('counts days as the bank does', () => {
  expect(dayIn('Europe/Berlin', new Date('2026-11-22T23:30:00Z'))).toBe('2026-11-23');
  expect(daysLater('2026-12-30', 3)).toBe('2027-01-02');
});
