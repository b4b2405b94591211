import { Paper } from './paper.js';

function printed(
  terminal: { isTTY?: boolean; columns?: number },
  env: Record<string, string>,
  print: (paper: Paper) => void,
): string {
  let text = '';
  print(new Paper({ ...terminal, write: (more: string) => (text += more) }, env));
  return text;
}

const terminal = { isTTY: true, columns: 80 };
const long = 'word '.repeat(60).trim();
const story = (paper: Paper) => {
  paper.heading(1, 'A scene');
  paper.fact('payonce', long, 'green');
};

describe('what the demo is printed on', () => {
  it.each([
    { columns: 40, width: 60 },
    { columns: 80, width: 80 },
    { columns: 200, width: 100 },
  ])('fits $columns columns with lines of at most $width', ({ columns, width }) => {
    const lines = printed({ isTTY: true, columns }, { NO_COLOR: '1' }, story).split('\n');
    const longest = Math.max(...lines.map(({ length }) => length));
    expect(longest).toBeLessThanOrEqual(width);
    expect(longest).toBeGreaterThan(width - 6);
    expect(lines[3]).toMatch(/^ {12}word/);
  });

  it('has colours on a terminal that wants them, and nowhere else', () => {
    const escape = '\u001B[';
    expect(printed(terminal, {}, story)).toContain(`${escape}1m1 A scene${escape}0m`);
    expect(printed(terminal, { NO_COLOR: '1' }, story)).not.toContain(escape);
    expect(printed(terminal, { TERM: 'dumb' }, story)).not.toContain(escape);
    expect(printed({}, {}, story)).not.toContain(escape);
  });

  it('aligns columns', () => {
    const rows = [
      ['a', '1'],
      ['bbb', '100'],
    ];
    const text = printed({}, {}, (paper) => paper.table(['name', 'n'], rows, new Set([1])));
    expect(text).toBe('  name    n\n  a       1\n  bbb   100\n');
  });
});
