import { Module } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { Store } from '../core/change.js';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { LockHolder } from '../core/lock-holder.js';
import { AuditRecord } from './audit.entity.js';
import { PostgresStore } from './commit/postgres-store.js';
import { type EntityClass, poolOf } from './database.js';
import { EventRecord } from './event.entity.js';
import { FailoverHold } from './failover-hold.entity.js';
import { SealKey } from './seal-key.entity.js';
import { Installation } from './installation.js';
import { Readiness } from './readiness.js';
import { TenantDatabase } from './tenants.js';

/** A module of its own, for it closes after the store that commits through it. */
@Module({ providers: [Installation], exports: [Installation] })
class InstallationModule {}

/** The options of `dataSourceFactory` besides the entities of all modules. */
interface InstallationOptions {
  readonly installation: Installation;
}

/** The database: TypeORM's data source, its pool for SQL written as SQL, and the store of the hot path. */
@Module({
  imports: [
    InstallationModule,
    TypeOrmModule.forRootAsync({
      imports: [InstallationModule],
      inject: [Installation],
      useFactory: (installation: Installation): TypeOrmModuleOptions & InstallationOptions => ({
        type: 'postgres',
        // The entities that modules name with forFeature.
        autoLoadEntities: true,
        // A database that is away at the start is reported at once.
        toRetry: () => false,
        installation,
      }),
      dataSourceFactory: (options) => {
        const { entities, installation } = options as unknown as InstallationOptions & {
          readonly entities: readonly EntityClass[];
        };
        return installation.open(entities);
      },
    }),
    TypeOrmModule.forFeature([AuditRecord, EventRecord, FailoverHold, SealKey]),
  ],
  providers: [
    { provide: Pool, inject: [DataSource], useFactory: poolOf },
    {
      provide: LockHolder,
      // The data source is there once the installation is open.
      inject: [Installation, DataSource],
      useFactory: ({ session }: Installation): LockHolder => session,
    },
    {
      provide: PostgresStore,
      inject: [Installation, Pool, Clock, Ids, Config],
      useFactory: ({ database, tenants }: Installation, pool: Pool, clock: Clock, ids: Ids, config: Config) =>
        new PostgresStore({
          url: database.url,
          pool,
          tenantPool: tenants.pool,
          clock,
          random: () => ids.random(),
          lanes: config.commitLanes,
        }),
    },
    { provide: Store, useExisting: PostgresStore },
    Readiness,
    {
      provide: TenantDatabase,
      inject: [Installation, DataSource],
      useFactory: ({ tenants }: Installation) => new TenantDatabase(tenants.dataSource),
    },
  ],
  exports: [InstallationModule, Pool, TenantDatabase, LockHolder, PostgresStore, Store, Readiness],
})
export class DatabaseModule {}
