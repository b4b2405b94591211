import { type Command, InvalidArgumentError } from 'commander';
import { userInfo } from 'node:os';
import { type PeriodicTask } from '../jobs/periodic-task-leases.js';
import { type Clock } from '../core/clock.js';
import { type DatabaseClock } from '../core/database-clock.js';
import { type Database } from '../database/database.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type Encryption } from '../core/encryption.js';
import { type AuditChain } from '../audit/audit-chain.js';
import { type Operators } from '../operators/operators.js';
import { type PspAdministration } from '../psp-accounts/psp-administration.js';
import { type RoutingAdministration } from '../psp-accounts/routing-administration.js';
import { type Reports } from '../reconciliation/reports.js';
import { type Operated } from '../request-storage/route-worker.js';
import { type PspAttempt, type Route } from '../request-storage/route.entity.js';
import { type Statement } from '../request-storage/decisions/person-statement.js';

/** The result of a command: `json` for programs, `text` for people. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
}

/** The actions of an operator on a stuck operation. */
export interface Operations {
  /** Looks it up at its PSP at least once, where the PSP offers a lookup. Returns the calls that were made. */
  askNow(stuck: Operated, traceId: string): Promise<readonly PspAttempt[]>;
  resolveStuck(stuck: Operated, statement: Statement, traceId: string): Promise<Route>;
}

/** The actions on the files of banks. */
export interface BankWork {
  /** The PSP accounts at banks that take files. */
  readonly names: readonly string[];
  /** `sent`: null where another process sends. */
  sendNow(psp: string): Promise<{ readonly formed: number; readonly sent: number | null }>;
  fetchNow(psp: string): Promise<number>;
}

/** The installation that commands work on. */
export interface OpenInstallation {
  /** Which installation it is, for people; without secrets. */
  readonly place: string;
  /** The address of its console, without a path. */
  readonly console: string;
  readonly database: Database;
  readonly clock: Pick<DatabaseClock, keyof Clock | 'differenceMs'>;
  readonly ids: Ids;
  /** The periodic tasks, as a worker of this configuration runs them. Opened on first use. */
  readonly withPeriodicTasks: <T>(work: (tasks: readonly PeriodicTask[]) => Promise<T>) => Promise<T>;
  /** The work on the files of banks, as a worker of this configuration does it. Opened on first use. */
  readonly withBankFiles: <T>(work: (files: BankWork) => Promise<T>) => Promise<T>;
  /** The decisions about operations, as a worker of this configuration makes them. Opened on first use. */
  readonly withOperations: <T>(work: (operations: Operations) => Promise<T>) => Promise<T>;
  /** The people who sign in to the console. @throws ConfigError where the seal key is not that of the database */
  readonly operators: () => Promise<Operators>;
  /** The chain of people's actions, and the key that signs its anchors. @throws ConfigError as `operators` */
  readonly audit: () => Promise<{ readonly chain: AuditChain; readonly seal: Encryption }>;
  /** The PSP accounts and routing rules that are stored. @throws ConfigError, PspsFileError */
  readonly pspAccounts: () => Promise<{
    readonly accounts: PspAdministration;
    readonly routing: RoutingAdministration;
  }>;
  /** Reports of the PSP accounts of this configuration. @throws ConfigError, PspsFileError */
  readonly reports: () => Promise<Reports>;
  /** Re-encrypts what is stored under the previous seal key. @throws ConfigError without the keys */
  readonly rotateSealKey: () => Promise<{ readonly reencrypted: number }>;
  /** Whether an argument holds what looks like a card number. */
  readonly holdsCardNumber: (text: string) => Promise<boolean>;
}

export interface MigrateOptions {
  /** Only names the migrations that are pending. */
  readonly plan: boolean;
  /** For how many years tables of history get a partition for each quarter; 0: none. */
  readonly partitions: number;
}

/** Names of the migrations that ran, or with `plan` would run, and of the partitions that were made. */
export interface Migrated {
  readonly migrations: readonly string[];
  readonly partitions: readonly string[];
}

/** The code that performs commands: src/cli.ts, which is loaded when one runs. */
export interface Installation {
  /** Opens the installation, says which it is and does the work. Makes and migrates none. */
  withInstallation(
    env: NodeJS.ProcessEnv,
    announce: (place: string) => void,
    work: (opened: OpenInstallation) => Promise<Outcome>,
  ): Promise<Outcome>;
  /** Runs the pending migrations and makes partitions, or with `plan` names the migrations alone. */
  migrations(
    env: NodeJS.ProcessEnv,
    options: MigrateOptions,
    announce: (place: string) => void,
  ): Promise<Migrated>;
  /** The error, with a code for programs. */
  explain(error: unknown): { readonly code: string; readonly message: string };
}

/** Opens the installation, says which it is, does the work and prints what it came to. Makes and migrates none. */
export type RunCommand = (work: (opened: OpenInstallation) => Promise<Outcome>) => Promise<void>;

let by: string | null = null;

/** Who did it, in audit records: the name that was given, or that of the user at the operating system. */
export function actor(): string {
  return `cli:${by ?? systemUser()}`;
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // A container's user need not have a name.
  }
}

function actorName(text: string): string {
  if (/^[\w.@+-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('1 to 64 of A-Z a-z 0-9 _ . @ + -');
}

/** A person's note, as it may be kept. */
export async function noteOf(
  option: string,
  text: string,
  { holdsCardNumber }: Pick<OpenInstallation, 'holdsCardNumber'>,
): Promise<string> {
  const note = text.trim();
  if (note.length === 0 || note.length > 500) {
    throw new Problem('validation_failed', `${option} takes 1 to 500 characters.`);
  }
  if (await holdsCardNumber(note)) {
    throw new Problem('card_number_refused', `${option} holds what looks like a card number.`);
  }
  return note;
}

/** A command of this name that takes `--json` and `--by`; `examples` are what follows its name. */
export function command(
  parent: Command,
  name: string,
  description: string,
  ...examples: readonly string[]
): Command {
  return asCommand(parent.command(name).description(description), ...examples);
}

/** The same of a command that its group has made. */
export function asCommand(made: Command, ...examples: readonly string[]): Command {
  made
    .option('--json', 'print one JSON value and nothing else')
    .option('--by <name>', 'your name, for the audit record; default: your login name', actorName)
    .hook('preAction', (called) => {
      by = called.opts<{ by?: string }>().by ?? null;
    });
  return withExamples(made, ...examples);
}

/** Shows below the help how the command is used; `examples` are what follows its name. */
export function withExamples(shown: Command, ...examples: readonly string[]): Command {
  return shown.addHelpText('after', () => {
    const lines = examples.map((example) => `  ${exampleLines(`npx ${pathOf(shown)} ${example}`.trimEnd())}`);
    return `\nExamples:\n${lines.join('\n')}`;
  });
}

/** Broken as a shell takes it, before an option, where it is too long for a line. */
function exampleLines(text: string): string {
  return text.length <= 78 ? text : text.replaceAll(/ (?=--)/g, ' \\\n    ');
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** A row as programs read it: its names in snake_case. */
export function jsonRow(row: object): object {
  const members = Object.entries(row).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value as unknown,
  ]);
  return Object.fromEntries(members) as object;
}

/** NaN where it is no whole number, which its taker refuses. */
export function numberOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : NaN;
}
