import { ManualClock } from './clock.js';
import { DatabaseClock } from './database-clock.js';

const START = Date.UTC(2026, 0, 1);

/** A machine whose wall clock is wrong by `skewMs`, and a database that is asked over a round trip. */
function scene(skewMs = 0) {
  const time = new ManualClock(START);
  const wall = { skewMs };
  const own = Object.assign(Object.create(time) as ManualClock, {
    now: () => new Date(time.wallMs() + wall.skewMs),
    wallMs: () => time.wallMs() + wall.skewMs,
  });
  const clock = new DatabaseClock(own);
  const database = { aheadMs: 0 };
  const ask = (roundTripMs = 0, waysBackMs = roundTripMs / 2) => {
    const askedMs = clock.monotonicMs();
    time.advance(roundTripMs - waysBackMs);
    const said = new Date(time.now().getTime() + database.aheadMs);
    time.advance(waysBackMs);
    clock.learn(askedMs, said);
  };
  return { time, clock, database, wall, ask };
}

describe("the database's clock", () => {
  it.each([0, 100_000, -100_000])('is told alike by a machine that is %d ms off', (skewMs) => {
    const { time, clock, ask } = scene(skewMs);
    ask(40);
    time.advance(700);
    expect(clock.now()).toEqual(time.now());
    expect(clock.differenceMs()).toBe(skewMs);
    expect(clock.isTrusted()).toBe(skewMs === 0);
  });

  it('is not trusted before the first answer, nor without one for 5 s', () => {
    const { time, clock, ask } = scene();
    expect(clock.isTrusted()).toBe(false);
    expect(clock.differenceMs()).toBeNull();
    ask();
    time.advance(5_000);
    expect(clock.isTrusted()).toBe(true);
    time.advance(1);
    expect(clock.isTrusted()).toBe(false);
    ask();
    expect(clock.isTrusted()).toBe(true);
  });

  it('learns nothing from an answer that took more than a second', () => {
    const { clock, ask } = scene();
    ask(1_001);
    expect(clock.isTrusted()).toBe(false);
  });

  it('goes by the answer with the shortest round trip', () => {
    const { time, clock, ask } = scene();
    ask(2);
    // The way back took all of the time: taken for the middle, that is 400 ms wrong.
    for (let n = 0; n < 7; n++) ask(800, 800);
    expect(clock.now()).toEqual(time.now());
  });

  it('follows a clock of the database that is set, and trusts it no more than before', () => {
    const { time, clock, database, ask } = scene();
    ask(2);
    database.aheadMs = 100_000;
    ask(10);
    expect(clock.now().getTime()).toBe(time.now().getTime() + 100_000);
    expect(clock.isTrusted()).toBe(false);
  });

  it('is not trusted by a machine that slept, though its monotonic clock did not notice', () => {
    const { clock, wall, ask } = scene();
    ask();
    wall.skewMs = 60_000; // the wall clock went on, the monotonic one stood still
    expect(clock.isTrusted()).toBe(false);
  });
});
