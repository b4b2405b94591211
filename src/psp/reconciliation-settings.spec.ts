import { dueTimes, faultsOfReconciliation, nextDue } from './reconciliation-settings.js';

const daily = { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' };
const iso = (times: readonly Date[]) => times.map((time) => time.toISOString());

describe('due times', () => {
  it('are those of the time zone, over the change of its clocks', () => {
    const due = dueTimes(daily, new Date('2026-10-23T12:00:00Z'), new Date('2026-10-26T12:00:00Z'), 31);
    expect(iso(due)).toEqual([
      '2026-10-24T00:30:00.000Z',
      // Half past two comes twice that night.
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it('begin after the last one that was planned, and have the present one', () => {
    const [last, now] = [new Date('2026-06-01T00:30:00Z'), new Date('2026-06-02T00:30:00Z')];
    expect(iso(dueTimes(daily, last, now, 31))).toEqual([now.toISOString()]);
    expect(dueTimes(daily, now, now, 31)).toEqual([]);
  });

  it('are the newest where too many were missed', () => {
    const due = dueTimes(daily, new Date('2026-01-01T00:00:00Z'), new Date('2026-06-04T12:00:00Z'), 2);
    expect(iso(due)).toEqual(['2026-06-03T00:30:00.000Z', '2026-06-04T00:30:00.000Z']);
  });

  it('lie ahead for what is announced now', () => {
    expect(nextDue(daily, new Date('2026-06-02T00:30:00Z')).toISOString()).toBe('2026-06-03T00:30:00.000Z');
  });
});

it('names what is wrong with the settings of an account', () => {
  const faults = (settings: object) => faultsOfReconciliation(settings).map(({ pointer }) => pointer);
  expect(faults({ schedule: '0 6 * * *', timeZone: 'Asia/Tokyo', toleranceAmounts: { EUR: 1 } })).toEqual([]);
  expect(faults({ schedule: '0 24 * * *' })).toEqual(['/schedule']);
  expect(faults({ schedule: '0 6 * * *', timeZone: 'Mars/Olympus' })).toEqual(['/timeZone']);
  expect(faults({ toleranceAmounts: { EURO: 1 } })).toEqual(['/toleranceAmounts/EURO']);
});
