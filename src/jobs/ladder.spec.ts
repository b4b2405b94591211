import fc from 'fast-check';
import { climb, ladderOf, queuesOf } from './ladder.js';

const steps = [
  { delayMs: 0, concurrency: 16 },
  { delayMs: 30_000, concurrency: 4 },
  { delayMs: 90_000, concurrency: 2 },
  { delayMs: 21_600_000, concurrency: 1 },
];
const ladder = ladderOf('default', steps);

describe('a ladder', () => {
  it('has a queue for each step, named by its delay', () => {
    expect(ladder.levels.map(({ queue }) => queue)).toEqual([
      'default-now',
      'default-30s',
      'default-90s',
      'default-6h',
    ]);
    expect(queuesOf([ladder, ladder]).get('default-now')).toBe(16);
  });

  it('may have steps that share a queue', () => {
    const shared = { name: 'x', levels: steps.map((step) => ({ ...step, queue: 'one' })) };
    expect([...queuesOf([shared])]).toEqual([['one', 16]]);
  });

  it.each(['', 'a:b', 'A', 'x'.repeat(40)])('is not called %j', (name) => {
    expect(() => ladderOf(name, steps)).toThrow(RangeError);
  });

  it('begins at once', () => {
    expect(() => ladderOf('default', steps.slice(1))).toThrow(/waits/);
    expect(() => ladderOf('default', [])).toThrow(/waits/);
  });
});

describe('climb', () => {
  it('goes one step up each time, and ends', () => {
    const seen: number[] = [];
    for (let at = climb(ladder, 0, 0.5); at; at = climb(ladder, at.level, 0.5)) seen.push(at.delayMs);
    expect(seen).toEqual([15_000, 45_000, 10_800_000]);
  });

  it('waits anything up to the delay of the step, and all of it in the end', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (level, random) => {
          const { delayMs } = climb(ladder, level, random)!;
          return delayMs >= 0 && delayMs <= steps[level + 1]!.delayMs;
        },
      ),
    );
    expect(climb(ladder, 0, 0)!.delayMs).toBe(0);
    expect(climb(ladder, 0, 0.999_999_999)!.delayMs).toBe(30_000);
  });

  it('knows no way from a step that is not there any more', () => {
    expect(climb(ladder, 9, 0.5)).toBeNull();
  });
});
