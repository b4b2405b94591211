import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { type Repository } from 'typeorm';
import { Config } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { holdSecrets } from '../core/redact.js';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { AlertTold } from './alert-told.entity.js';
import { Alerts } from './alerts.js';
import { readAlertsFile, secretsOf } from './alerts-file.js';

/** Alerts to people, where a file configures their channels. */
@Module({ imports: [DatabaseModule, JobsModule, TypeOrmModule.forFeature([AlertTold])] })
export class AlertsModule implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly jobs: JobRegistry,
    private readonly pool: Pool,
    @InjectRepository(AlertTold) private readonly told: Repository<AlertTold>,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws ConfigError where the file is wrong */
  onModuleInit(): void {
    const { alertsFile } = this.config;
    if (alertsFile === null) return;
    const settings = readAlertsFile(alertsFile, process.env);
    holdSecrets(settings.channels.flatMap(secretsOf));
    const alerts = new Alerts(settings, this.pool, this.told, this.clock, this.logger);
    this.jobs.register({ periodicTasks: () => [alerts] });
  }
}
