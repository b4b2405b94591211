import { prune } from './prune.js';

describe('prune', () => {
  const table = (rows: number) => {
    let left = rows;
    const remove = (limit: number) => {
      const count = Math.min(limit, left);
      left -= count;
      return Promise.resolve(count);
    };
    return { remove, left: () => left };
  };

  it.each([0, 1, 999, 1_000, 2_500])('removes all %i rows', async (rows) => {
    const { remove, left } = table(rows);
    expect(await prune(remove)).toBe(rows);
    expect(left()).toBe(0);
  });

  it('ends after a million, and goes on the next time', async () => {
    const { remove, left } = table(1_000_100);
    expect(await prune(remove)).toBe(1_000_000);
    expect(await prune(remove)).toBe(100);
    expect(left()).toBe(0);
  });
});
