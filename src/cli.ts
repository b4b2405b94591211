import { Command, CommanderError } from 'commander';
import {
  addApiKeys,
  addBreaks,
  addChores,
  addDeadLetters,
  addMerchants,
  addMigrate,
  addOrphans,
  addStuck,
  type Opened,
  type Outcome,
  type Perform,
} from './commands/index.js';
import { type Chore } from './jobs/index.js';
import {
  type Config,
  ConfigError,
  DatabaseUnavailable,
  loadConfig,
  Problem,
  StoreUnavailable,
  SystemClock,
  SystemIds,
} from './kernel/index.js';
import { openStore } from './open-store.js';

/**
 * `payonce …`: administration. With --json a command prints one JSON value on stdout and nothing
 * else; an error is one JSON value on stderr. Exit 0 done, 1 failed, 2 not understood.
 */

/** In the order in which the help lists them. */
const groups = [
  addMigrate,
  addMerchants,
  addApiKeys,
  addStuck,
  addOrphans,
  addBreaks,
  addDeadLetters,
  addChores,
];

function program(perform: Perform, writeErr: (text: string) => void): Command {
  const payonce = new Command('payonce')
    .description('Administers a Payonce installation: the one of DATABASE_URL, or the embedded one here.')
    .exitOverride() // subcommands inherit this and the next
    .configureOutput({ writeErr });
  for (const add of groups) add(payonce, perform);
  return payonce;
}

async function main(args: readonly string[]): Promise<number> {
  const asJson = args.includes('--json');
  let usage = '';
  const perform: Perform = async (work) => {
    const { json, text } = await withOpened(loadConfig(process.env), work);
    process.stdout.write(`${asJson ? JSON.stringify(json) : text}\n`);
  };
  try {
    await program(perform, (text) => (usage += text)).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // --help
    const { code, message } = explain(error);
    const text = error instanceof CommanderError ? usage : `payonce: ${message}\n`;
    process.stderr.write(asJson ? `${JSON.stringify({ error: { code, message } })}\n` : text);
    return error instanceof CommanderError ? 2 : 1;
  }
}

async function withOpened(config: Config, work: (opened: Opened) => Promise<Outcome>): Promise<Outcome> {
  const clock = new SystemClock(config.clockOffsetMs);
  const ids = new SystemIds(clock);
  const store = await openStore(config, { entities: [], poolSize: 2, applicationName: 'payonce-cli' });
  try {
    const { database, migrated } = store;
    return await work({
      database,
      migrated,
      clock,
      ids,
      holdsCardNumber,
      withChores: (use) => withChores(config, use),
    });
  } finally {
    await store.close();
  }
}

/** The whole service, composed as a worker has it, and nothing of it started. */
async function withChores<T>(config: Config, use: (chores: readonly Chore[]) => Promise<T>): Promise<T> {
  const { choresOf } = await import('./background-work.js');
  const { compose } = await import('./composition.js');
  const { createLogger } = await import('./api/index.js');
  const { pspsOf } = await import('./configured-psps.js');
  const logger = createLogger({ level: 'silent' });
  const composition = await compose(config, await pspsOf(config, null), logger);
  try {
    return await use(choresOf(composition));
  } finally {
    await composition.close();
  }
}

/** Loaded when it is asked for: the other commands do without the API and start sooner. */
async function holdsCardNumber(text: string): Promise<boolean> {
  const { findCardNumber } = await import('./api/index.js');
  return findCardNumber(text) !== null;
}

function explain(error: unknown): { code: string; message: string } {
  if (error instanceof Problem) return { code: error.code, message: error.detail };
  if (error instanceof ConfigError) return { code: 'configuration_invalid', message: error.message };
  if (error instanceof DatabaseUnavailable) return { code: 'database_unavailable', message: error.message };
  if (error instanceof StoreUnavailable) {
    return { code: 'database_unavailable', message: 'the database went away; ask it again' };
  }
  if (error instanceof CommanderError) {
    const isBare = error.code === 'commander.help';
    return {
      code: 'usage',
      message: isBare ? 'a command is missing' : error.message.replace(/^error: /, ''),
    };
  }
  return { code: 'internal_error', message: error instanceof Error ? error.message : String(error) };
}

process.exitCode = await main(process.argv.slice(2));
