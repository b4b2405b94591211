import { type Command } from 'commander';
import { type Clock, Problem } from '../kernel/index.js';
import {
  type DeadLetter,
  type DeadLetterFilter,
  DeadLetters,
  deadLetterView,
  MOST_IN_A_PAGE,
  type Selection,
  StagedJobs,
} from '../jobs/index.js';
import { ACTOR, command, numberOf, type Opened, type Perform } from './command.js';
import { table, when } from './table.js';

/** How many letters one list shows. */
const MOST_LISTED = 10_000;
/** Of an error in a list; `show` has all of it. */
const SHOWN_ERROR = 60;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

interface Selecting {
  readonly kind?: string;
  readonly cause?: string;
  readonly all?: true;
  readonly yes?: true;
}

export function addDeadLetters(payonce: Command, perform: Perform): void {
  const dlq = payonce
    .command('dlq')
    .description('dead letters: jobs that were given up (docs/runbooks/dead-letters.md)');
  command(dlq, 'list', 'list them, newest first')
    .option('--kind <kind>', 'of this kind alone')
    .option('--cause <cause>', 'of this cause alone')
    .option('--older-than <age>', 'given up so long ago or longer: 90s, 30m, 1h, 2d')
    .option('--limit <n>', 'how many at most', '100')
    .action(({ limit, olderThan, ...named }: { limit: string; olderThan?: string } & Selecting) =>
      perform(async (opened) => {
        const before = olderThan === undefined ? null : agoOf(olderThan, opened.clock);
        const filter = { kind: named.kind, cause: named.cause, ...(before ? { olderThan: before } : {}) };
        const { letters, more } = await listed(lettersOf(opened), filter, limitOf(limit));
        const rows = letters.map((letter) => [
          letter.id,
          when(letter.diedAt),
          String(letter.tries),
          letter.kind,
          letter.cause,
          cut(letter.error),
        ]);
        const list = table(['ID', 'DIED', 'TRIES', 'KIND', 'CAUSE', 'ERROR'], rows);
        return { json: letters.map(deadLetterView), text: more ? `${list}\nMore of them: --limit` : list };
      }),
    );
  command(dlq, 'show', 'show one of them whole')
    .argument('<id>', 'its id')
    .action((id: string) =>
      perform(async (opened) => {
        const letter = deadLetterView(await lettersOf(opened).show(id));
        const lines = Object.entries(letter).map(([name, value]) => `${name}: ${shown(value)}`);
        return { json: letter, text: lines.join('\n') };
      }),
    );
  selecting(command(dlq, 'merge', 'send them back to be tried again from the first level')).action(
    (ids: string[], options: Selecting, asked: Command) => {
      const selection = selectionOf(ids, options, asked);
      return perform(async (opened) => {
        const { done, left } = await lettersOf(opened).merge(selection, ACTOR);
        return { json: { merged: done, left }, text: summary('Merged', done, left) };
      });
    },
  );
  selecting(command(dlq, 'purge', 'throw them away for good'))
    .option('--yes', 'needed to purge without naming ids')
    .action((ids: string[], options: Selecting, asked: Command) => {
      const selection = selectionOf(ids, options, asked);
      if (ids.length === 0 && !options.yes) {
        asked.error('error: this throws away every letter that matches, for good; say --yes if it is meant');
      }
      return perform(async (opened) => {
        const { done, left } = await lettersOf(opened).purge(selection, ACTOR);
        return { json: { purged: done, left }, text: summary('Purged', done, left) };
      });
    });
}

function selecting(command: Command): Command {
  return command
    .argument('[ids...]', 'these')
    .option('--kind <kind>', 'all of this kind')
    .option('--cause <cause>', 'all of this cause; with --kind, of both')
    .option('--all', 'all there are');
}

/** Exactly one way of naming them: an empty selection is never everything by accident. */
function selectionOf(ids: readonly string[], { kind, cause, all }: Selecting, asked: Command): Selection {
  const ways = [ids.length > 0, kind !== undefined || cause !== undefined, all === true];
  if (ways.filter(Boolean).length !== 1) {
    asked.error('error: name ids, or a --cause and/or a --kind, or --all');
  }
  if (ids.length > 0) return { ids };
  return { ...(kind === undefined ? {} : { kind }), ...(cause === undefined ? {} : { cause }) };
}

function lettersOf({ database, clock, ids }: Opened): DeadLetters {
  return new DeadLetters({ pool: database.pool, clock, ids, staged: new StagedJobs(clock, ids) });
}

async function listed(
  letters: DeadLetters,
  filter: DeadLetterFilter,
  limit: number,
): Promise<{ letters: DeadLetter[]; more: boolean }> {
  const found: DeadLetter[] = [];
  let cursor: string | null = null;
  do {
    const page = await letters.list({
      ...filter,
      limit: Math.min(limit - found.length, MOST_IN_A_PAGE),
      cursor,
    });
    found.push(...page.letters);
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < limit);
  return { letters: found, more: cursor !== null };
}

function limitOf(text: string): number {
  const limit = numberOf(text);
  if (limit >= 1 && limit <= MOST_LISTED) return limit;
  throw invalid('/limit', `a whole number from 1 to ${MOST_LISTED}`);
}

/** The time that lies `age` back. */
function agoOf(age: string, clock: Clock): Date {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(age) ?? [];
  if (count === undefined || unit === undefined)
    throw invalid('/older_than', 'an age such as 90s, 30m, 1h or 2d');
  return new Date(clock.now().getTime() - Number(count) * UNIT_MS[unit]!);
}

function invalid(pointer: string, message: string): Problem {
  return new Problem('validation_failed', message, { errors: [{ pointer, message }] });
}

function summary(what: string, done: number, left: number): string {
  const letters = `${what} ${done} ${done === 1 ? 'letter' : 'letters'}.`;
  return left === 0 ? letters : `${letters} ${left} of the selection are still there: say it again.`;
}

function cut(error: string): string {
  const line = error.replaceAll(/[\p{Cc}\s]+/gu, ' ');
  return line.length > SHOWN_ERROR ? `${line.slice(0, SHOWN_ERROR - 1)}…` : line;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
