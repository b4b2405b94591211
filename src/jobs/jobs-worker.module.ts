import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { Config, ConfigError } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { LockHolder } from '../core/lock-holder.js';
import { DatabaseModule } from '../database/database.module.js';
import { Installation } from '../database/installation.js';
import { DeadLetters } from './dead-letters.js';
import { JobRegistry } from './job-registry.js';
import { JobsModule } from './jobs.module.js';
import { JobsRuntime } from './jobs-runtime.js';
import { chosenRetryPolicies } from './retry-policy.js';

/** Runs all that modules have registered, from the start of the application to its end. */
@Injectable()
export class JobsWorker implements BeforeApplicationShutdown, OnApplicationShutdown {
  private runtime: JobsRuntime | null = null;
  private stopping: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly installation: Installation,
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly holder: LockHolder,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Registry,
    private readonly deadLetters: DeadLetters,
    private readonly registry: JobRegistry,
  ) {}

  /** @throws ConfigError where PAYONCE_JOB_LADDER names a kind of job that there is not */
  prepare(): void {
    const { config, installation, pool, clock, ids, holder, logger, metrics, deadLetters, registry } = this;
    this.runtime = new JobsRuntime({
      databaseUrl: installation.database.url,
      redisUrl: config.redisUrl,
      pool,
      clock,
      ids,
      newLease: () => holder.newToken(),
      logger,
      metrics,
      deadLetters,
      ...this.kinds(),
      outboxSources: registry.outboxSources,
      periodicTasks: () => registry.periodicTasks,
      graceMs: config.shutdownGraceMs,
    });
  }

  async start(): Promise<void> {
    await this.runtime?.start();
  }

  /** Jobs in hand end side by side with the requests in flight. */
  beforeApplicationShutdown(): void {
    this.stopping = this.runtime?.stop() ?? Promise.resolve();
  }

  onApplicationShutdown(): Promise<void> {
    return this.stopping;
  }

  private kinds() {
    const { config, registry } = this;
    try {
      return chosenRetryPolicies(config.jobLadder, registry.kinds, registry.retryPolicies);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new ConfigError([`PAYONCE_JOB_LADDER: ${error.message}`]);
    }
  }
}

/** For processes that work; the others leave it out. */
@Module({ imports: [DatabaseModule, JobsModule], providers: [JobsWorker] })
export class JobsWorkerModule {}
