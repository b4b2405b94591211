import { type Outcome } from './campaign.js';

export interface KindRow {
  readonly kind: string;
  readonly episodes: number;
  /** Operations that were first asked for meanwhile. */
  readonly operations: number;
  /** Those that no client got a final answer to before the campaign ended. */
  readonly unanswered: number;
  /** The longest time in which no client at all got an answer, in s. */
  readonly gapS: number;
  /** 99 of 100 clients had their final answer within so many seconds. */
  readonly p99S: number;
  /** From the end of the fault to the first answer, in s; the longest. */
  readonly backS: number;
  readonly violations: number;
}

export interface Report extends Omit<Outcome, 'episodes' | 'asked' | 'restAfterMs'> {
  readonly profile: string;
  readonly seed: number;
  readonly minutes: number;
  readonly operations: number;
  readonly restAfterS: number;
  readonly kinds: readonly KindRow[];
}

const CALM = 'no fault';

export function reportOf(
  given: { readonly profile: string; readonly seed: number; readonly minutes: number },
  outcome: Outcome,
): Report {
  const { episodes, asked, restAfterMs, ...facts } = outcome;
  const names = [...new Set(episodes.flatMap(({ kinds }) => kinds.map(({ name }) => name)))];
  const kinds = [CALM, ...names].map((kind): KindRow => {
    const played = episodes.filter((each) => each.kinds.some(({ name }) => name === kind));
    const isDuring = (during: readonly string[]) =>
      kind === CALM ? during.length === 0 : during.includes(kind);
    const all = asked.filter(({ during }) => isDuring(during));
    // What two kinds cost together says nothing of one, where it was played alone, too.
    const alone = orAll(played, ({ kinds: together }) => together.length === 1);
    const times = orAll(all, ({ during }) => during.length <= 1)
      .map(({ answeredAfterMs }) => answeredAfterMs)
      .filter((ms) => ms !== null);
    return {
      kind,
      episodes: played.length,
      operations: all.length,
      unanswered: all.filter(({ answeredAfterMs }) => answeredAfterMs === null).length,
      gapS: seconds(Math.max(0, ...alone.map(({ gapMs }) => gapMs))),
      p99S: seconds(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0),
      backS: seconds(Math.max(0, ...alone.map(({ backAfterMs }) => backAfterMs))),
      violations: facts.violations.filter(({ during }) => isDuring(during)).length,
    };
  });
  return { ...given, ...facts, operations: asked.length, restAfterS: seconds(restAfterMs), kinds };
}

/** For a terminal of 80 columns. */
export function tableOf(report: Report): string {
  const columns = ['fault', 'ops', 'open', 'gap s', 'p99 s', 'back s', 'broken'];
  const rows = report.kinds.map((row) =>
    [row.kind, row.operations, row.unanswered, row.gapS, row.p99S, row.backS, row.violations].map(String),
  );
  const widths = columns.map((name, n) => Math.max(name.length, ...rows.map((row) => row[n]!.length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!))).join('  ');
  const stuck = Object.entries(report.stuck).map(([reason, n]) => `${n} ${reason}`);
  const ends = [
    `${report.payments} payments, ${report.operations} operations, ${report.requests} requests, ${report.effects} effects`,
    `at rest ${report.restAfterS} s after the last fault; ${report.orphans} orphans given back; stuck: ${stuck.join(', ') || 'none'}`,
    `${report.expired} payments whose customers had gone failed later, without an effect`,
    ...Object.entries(report.met).map(([what, n]) => `met ${n} times: ${what}`),
    ...report.operators.map(
      ({ kind, heldAfterMs, unknownEffects }) =>
        `${kind}: held after ${seconds(heldAfterMs)} s; ${unknownEffects} effects that no row knows`,
    ),
    ...(report.copied > 0 ? [`${report.copied} standbys copied anew`] : []),
    ...(report.operators.length > 0
      ? [
          `${report.held} requests refused with commits_may_be_lost`,
          `${report.lost.length} answers or effects lost with their commits`,
        ]
      : []),
    ...report.violations.slice(0, 10).map(({ rule, what }) => `BROKEN ${rule}: ${what.slice(0, 400)}`),
    `${report.violations.length} rules broken`,
  ];
  return [line(columns), ...rows.map(line), '', ...ends].join('\n');
}

/** Those that are so, or all where none is. */
function orAll<T>(all: readonly T[], isSo: (one: T) => boolean): readonly T[] {
  const some = all.filter(isSo);
  return some.length > 0 ? some : all;
}

function seconds(ms: number): number {
  return Math.round(ms / 10) / 100;
}
