import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { fastifyAdapter } from '../http/fastify-adapter.js';
import { HttpModule } from '../http/http.module.js';
import { ApiLimits } from '../http/limits.js';
import { nestLogger } from '../http/logger.js';
import { HealthController, MetricsController } from './health.controller.js';
import { Readiness } from '../database/readiness.js';

/** The parts that health and metrics report on. */
interface Monitored {
  readonly readiness: Pick<Readiness, 'check'>;
  readonly metrics: Registry;
  readonly clock: Clock;
  readonly limits: ApiLimits;
  readonly logger: Logger;
}

/**
 * An application of three paths, with the hooks, problem documents and shutdown that the API has. It is apart from
 * the API because it has an address of its own, which strangers do not reach, and because a worker has no API.
 */
export function createMonitoring(
  { readiness, metrics, clock, limits, logger }: Monitored,
  servesMetrics = true,
): Promise<NestFastifyApplication> {
  const values = [
    { provide: Readiness, useValue: readiness },
    { provide: Registry, useValue: metrics },
    { provide: Clock, useValue: clock },
    { provide: ApiLimits, useValue: limits },
    { provide: LOGGER, useValue: logger },
  ];
  return NestFactory.create<NestFastifyApplication>(
    {
      module: Monitoring,
      global: true,
      imports: [HttpModule],
      controllers: servesMetrics ? [HealthController, MetricsController] : [HealthController],
      providers: values,
      exports: values,
    },
    fastifyAdapter(limits, clock, logger),
    { bodyParser: false, logger: nestLogger(logger), abortOnError: false },
  );
}

@Module({})
class Monitoring {}

/** Serves health and metrics besides the API, or alone. */
@Injectable()
export class MonitoringListener implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly open: NestFastifyApplication[] = [];
  private closing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Registry,
    private readonly clock: Clock,
    private readonly limits: ApiLimits,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns its URL */
  async listen(port: number, host: string, servesMetrics: boolean): Promise<string> {
    const { readiness, metrics, clock, limits, logger } = this;
    const app = await createMonitoring({ readiness, metrics, clock, limits, logger }, servesMetrics);
    this.open.push(app);
    await app.listen(port, host);
    return app.getUrl();
  }

  /** Requests in flight end side by side with the jobs in hand. */
  beforeApplicationShutdown(): void {
    this.closing = Promise.all(this.open.map((app) => app.close()));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.closing;
  }
}
