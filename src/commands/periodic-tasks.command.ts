import { type Command } from 'commander';
import { type PeriodicTask } from '../jobs/periodic-task-leases.js';
import { type Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { type Database } from '../database/database.js';
import { command, type RunCommand, withExamples } from './command.js';
import { duration, list } from './text.js';

export function addPeriodicTasks(payonce: Command, perform: RunCommand): void {
  const tasks = withExamples(
    payonce
      .command('tasks')
      .alias('chores')
      .description('list and run the periodic tasks of workers (docs/jobs.md)'),
    'list',
    'run reaper',
  );
  command(tasks, 'list', 'list the tasks and when each last ran', '').action(() =>
    perform(async ({ database, clock, withPeriodicTasks }) => {
      const { PeriodicTaskLeases } = await import('../jobs/periodic-task-leases.js');
      const lastRuns = await new PeriodicTaskLeases({ pool: database.pool, clock }).lastRuns();
      const since = new Map(lastRuns.map(({ name, sinceEndMs }) => [name, sinceEndMs]));
      const all = await withPeriodicTasks((known) =>
        Promise.resolve(known.map(({ name, everyMs }) => ({ name, everyMs }))),
      );
      return {
        json: all.map(({ name, everyMs }) => ({
          name,
          every_ms: everyMs,
          done_ms_ago: roundedOf(since.get(name) ?? null),
        })),
        text: list(all, {
          TASK: ({ name }) => name,
          EVERY: ({ everyMs }) => seconds(everyMs),
          'LAST RUN': ({ name }) => agoOf(since.get(name) ?? null),
        }),
      };
    }),
  );
  command(tasks, 'run <name>', 'run a task once, now', 'reaper', 'resolver-stripe --json').action(
    (name: string) =>
      perform(async ({ database, clock, ids, withPeriodicTasks }) =>
        withPeriodicTasks(async (known) => {
          const task = known.find((each) => each.name === name);
          if (!task) {
            const names = known.map((each) => each.name).join(', ');
            throw new Problem(
              'not_found',
              `No periodic task is called ${JSON.stringify(name)}; there are ${names}.`,
            );
          }
          if (!clock.isTrusted()) {
            const detail =
              'The clock of this machine and that of the database differ; nothing is done here by time.';
            throw new Problem('invalid_state', detail);
          }
          const report = await passOf(database, clock, task, ids.uuid());
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
  task: PeriodicTask,
  run: string,
): Promise<object | null> {
  const { PeriodicTaskFailed, PeriodicTaskLeases } = await import('../jobs/periodic-task-leases.js');
  try {
    return await new PeriodicTaskLeases({ pool, clock }).run(task, run);
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
