import { type INestApplicationContext } from '@nestjs/common';
import {
  type Migrated,
  type MigrateOptions,
  type OpenInstallation,
  type Operations,
  type Outcome,
} from './commands/command.js';
import { findCardNumber } from './core/card-number.js';
import { SystemClock } from './core/clock.js';
import { type Config, ConfigError, loadConfig } from './config/config.js';
import { consoleOf } from './console-address.js';
import { DatabaseClock } from './core/database-clock.js';
import { DatabaseUnavailable } from './database/database.js';
import { SystemIds } from './core/ids.js';
import { Problem } from './core/problem.js';
import { learnTime } from './database/process-session.js';
import { redact } from './core/redact.js';
import { sealKeyOf } from './config/seal-key.js';
import { Encryption } from './core/encryption.js';
import { StoreUnavailable } from './database/store-unavailable.js';
import { openStore, partitionStore, pendingMigrations } from './database/open-store.js';
import { type PspsConfig } from './psp/psps-config.js';
import { type OperationRegistry } from './request-storage/operation-registry.js';
import { entities } from './entities.js';
import { StoredPspAccount } from './psp-accounts/psp-account.entity.js';
import { confirmSealKey, rotateSealKey } from './database/sealed-values.js';

/** The installation that the commands of payonce.ts work on, as the environment names it. */

/** The migrations that ran, or with `plan` would run. */
export async function migrations(
  env: NodeJS.ProcessEnv,
  { plan, partitions }: MigrateOptions,
  announce: (place: string) => void,
): Promise<Migrated> {
  const config = loadConfig(env);
  if (plan) {
    const { place, pending } = await pendingMigrations(config);
    announce(place);
    return { migrations: pending, partitions: [] };
  }
  const store = await openStore(config, { ...asCommand, schema: 'migrate', writes: true });
  announce(store.place);
  await store.close();
  const made = partitions > 0 ? await partitionStore(config, partitions) : [];
  return { migrations: store.migrated, partitions: made };
}

const asCommand = { entities, poolSize: 2, applicationName: 'payonce-cli' };

/** Opens it, says which it is and does the work with it. Makes and migrates none. */
export async function withInstallation(
  env: NodeJS.ProcessEnv,
  announce: (place: string) => void,
  work: (opened: OpenInstallation) => Promise<Outcome>,
): Promise<Outcome> {
  const config = loadConfig(env);
  const clock = new DatabaseClock(new SystemClock(config.clockOffsetMs));
  const ids = new SystemIds(clock);
  const store = await openStore(config, { ...asCommand, schema: 'require', writes: false });
  announce(store.place);
  try {
    const { database } = store;
    await learnTime(clock, database.pool);
    const confirmedSeal = async () => {
      const seal = new Encryption(sealKeyOf(config), config.sealKeyPrevious);
      // Data encrypted under another key could never be read.
      await confirmSealKey(database.pool, seal);
      return seal;
    };
    return await work({
      place: store.place,
      console: consoleOf(config),
      database,
      clock,
      ids,
      holdsCardNumber: (text) => Promise.resolve(findCardNumber(text) !== null),
      operators: async () => {
        const [{ Operators }, { Operator }] = await Promise.all([
          import('./operators/operators.js'),
          import('./operators/operator.entity.js'),
        ]);
        return new Operators(database.dataSource.getRepository(Operator), await confirmedSeal(), clock, ids);
      },
      audit: async () => {
        const { AuditChain } = await import('./audit/audit-chain.js');
        return { chain: new AuditChain(database.pool), seal: await confirmedSeal() };
      },
      rotateSealKey: async () =>
        rotateSealKey(database.pool, new Encryption(sealKeyOf(config), config.sealKeyPrevious)),
      reports: async () => {
        const [{ Reports }, { readStoredPsps }] = await Promise.all([
          import('./reconciliation/reports.js'),
          import('./psp-accounts/stored-psps.js'),
        ]);
        const psps = await configuredPsps(config);
        if (await database.dataSource.getRepository(StoredPspAccount).existsBy({})) {
          await readStoredPsps({
            source: database.dataSource,
            psps,
            encryption: await confirmedSeal(),
            config,
          });
        }
        return new Reports(psps, database.pool, clock, ids);
      },
      pspAccounts: async () => {
        const { PspAdministration } = await import('./psp-accounts/psp-administration.js');
        const { RoutingAdministration } = await import('./psp-accounts/routing-administration.js');
        const { pspsOf } = await import('./configured-psps.js');
        // A name of the PSPs file could not be known otherwise, and would keep processes from starting.
        const psps = await pspsOf(config, null);
        const { dataSource } = database;
        const accounts = new PspAdministration(dataSource, psps, await confirmedSeal(), config, clock, ids);
        return { accounts, routing: new RoutingAdministration(dataSource, psps, accounts, clock, ids) };
      },
      withPeriodicTasks: async (use) => {
        const { JobRegistry } = await import('./jobs/job-registry.js');
        return withApplication(config, (app) => use(app.get(JobRegistry).periodicTasks));
      },
      withBankFiles: async (use) => {
        const { BankFiles } = await import('./bank-files/bank-files.js');
        return withApplication(config, (app) => use(app.get(BankFiles)));
      },
      withOperations: async (use) => {
        const { OperationRegistry } = await import('./request-storage/operation-registry.js');
        return withApplication(config, (app) => use(operationsOf(app.get(OperationRegistry))));
      },
    });
  } finally {
    await store.close();
  }
}

/** The accounts of the file, or none: a report can be imported where no account is configured. */
async function configuredPsps(config: Config): Promise<PspsConfig> {
  const [{ pspsOf }, { PspsConfig }] = await Promise.all([
    import('./configured-psps.js'),
    import('./psp/psps-config.js'),
  ]);
  return config.pspsFile !== null || config.simulated ? pspsOf(config, null) : new PspsConfig();
}

/** The whole application, wired as a worker has it, and nothing of it started. */
async function withApplication<T>(
  config: Config,
  use: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const { createApplication } = await import('./application.js');
  const { createLogger } = await import('./http/logger.js');
  const { pspsOf } = await import('./configured-psps.js');
  const app = await createApplication('commands', {
    config: { ...config, migrate: false },
    psps: await pspsOf(config, null),
    logger: createLogger({ level: 'silent' }),
  });
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}

function operationsOf(registry: OperationRegistry): Operations {
  return {
    askNow: (stuck, traceId) => registry.of(stuck.entityKey).askNow(stuck, traceId),
    resolveStuck: (stuck, statement, traceId) =>
      registry.of(stuck.entityKey).resolveStuck(stuck, statement, traceId),
  };
}

/** The error, with a code for programs. */
export function explain(error: unknown): { code: string; message: string } {
  if (error instanceof Problem) return { code: error.code, message: error.detail };
  if (error instanceof ConfigError) return { code: 'configuration_invalid', message: error.message };
  if (error instanceof DatabaseUnavailable) return { code: error.code, message: error.message };
  if (error instanceof StoreUnavailable) {
    return { code: 'database_unavailable', message: 'the database went away; ask it again' };
  }
  return { code: 'internal_error', message: redact(error instanceof Error ? error.message : String(error)) };
}
