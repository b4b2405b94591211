import { type Command } from 'commander';
import { command, type Perform } from './command.js';

export function addMigrate(payonce: Command, perform: Perform): void {
  command(payonce, 'migrate', 'bring the database up to date').action(() =>
    perform(async ({ migrated }) => ({
      json: { migrated },
      text:
        migrated.length > 0 ? `Ran ${migrated.join(', ')}.` : 'Nothing to do: the database is up to date.',
    })),
  );
}
