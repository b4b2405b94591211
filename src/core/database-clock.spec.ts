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

  it.each([2_000, -2_000])(
    'is trusted by a machine that is %d ms off, and by none that is more',
    (skewMs) => {
      const { clock, wall, ask } = scene(skewMs);
      ask();
      expect(clock.isTrusted()).toBe(true);
      wall.skewMs += Math.sign(skewMs);
      expect(clock.isTrusted()).toBe(false);
    },
  );

  it("is the machine's own before the first answer, and waits by it at all times", async () => {
    const { time, clock } = scene(700);
    expect(clock.now().getTime()).toBe(START + 700);
    const rung: string[] = [];
    clock.timer(10, () => rung.push('timer'));
    const slept = clock.sleep(20).then(() => rung.push('sleep'));
    time.advance(10);
    expect(rung).toEqual(['timer']);
    time.advance(10);
    await slept;
    expect(rung).toEqual(['timer', 'sleep']);
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
    ask(1_000);
    expect(clock.isTrusted()).toBe(true);
  });

  it('goes by the answer with the shortest round trip', () => {
    const { time, clock, ask } = scene();
    ask(2);
    // The way back took all of the time: taken for the middle, that is 400 ms wrong.
    for (let n = 0; n < 7; n++) ask(800, 800);
    expect(clock.now()).toEqual(time.now());
    // Eight answers count.
    ask(800, 800);
    expect(clock.now().getTime()).toBe(time.now().getTime() - 400);
    ask(2);
    expect(clock.now()).toEqual(time.now());
  });

  it('goes by the later of two answers that are as good', () => {
    const { time, clock, ask } = scene();
    ask(800, 800);
    ask(800, 0);
    expect(clock.now().getTime()).toBe(time.now().getTime() + 400);
  });

  it.each([
    [56, 0],
    [57, 57],
  ])('%i ms later than half of both round trips and 50 ms allow, it is %i ms ahead', (aheadMs, isAheadMs) => {
    const { time, clock, database, ask } = scene();
    ask(2);
    database.aheadMs = aheadMs;
    ask(10);
    expect(clock.now().getTime()).toBe(time.now().getTime() + isAheadMs);
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
