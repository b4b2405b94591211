import { type Command } from 'commander';
import { type PeriodicTask } from '../jobs/periodic-task-leases.js';
import { type Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { type Database } from '../database/database.js';
import { command, type Perform, withExamples } from './command.js';
import { duration, list } from './text.js';

export function addPeriodicTasks(payonce: Command, perform: Perform): void {
  const chores = withExamples(
    payonce.command('chores').description('what workers do again and again (docs/jobs.md)'),
    'list',
    'run reaper',
  );
  command(chores, 'list', 'list them with when each was last done', '').action(() =>
    perform(async ({ database, clock, withChores }) => {
      const { PeriodicTaskLeases } = await import('../jobs/periodic-task-leases.js');
      const standings = await new PeriodicTaskLeases({ pool: database.pool, clock }).standings();
      const since = new Map(standings.map(({ name, sinceEndMs }) => [name, sinceEndMs]));
      const all = await withChores((known) =>
        Promise.resolve(known.map(({ name, everyMs }) => ({ name, everyMs }))),
      );
      return {
        json: all.map(({ name, everyMs }) => ({
          name,
          every_ms: everyMs,
          done_ms_ago: roundedOf(since.get(name) ?? null),
        })),
        text: list(
          ['CHORE', 'EVERY', 'DONE'],
          all.map(({ name, everyMs }) => ({
            cells: [name, seconds(everyMs), agoOf(since.get(name) ?? null)],
          })),
        ),
      };
    }),
  );
  command(chores, 'run <name>', 'do one pass of one of them now', 'reaper', 'resolver-stripe --json').action(
    (name: string) =>
      perform(async ({ database, clock, ids, withChores }) =>
        withChores(async (known) => {
          const chore = known.find((each) => each.name === name);
          if (!chore) {
            const names = known.map((each) => each.name).join(', ');
            throw new Problem('not_found', `No chore is called ${JSON.stringify(name)}; there are ${names}.`);
          }
          if (!clock.isTrusted()) {
            const detail =
              'The clock of this machine and that of the database differ; nothing is done here by time.';
            throw new Problem('invalid_state', detail);
          }
          const report = await passOf(database, clock, chore, ids.uuid());
          if (!report) throw new Problem('invalid_state', `${name} is under way in another process.`);
          const figures = Object.entries(report).map(([what, figure]) => `${what} ${String(figure)}`);
          return { json: { name, ...report }, text: `${name}: ${figures.join(', ')}` };
        }),
      ),
  );
}

async function passOf(
  { pool }: Database,
  clock: Clock,
  chore: PeriodicTask,
  run: string,
): Promise<object | null> {
  const { PeriodicTaskFailed, PeriodicTaskLeases } = await import('../jobs/periodic-task-leases.js');
  try {
    return await new PeriodicTaskLeases({ pool, clock }).take(chore, run);
  } catch (error) {
    throw error instanceof PeriodicTaskFailed ? error.cause : error;
  }
}

function roundedOf(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}

function seconds(ms: number): string {
  return ms < 120_000 ? `${ms / 1_000} s` : `${ms / 60_000} min`;
}

function agoOf(ms: number | null): string {
  return ms === null ? 'never' : `${duration(ms)} ago`;
}
