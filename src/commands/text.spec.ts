import { ago, duration, exactly, folded, list } from './text.js';

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;

describe('a duration', () => {
  it.each([
    [0, '0 s'],
    [499, '0 s'],
    [119.4 * S, '119 s'],
    [119.5 * S, '2 min'],
    [179 * S, '3 min'],
    [119.4 * MIN, '119 min'],
    [119.5 * MIN, '2 h'],
    [47.4 * H, '47 h'],
    [47.5 * H, '2 d'],
    [10_000 * H, '417 d'],
  ])('of %s ms is %s', (ms, text) => expect(duration(ms)).toBe(text));
});

describe('a time', () => {
  const now = new Date('2026-11-22T07:03:17.900Z');
  const at = (ms: number) => new Date(now.getTime() + ms);

  it.each([
    [-170 * S, '3 min ago'],
    [0, '0 s ago'],
    [5 * H, 'in 5 h'],
  ])('%s ms from now is %s', (ms, text) => expect(ago(at(ms), now)).toBe(text));

  it('is exact where it is asked for', () => {
    expect(exactly(at(-170 * S), now)).toBe('2026-11-22 07:00:27 UTC (3 min ago)');
  });
});

describe('a text', () => {
  it('is folded at 80 columns, below where it began', () => {
    const lines = folded('reason  ', 'word '.repeat(40)).split('\n');
    expect(lines.length).toBe(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/^reason {2}word/);
    expect(lines[1]).toMatch(/^ {8}word/);
  });

  it('keeps an id and a command whole, to be copied', () => {
    const id = 'x'.repeat(100);
    expect(folded('operation  ', `an ${id}.`).split('\n')[1]!.trim()).toBe(`${id}.`);
    const text = folded('', `${'word '.repeat(14)}run npx payonce stuck list --json now`);
    expect(text).toContain('\nnpx payonce stuck list');
  });

  it('moves no cursor', () => {
    expect(folded('name  ', 'a\u001b[2Jb\r\nc')).toBe('name  a [2Jb c');
  });
});

describe('a list', () => {
  const columns = { ID: ([id]: string[]) => id!, NAME: ([, name]: string[]) => name! };

  it('is empty in words', () => expect(list([], columns)).toBe('None.'));

  it('has columns as wide as their widest cell', () => {
    const rows = [
      ['1', 'Shop'],
      ['234', 'B'],
    ];
    expect(list(rows, columns)).toBe('ID   NAME\n1    Shop\n234  B');
  });

  it('folds its last column, and writes details below', () => {
    const text = list([['1', 'word '.repeat(20)]], columns, () => [
      ['id', 'x'],
      ['fault', null],
      ['scopes', 'y'],
    ]);
    expect(text.split('\n').map((line) => line.slice(0, 12))).toEqual([
      'ID  NAME',
      '',
      '1   word wor',
      '    word wor',
      '  id      x',
      '  scopes  y',
    ]);
  });
});
