import { ManualClock } from './clock.js';
import { SeededIds, SystemIds } from './ids.js';

describe('ids', () => {
  it('are version 7 UUIDs that sort by the time they were made', () => {
    const clock = new ManualClock();
    const ids = new SystemIds(clock);
    const made = Array.from({ length: 1_000 }, () => {
      clock.advance(1);
      return ids.uuid();
    });
    for (const id of made)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it('carry their time in milliseconds', () => {
    const clock = new ManualClock(1_700_000_000_123);
    const time = Number.parseInt(new SystemIds(clock).uuid().replaceAll('-', '').slice(0, 12), 16);
    expect(time).toBe(1_700_000_000_123);
  });

  it('are the same again from the same seed', () => {
    const draw = (seed: number) => {
      const ids = new SeededIds(seed, new ManualClock());
      return [ids.uuid(), ids.random(), ids.uuid()];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });
});
