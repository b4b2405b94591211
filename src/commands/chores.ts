import { type Command } from 'commander';
import { type Chore, ChoreFailed, ChoreTurns } from '../jobs/index.js';
import { Problem } from '../kernel/index.js';
import { command, type Perform } from './command.js';
import { table } from './table.js';

export function addChores(payonce: Command, perform: Perform): void {
  const chores = payonce.command('chores').description('what workers do again and again (docs/jobs.md)');
  command(chores, 'list', 'list them with when each was last done').action(() =>
    perform(async ({ database, clock, withChores }) => {
      const standings = await new ChoreTurns({ pool: database.pool, clock }).standings();
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
        text: table(
          ['CHORE', 'EVERY', 'DONE'],
          all.map(({ name, everyMs }) => [name, seconds(everyMs), agoOf(since.get(name) ?? null)]),
        ),
      };
    }),
  );
  command(chores, 'run <name>', 'do one pass of one of them now').action((name: string) =>
    perform(async ({ database, clock, ids, withChores }) =>
      withChores(async (known) => {
        const chore = known.find((each) => each.name === name);
        if (!chore) {
          const names = known.map((each) => each.name).join(', ');
          throw new Problem('not_found', `No chore is called ${JSON.stringify(name)}; there are ${names}.`);
        }
        const report = await passOf(new ChoreTurns({ pool: database.pool, clock }), chore, ids.uuid());
        if (!report) throw new Problem('invalid_state', `${name} is under way in another process.`);
        const figures = Object.entries(report).map(([what, figure]) => `${what} ${String(figure)}`);
        return { json: { name, ...report }, text: `${name}: ${figures.join(', ')}` };
      }),
    ),
  );
}

async function passOf(turns: ChoreTurns, chore: Chore, run: string): Promise<object | null> {
  try {
    return await turns.take(chore, run);
  } catch (error) {
    throw error instanceof ChoreFailed ? error.cause : error;
  }
}

function roundedOf(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}

function seconds(ms: number): string {
  return ms < 120_000 ? `${ms / 1_000} s` : `${ms / 60_000} min`;
}

function agoOf(ms: number | null): string {
  return ms === null ? 'never' : `${seconds(Math.round(ms / 1_000) * 1_000)} ago`;
}
