import { type Command } from 'commander';
import { type Chore } from '../jobs/index.js';
import { type Clock, type Database, type Ids } from '../kernel/index.js';

/** What a command came to: `json` for programs, `text` for people. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
}

/** What commands work on. */
export interface Opened {
  readonly database: Database;
  /** The names of the migrations that opening it has run. */
  readonly migrated: readonly string[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** What is done again and again, as a worker of this configuration does it. Opened when it is asked for. */
  readonly withChores: <T>(work: (chores: readonly Chore[]) => Promise<T>) => Promise<T>;
  /** Whether what somebody typed holds what looks like a card number. */
  readonly holdsCardNumber: (text: string) => Promise<boolean>;
}

/** Opens the installation, does the work and prints what it came to. */
export type Perform = (work: (opened: Opened) => Promise<Outcome>) => Promise<void>;

/** Who did it, in audit records. */
export const ACTOR = 'cli';

/** A command of this name that takes `--json`. */
export function command(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print one JSON value and nothing else');
}

/** NaN where it is no whole number, which whoever takes it refuses. */
export function numberOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : NaN;
}
