import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { type DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { DatabaseClock } from '../core/database-clock.js';
import { Encryption } from '../core/encryption.js';
import { type Hold } from '../core/hold.js';
import { Ids } from '../core/ids.js';
import { type Database, DatabaseUnavailable, type EntityClass, openDatabase } from './database.js';
import { openStore, type Store } from './open-store.js';
import { ProcessSession } from './process-session.js';
import { confirmSealKey } from './sealed-values.js';
import { gapOfRole } from './service-role.js';

/**
 * The database that this process works on, the embedded server where there is one, and the session by which
 * the process shows that it lives. Opened as a whole or not at all; closed last, when nothing uses it any more.
 */
@Injectable()
export class Installation implements OnApplicationShutdown {
  private store: Store | null = null;
  private tenantDatabase: Database | null = null;
  private processSession: ProcessSession | null = null;

  constructor(
    private readonly config: Config,
    private readonly encryption: Encryption,
    private readonly clock: DatabaseClock,
    private readonly ids: Ids,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws ConfigError, DatabaseUnavailable */
  async open(entities: readonly EntityClass[]): Promise<DataSource> {
    const { config, clock, ids, logger } = this;
    const connections = config.dbPool - config.commitLanes;
    try {
      const store = (this.store = await openStore(config, {
        entities,
        poolSize: Math.ceil(connections / 2),
        applicationName: 'payonce',
        schema: config.migrate ? 'migrate' : 'require',
        writes: true,
      }));
      if (store.migrated.length > 0) logger.info({ migrations: store.migrated.length }, 'migrated');
      const { url, pool, dataSource } = store.database;
      await this.refuseGap(pool);
      await confirmSealKey(pool, this.encryption);
      this.tenantDatabase = await openDatabase({
        url,
        entities,
        migrations: [],
        poolSize: Math.floor(connections / 2),
        applicationName: 'payonce-tenants',
        seesAll: false,
      });
      this.processSession = new ProcessSession(url, clock, ids, {
        isStandbySynchronous: config.standby === 'synchronous',
        onHold: (hold) => this.logHold(hold),
      });
      await this.processSession.start();
      return dataSource;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  get database(): Database {
    return this.store!.database;
  }

  /** Its connections see nothing unless a statement names a merchant: for requests of merchants. */
  get tenants(): Database {
    return this.tenantDatabase!;
  }

  get session(): ProcessSession {
    return this.processSession!;
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Without row-level security a mistake in a query could show a merchant what is another's. */
  private async refuseGap(pool: Pool): Promise<void> {
    const gap = await gapOfRole(pool);
    if (gap === null) return;
    if (this.config.rowSecurity === 'required') {
      throw new DatabaseUnavailable(
        `${gap}. Connect as a role of its own (docs/operations.md, Roles of the database), ` +
          'or set PAYONCE_ROW_SECURITY=advised',
      );
    }
    this.logger.warn({ runbook: 'docs/operations.md#roles-of-the-database' }, gap);
  }

  private logHold(hold: Hold): void {
    if (hold === 'operations') {
      this.logger.warn(
        { runbook: 'docs/operations.md#lost-commits' },
        'commits may be lost: payments and payouts that several PSPs could take are refused until a person runs `payonce failover resume`',
      );
    }
    if (hold === 'failover') this.logger.warn('commits were lost: every operation waits for its own PSP');
  }

  private async close(): Promise<void> {
    await this.processSession?.close();
    await this.tenantDatabase?.close();
    await this.store?.close();
  }
}
