import { Registry } from 'prom-client';
import { ManualClock } from './clock.js';
import { type Figure, registerLookedUp } from './looked-up-gauge.js';

describe('a gauge that is looked up', () => {
  type Look = () => Promise<Iterable<Figure>>;

  /** The lines of each read, without those that explain. */
  async function shown(labels: readonly string[], ...looks: readonly Look[]): Promise<string[][]> {
    const metrics = new Registry();
    const clock = new ManualClock();
    let reads = 0;
    registerLookedUp(metrics, { name: 'jobs', help: 'Jobs', labels, look: () => looks[reads]!() }, clock);
    const read: string[][] = [];
    for (; reads < looks.length; reads++) {
      clock.advance(3_000);
      const text = await metrics.metrics();
      read.push(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')));
    }
    return read;
  }
  const of = (kind: string, value: number) => () => Promise.resolve([{ value, labels: { kind } }]);
  const alone = () => Promise.resolve([{ value: 7 }]);
  const fails = () => Promise.reject(new Error('no way to the database'));

  it('shows what is found, and no longer what is not', async () => {
    const none = () => Promise.resolve([]);
    expect(await shown(['kind'], of('a', 1), of('b', 0), none)).toEqual([
      ['jobs{kind="a"} 1'],
      ['jobs{kind="b"} 0'],
      [],
    ]);
  });

  it('is looked up once in 3 s, however often it is read and whether it is found or not', async () => {
    const metrics = new Registry();
    const clock = new ManualClock();
    let looks = 0;
    let failing = false;
    const look = async () => {
      looks += 1;
      await Promise.resolve();
      if (failing) throw new Error('no way to the database');
      return [{ value: looks }];
    };
    registerLookedUp(metrics, { name: 'jobs', help: 'Jobs', look }, clock);
    const readTwice = async () => {
      const texts = await Promise.all([metrics.metrics(), metrics.metrics()]);
      return texts.map((text) => /^jobs (.*)$/m.exec(text)?.[1]);
    };
    expect([await readTwice(), await readTwice(), looks]).toEqual([['1', '1'], ['1', '1'], 1]);
    clock.advance(2_999);
    expect([await readTwice(), looks]).toEqual([['1', '1'], 1]);
    clock.advance(1);
    expect([await readTwice(), looks]).toEqual([['2', '2'], 2]);
    failing = true;
    clock.advance(3_000);
    expect([await readTwice(), await readTwice(), looks]).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      3,
    ]);
  });

  it('is left out when it takes too long, and holds up no other', async () => {
    const metrics = new Registry();
    const clock = new ManualClock();
    const never = () => new Promise<Figure[]>(() => {});
    registerLookedUp(metrics, { name: 'slow', help: 'Slow', look: never }, clock);
    registerLookedUp(metrics, { name: 'quick', help: 'Quick', look: alone }, clock);
    const reading = metrics.metrics();
    clock.advance(5_000);
    const text = await reading;
    expect(text).toContain('quick 7');
    expect(text).not.toMatch(/^slow/m);
  });

  it('is left out while it cannot be looked up', async () => {
    expect(await shown([], alone, fails, alone)).toEqual([['jobs 7'], [], ['jobs 7']]);
    expect(await shown(['kind'], of('a', 1), fails, of('a', 2))).toEqual([
      ['jobs{kind="a"} 1'],
      [],
      ['jobs{kind="a"} 2'],
    ]);
  });
});
