import { median, type Part, type Sample, type Share } from './measure.js';
import { isSame, type Load } from './options.js';

/** The samples of one contender at one load, a round each. */
export interface Series {
  readonly contender: string;
  readonly load: Load;
  readonly samples: readonly Sample[];
}

export interface Ratio {
  readonly of: string;
  readonly to: string;
  readonly load: Load;
  /** The median of the rounds, and the lowest and the highest of them. */
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  /**
   * CPU time of a payment, everybody's together, in the same way; null where it is not known. It is
   * steadier than the rate where others use the machine as well.
   */
  readonly cpu: number | null;
}

const parts: readonly Part[] = ['service', 'postgres', 'simulator', 'load'];
/** The commits are a share of Postgres; the rest of it is the background. */
const columns: readonly (Part | Share)[] = ['service', 'postgres', 'commits', 'simulator', 'load'];

/** `of` held against `to`, round by round, since what else the machine does changes between rounds. */
export function ratioOf(series: readonly Series[], of: string, to: string, load: Load): Ratio | null {
  const find = (name: string) => series.find((s) => s.contender === name && isSame(s.load, load));
  const [upper, lower] = [find(of), find(to)];
  if (!upper || !lower) return null;
  const inRounds = (figure: (sample: Sample) => number) =>
    upper.samples.map((sample, round) => figure(sample) / figure(lower.samples[round]!));
  const ratios = inRounds((sample) => sample.paymentsPerSecond);
  const cpu = median(inRounds(wholeCpuOf));
  return {
    of,
    to,
    load,
    median: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    cpu: Number.isFinite(cpu) ? cpu : null,
  };
}

/** NaN where a part of it is not known. */
function wholeCpuOf({ cpuMsPerPayment }: Sample): number {
  const known = parts.filter((part) => part in cpuMsPerPayment);
  return known.reduce((sum, part) => sum + (cpuMsPerPayment[part] ?? NaN), 0);
}

export function ratiosOf(series: readonly Series[]): Ratio[] {
  const names = [...new Set(series.map(({ contender }) => contender))];
  const loads = series.filter(({ contender }) => contender === 'service').map(({ load }) => load);
  return names
    .filter((name) => name !== 'service')
    .flatMap((to) => loads.map((load) => ratioOf(series, 'service', to, load)))
    .filter((ratio) => ratio !== null);
}

export function ratioLines(ratios: readonly Ratio[]): string[] {
  return table(
    ['', 'in flight', 'PSP', 'median', 'rounds', 'CPU'],
    ratios.map(({ of, to, load, median: middle, lowest, highest, cpu }) => [
      `${of} / ${to}`,
      ...shown(load),
      middle.toFixed(2),
      `${lowest.toFixed(2)} to ${highest.toFixed(2)}`,
      cpu === null ? '-' : cpu.toFixed(2),
    ]),
  );
}

export function seriesLines(series: readonly Series[]): string[] {
  return table(
    ['', 'in flight', 'PSP', 'a second', 'p50 ms', 'p99 ms', ...columns, 'WAL kB'],
    series.map(({ contender, load, samples }) => [
      contender,
      ...shown(load),
      median(samples.map((sample) => sample.paymentsPerSecond)).toFixed(0),
      median(samples.map((sample) => sample.p50Ms)).toFixed(2),
      median(samples.map((sample) => sample.p99Ms)).toFixed(2),
      ...columns.map((part) => cpuOf(samples, part)),
      (median(samples.map((sample) => sample.walBytesPerPayment)) / 1_000).toFixed(1),
    ]),
  );
}

function shown({ inFlight, pspMs }: Load): string[] {
  return [String(inFlight), `${pspMs} ms`];
}

function cpuOf(samples: readonly Sample[], part: Part | Share): string {
  const known = samples.map((sample) => sample.cpuMsPerPayment[part] ?? null).filter((ms) => ms !== null);
  return known.length > 0 ? median(known).toFixed(2) : '-';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)];
}
