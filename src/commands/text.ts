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

/** The lines under a line of a list: each with its name. */
type Details = readonly (readonly [name: string, value: string])[];

interface Entry {
  readonly cells: readonly string[];
  readonly details?: Details;
}

/**
 * A heading and a line for each entry, in columns as wide as their widest cell, with its details below; the
 * last column is folded. `None.` where there is no entry.
 */
export function list(head: readonly string[], entries: readonly Entry[]): string {
  if (entries.length === 0) return 'None.';
  const rows = [head, ...entries.map(({ cells }) => cells)];
  const widths = head.slice(0, -1).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) => {
    const first = widths.map((width, column) => `${cells[column]!.padEnd(width)}  `).join('');
    return folded(first, cells.at(-1)!);
  };
  const hasDetails = entries.some(({ details }) => details);
  return [
    line(head),
    ...entries.map(({ cells, details = [] }) => [line(cells), ...detailLines(details)].join('\n')),
  ].join(hasDetails ? '\n\n' : '\n');
}

/** One a line, `indent` to the right, with the values below each other. */
export function detailLines(details: Details, indent = 2): string[] {
  const width = Math.max(...details.map(([name]) => name.length));
  return details.map(([name, value]) => folded(`${' '.repeat(indent)}${name.padEnd(width)}  `, value));
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
