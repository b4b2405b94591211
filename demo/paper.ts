/** What the demo is printed on: a width, colours where they are wanted, and aligned columns. */

const NARROWEST = 60;
const WIDEST = 100;
/** Of a file or a pipe. */
const USUAL = 90;
const MARGIN = '  ';
const LABEL = 10;

const STYLES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33' } as const;
export type Style = keyof typeof STYLES;

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export class Paper {
  readonly width: number;
  private readonly coloured: boolean;

  constructor(
    private readonly output: Output,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    const columns = output.isTTY && output.columns ? output.columns : USUAL;
    this.width = Math.max(NARROWEST, Math.min(WIDEST, columns));
    this.coloured = output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  }

  /** A paragraph, or an empty line. */
  line(text = '', style?: Style): void {
    for (const one of wrapped(text, this.width)) this.output.write(`${this.styled(one, style)}\n`);
  }

  heading(number: number, text: string): void {
    this.output.write(`\n${this.styled(`${number} ${text}`, 'bold')}\n`);
  }

  /** Commands as a person types them: a line is never broken. */
  commands(lines: readonly string[]): void {
    for (const line of lines) this.output.write(`${MARGIN}${line}\n`);
  }

  /** A label and what there is to say; every further line begins where the first did. */
  fact(label: string, text: string, style?: Style): void {
    const indent = MARGIN.length + LABEL;
    for (const [index, one] of wrapped(text, this.width - indent).entries()) {
      const head = `${MARGIN}${(index === 0 ? label : '').padEnd(LABEL)}`;
      this.output.write(`${this.styled(head, 'dim')}${this.styled(one, style)}\n`);
    }
  }

  /** Columns as wide as their widest cell; those named in `right` are set to the right. */
  rows(label: string, rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): void {
    for (const [index, text] of aligned(rows, right).entries()) {
      const head = `${MARGIN}${(index === 0 ? label : '').padEnd(LABEL)}`;
      this.output.write(`${this.styled(head, 'dim')}${text}\n`);
    }
  }

  /** Rows under a head. `style` is asked for each row. */
  table(
    head: readonly string[],
    rows: readonly (readonly string[])[],
    right: ReadonlySet<number>,
    style: (row: number) => Style | undefined = () => undefined,
  ): void {
    const [first = '', ...others] = aligned([head, ...rows], right);
    this.output.write(`${this.styled(`${MARGIN}${first}`, 'dim')}\n`);
    for (const [index, text] of others.entries()) {
      this.output.write(`${this.styled(`${MARGIN}${text}`, style(index))}\n`);
    }
  }

  private styled(text: string, style?: Style): string {
    return this.coloured && style && text !== '' ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text;
  }
}

function aligned(rows: readonly (readonly string[])[], right: ReadonlySet<number>): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.has(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Broken between words; a word that is too long stands out. Line breaks of the text are kept. */
function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}
