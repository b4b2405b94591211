import { type Command } from 'commander';
import { type Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { type DeadLetter } from '../jobs/dead-letter.entity.js';
import { type DeadLetterFilter, type DeadLetters, type Selection } from '../jobs/dead-letters.js';
import { actor, command, numberOf, type OpenInstallation, type RunCommand, withExamples } from './command.js';
import { ago, folded, list } from './text.js';

/** How many letters one list shows. */
const MAX_LISTED = 10_000;
/** The most characters of an error in a list; `show` has all of it. */
const SHOWN_ERROR = 60;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

interface Selecting {
  readonly kind?: string;
  readonly cause?: string;
  readonly all?: true;
  readonly yes?: true;
}

export function addDeadLetters(payonce: Command, perform: RunCommand): void {
  const dlq = withExamples(
    payonce
      .command('dlq')
      .description('list, requeue and purge dead letters (docs/runbooks/dead-letters.md)'),
    'list',
    'merge --cause exhausted',
  );
  command(dlq, 'list', 'list dead letters, newest first', '', '--kind webhook.apply --older-than 1h')
    .option('--kind <kind>', 'only this kind of job')
    .option('--cause <cause>', 'only this cause')
    .option('--older-than <age>', 'at least this old: 90s, 30m, 1h, 2d')
    .option('--limit <n>', 'how many at most', '100')
    .action(({ limit, olderThan, ...named }: { limit: string; olderThan?: string } & Selecting) =>
      perform(async (opened) => {
        const before = olderThan === undefined ? null : agoOf(olderThan, opened.clock);
        const filter = { kind: named.kind, cause: named.cause, ...(before ? { olderThan: before } : {}) };
        const { letters, more } = await listed(await lettersOf(opened), filter, limitOf(limit));
        const now = opened.clock.now();
        const text = list(
          letters,
          {
            DIED: ({ diedAt }) => ago(diedAt, now),
            TRIES: ({ tries }) => String(tries),
            KIND: ({ kind }) => kind,
            CAUSE: ({ cause }) => cause,
          },
          ({ id, error }) => [
            ['id', id],
            ['error', cut(error)],
          ],
        );
        const { deadLetterView } = await import('../jobs/dead-letter.view.js');
        return { json: letters.map(deadLetterView), text: more ? `${text}\n\nMore of them: --limit` : text };
      }),
    );
  command(dlq, 'show', 'show a dead letter', '019aa5d1-3c0e-7a51-8d2f-6b0c9e4f7a18')
    .argument('<id>', 'the id of the dead letter')
    .action((id: string) =>
      perform(async (opened) => {
        const { deadLetterView } = await import('../jobs/dead-letter.view.js');
        const letter = deadLetterView(await (await lettersOf(opened)).show(id));
        const lines = Object.entries(letter).map(([name, value]) => folded(`${name}: `, shown(value)));
        return { json: letter, text: lines.join('\n') };
      }),
    );
  selecting(
    command(
      dlq,
      'merge',
      'send jobs back to their queue, to be tried from the start',
      '019aa5d1-3c0e-7a51-8d2f-6b0c9e4f7a18',
      '--kind webhook.apply --cause exhausted',
    ),
  ).action((ids: string[], options: Selecting, called: Command) => {
    const selection = selectionOf(ids, options, called);
    return perform(async (opened) => {
      const { done, left } = await (await lettersOf(opened)).merge(selection, actor());
      return { json: { merged: done, left }, text: summary('Merged', done, left) };
    });
  });
  selecting(
    command(
      dlq,
      'purge',
      'delete dead letters for good',
      '019aa5d1-3c0e-7a51-8d2f-6b0c9e4f7a18',
      '--cause exhausted --yes',
    ),
  )
    .option('--yes', 'required to purge without ids')
    .action((ids: string[], options: Selecting, called: Command) => {
      const selection = selectionOf(ids, options, called);
      if (ids.length === 0 && !options.yes) {
        called.error('error: this deletes every letter that matches, for good; add --yes to confirm');
      }
      return perform(async (opened) => {
        const { done, left } = await (await lettersOf(opened)).purge(selection, actor());
        return { json: { purged: done, left }, text: summary('Purged', done, left) };
      });
    });
}

function selecting(command: Command): Command {
  return command
    .argument('[ids...]', 'the ids of dead letters')
    .option('--kind <kind>', 'every letter of this kind of job')
    .option('--cause <cause>', 'every letter with this cause')
    .option('--all', 'every dead letter');
}

/** Exactly one way of naming them: an empty selection is never everything by accident. */
function selectionOf(ids: readonly string[], { kind, cause, all }: Selecting, called: Command): Selection {
  const ways = [ids.length > 0, kind !== undefined || cause !== undefined, all === true];
  if (ways.filter(Boolean).length !== 1) {
    called.error('error: name ids, or a --cause and/or a --kind, or --all');
  }
  if (ids.length > 0) return { ids };
  return { ...(kind === undefined ? {} : { kind }), ...(cause === undefined ? {} : { cause }) };
}

async function lettersOf({ database, clock, ids }: OpenInstallation): Promise<DeadLetters> {
  const [{ DeadLetters }, { DeadLetter }, { StagedJobs }] = await Promise.all([
    import('../jobs/dead-letters.js'),
    import('../jobs/dead-letter.entity.js'),
    import('../jobs/staged-jobs.js'),
  ]);
  const letters = database.dataSource.getRepository(DeadLetter);
  return new DeadLetters(letters, clock, ids, new StagedJobs(clock, ids));
}

async function listed(
  letters: DeadLetters,
  filter: DeadLetterFilter,
  limit: number,
): Promise<{ letters: DeadLetter[]; more: boolean }> {
  const { MAX_IN_A_PAGE } = await import('../jobs/dead-letters.js');
  const found: DeadLetter[] = [];
  let cursor: string | null = null;
  do {
    const page = await letters.list({
      ...filter,
      limit: Math.min(limit - found.length, MAX_IN_A_PAGE),
      cursor,
    });
    found.push(...page.letters);
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < limit);
  return { letters: found, more: cursor !== null };
}

function limitOf(text: string): number {
  const limit = numberOf(text);
  if (limit >= 1 && limit <= MAX_LISTED) return limit;
  throw invalid('/limit', `a whole number from 1 to ${MAX_LISTED}`);
}

/** The time `age` ago. */
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
