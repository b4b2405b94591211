import {
  type BeforeApplicationShutdown,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { Config } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { AbandonedLocks } from './abandoned-locks.js';
import { DatabaseModule } from './database.module.js';

/** Ends the locks of processes that died, for as long as this one runs. Commands leave it out. */
@Module({ imports: [DatabaseModule] })
export class AbandonedLocksModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly abandoned: AbandonedLocks;
  private stopping: Promise<void> = Promise.resolve();

  constructor(pool: Pool, clock: Clock, @Inject(LOGGER) logger: Logger, config: Config) {
    this.abandoned = new AbandonedLocks({ pool, clock, logger, leaseMs: config.lockTtlMs });
  }

  onApplicationBootstrap(): void {
    this.abandoned.start();
  }

  beforeApplicationShutdown(): void {
    this.stopping = this.abandoned.stop();
  }

  onApplicationShutdown(): Promise<void> {
    return this.stopping;
  }
}
