/** Texts for people: lists, times and messages that fit 80 columns. Programs use --json. */

const WIDTH = 80;

/** From the smallest unit: how long it is, and from how many of it the next one is used. */
const UNITS = [
  ['s', 1_000, 120],
  ['min', 60_000, 120],
  ['h', 3_600_000, 48],
  ['d', 86_400_000, Infinity],
] as const;

/** `42 s`, `3 min`, `5 h`, `2 d`. */
export function duration(ms: number): string {
  for (const [unit, size, end] of UNITS) {
    const count = Math.round(ms / size);
    if (count < end) return `${count} ${unit}`;
  }
  throw new RangeError(`no duration: ${ms}`);
}

/** `3 min ago`, `in 2 h`. */
export function ago(time: Date, now: Date): string {
  const ms = now.getTime() - time.getTime();
  return ms < 0 ? `in ${duration(-ms)}` : `${duration(ms)} ago`;
}

/** `2026-11-22 07:03:17 UTC (3 min ago)`. */
export function exactly(time: Date, now: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC (${ago(time, now)})`;
}

/** The lines under a line of a list: each with its name. One without a value is left out. */
type Details = readonly (readonly [name: string, value: string | false | null])[];

/**
 * The headings and a line for each row, in columns as wide as their widest cell, with its details below; the
 * last column is folded. `None.` where there is no row.
 */
export function list<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
  detailsOf?: (row: Row) => Details,
): string {
  if (rows.length === 0) return 'None.';
  const head = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((shown) => shown(row)));
  const widths = head
    .slice(0, -1)
    .map((_, at) => Math.max(...[head, ...cells].map((row) => row[at]!.length)));
  const line = (texts: readonly string[]) => {
    const first = widths.map((width, at) => `${texts[at]!.padEnd(width)}  `).join('');
    return folded(first, texts.at(-1)!);
  };
  const entries = rows.map((row, n) => [line(cells[n]!), ...detailLines(detailsOf?.(row) ?? [])].join('\n'));
  return [line(head), ...entries].join(detailsOf ? '\n\n' : '\n');
}

/** One a line, `indent` to the right, with the values below each other. */
export function detailLines(details: Details, indent = 2): string[] {
  const shown = details.filter((each): each is readonly [string, string] => typeof each[1] === 'string');
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => folded(`${' '.repeat(indent)}${name.padEnd(width)}  `, value));
}

/** `first` and the text after it, whose further lines begin where its first one does. */
export function folded(first: string, text: string): string {
  const indent = ' '.repeat(first.length);
  const lines = [''];
  for (const word of wordsOf(text)) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (first.length + line.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, i) => `${i === 0 ? first : indent}${line}`.trimEnd()).join('\n');
}

/** Words that must stay whole to be copied: an id is one word, and so is a command without its options. */
function wordsOf(text: string): string[] {
  // A name or an error must not move the cursor of the terminal that shows it.
  const plain = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return plain.match(/npx payonce(?: [a-z][a-z-]*)*\S*|\S+/g) ?? [];
}
