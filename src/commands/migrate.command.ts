import { type Command, InvalidArgumentError, Option } from 'commander';
import { command, type Migrated, type MigrateOptions, numberOf, type Outcome } from './command.js';
import { folded } from './text.js';

const MOST_YEARS = 20;

/** Migrates, and prints it in the words of `tell`. */
export type Migrate = (options: MigrateOptions, tell: (done: Migrated) => Outcome) => Promise<void>;

/** The only command that makes or changes a schema. */
export function addMigrate(payonce: Command, migrate: Migrate): void {
  command(payonce, 'migrate', 'create or update the schema of the database', '--plan', '--partitions 3', '')
    .addOption(
      new Option('--plan', 'list the migrations that would run, and change nothing').conflicts('partitions'),
    )
    .option('--partitions <years>', 'divide history by quarters, for so many years ahead', years)
    .action(({ plan = false, partitions = 0 }: { plan?: boolean; partitions?: number }) =>
      migrate({ plan, partitions }, (done) => ({
        json: plan
          ? { pending: done.migrations }
          : { migrated: done.migrations, ...(partitions > 0 ? { partitions: done.partitions } : {}) },
        text: textOf(done, plan),
      })),
    );
}

function textOf({ migrations, partitions }: Migrated, plan: boolean): string {
  const ran =
    migrations.length > 0 ? [folded(plan ? 'Would run ' : 'Ran ', `${migrations.join(', ')}.`)] : [];
  const made = partitions.length > 0 ? [folded('Made the partitions ', `${partitions.join(', ')}.`)] : [];
  return [...ran, ...made].join('\n') || 'Nothing to do: the database is up to date.';
}

function years(text: string): number {
  const number = numberOf(text);
  if (number >= 1 && number <= MOST_YEARS) return number;
  throw new InvalidArgumentError(`a whole number from 1 to ${MOST_YEARS}`);
}
