import { ManualClock } from '../../core/clock.js';
import { Waker } from './waker.js';

function scene() {
  const clock = new ManualClock();
  const notified: string[] = [];
  let fails = false;
  const pool = {
    query: (_text: string, values: string[]) => {
      notified.push(values[0]!);
      return fails ? Promise.reject(new Error('away')) : Promise.resolve({ rows: [] });
    },
  };
  // Only `query` is called, and only in this one of its many forms.
  const waker = new Waker(pool as never, clock);
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { clock, told: notified, waker, settle, fail: () => (fails = true) };
}

describe('Waker', () => {
  it('tells at once, and of many within 200 ms once more', async () => {
    const { clock, told, waker, settle } = scene();
    for (let n = 0; n < 100; n++) waker.wake('a');
    await settle();
    expect(told).toEqual(['a']);
    clock.advance(200);
    await settle();
    expect(told).toEqual(['a', 'a']);
    clock.advance(200);
    await settle();
    expect(told).toEqual(['a', 'a']);
    waker.wake('a');
    await settle();
    expect(told).toEqual(['a', 'a', 'a']);
  });

  it('keeps channels apart', async () => {
    const { told, waker, settle } = scene();
    waker.wake('a');
    waker.wake('b');
    await settle();
    expect(told).toEqual(['a', 'b']);
  });

  it('bears a database that is away', async () => {
    const { clock, told, waker, settle, fail } = scene();
    fail();
    waker.wake('a');
    waker.wake('a');
    await settle();
    clock.advance(200);
    await settle();
    expect(told).toEqual(['a', 'a']);
  });

  it('tells what was asked for before it is closed', async () => {
    const { told, waker } = scene();
    waker.wake('a');
    waker.wake('a');
    await waker.close();
    expect(told).toEqual(['a', 'a']);
  });
});
