import { type Command } from 'commander';
import { command, type Outcome } from './command.js';

/** Runs the pending migrations, or with `plan` only names them, and prints it in the words of `tell`. */
export type Migrate = (plan: boolean, tell: (migrations: readonly string[]) => Outcome) => Promise<void>;

/** The only command that makes or changes a schema. */
export function addMigrate(payonce: Command, migrate: Migrate): void {
  command(payonce, 'migrate', 'create or update the schema of the database', '--plan', '')
    .option('--plan', 'list the migrations that would run, and change nothing')
    .action(({ plan }: { plan?: true }) =>
      migrate(plan === true, (migrations) => {
        const names = migrations.join(', ');
        const text = migrations.length > 0 ? `${plan ? 'Would run' : 'Ran'} ${names}.` : NOTHING;
        return { json: plan ? { pending: migrations } : { migrated: migrations }, text };
      }),
    );
}

const NOTHING = 'Nothing to do: the database is up to date.';
