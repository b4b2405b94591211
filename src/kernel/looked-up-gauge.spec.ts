import { Registry } from 'prom-client';
import { type Figure, registerLookedUp } from './looked-up-gauge.js';

describe('a gauge that is looked up', () => {
  type Look = () => Promise<Iterable<Figure>>;

  /** The lines of each read, without those that explain. */
  async function shown(labels: readonly string[], ...looks: readonly Look[]): Promise<string[][]> {
    const metrics = new Registry();
    let reads = 0;
    registerLookedUp(metrics, { name: 'jobs', help: 'Jobs', labels, look: () => looks[reads]!() });
    const read: string[][] = [];
    for (; reads < looks.length; reads++) {
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

  it('is left out while it cannot be looked up', async () => {
    expect(await shown([], alone, fails, alone)).toEqual([['jobs 7'], [], ['jobs 7']]);
    expect(await shown(['kind'], of('a', 1), fails, of('a', 2))).toEqual([
      ['jobs{kind="a"} 1'],
      [],
      ['jobs{kind="a"} 2'],
    ]);
  });
});
