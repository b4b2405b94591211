import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { Config, isLoopback } from './config/config.js';
import { LOGGER } from './config/config.module.js';
import { Clock } from './core/clock.js';
import { VERSION } from './core/version.js';
import { createApi, createMonitoring } from './create-api.js';
import { type Readiness } from './http/dependencies.js';
import { DeadLetters } from './jobs/dead-letters.js';
import { Merchants } from './merchants/merchants.js';
import { PaymentsService } from './payments/payments.service.js';
import { PayoutsService } from './payouts/payouts.service.js';
import { IncomingWebhooks } from './webhooks/incoming/incoming-webhooks.js';
import { WebhooksOut } from './webhooks/outgoing/webhooks-out.js';

type Listener = Awaited<ReturnType<typeof createMonitoring>>;

/** Where this process is reached: the API, or a worker's health and metrics, and the port for monitoring. */
@Injectable()
export class Listeners implements BeforeApplicationShutdown, OnApplicationShutdown {
  private open: Listener[] = [];
  private closing: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(Config) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Registry) private readonly metrics: Registry,
    @Inject(Pool) private readonly pool: Pool,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(ModuleRef) private readonly modules: ModuleRef,
  ) {}

  async listen(): Promise<void> {
    const { config, logger, metrics, pool, clock } = this;
    const observed = {
      readiness: () => readinessOf(() => pool.query('SELECT 1'), clock),
      metrics,
      logger,
      version: VERSION,
      clock,
      limits: { graceMs: config.shutdownGraceMs },
    };
    const onPort = { ...observed, servesMetrics: hasOpenMetrics(config) };
    const surface =
      config.role === 'worker'
        ? await createMonitoring(onPort)
        : await createApi({ ...onPort, ...this.apiDependencies() });
    this.open.push(surface);
    if (config.monitoringPort !== null) this.open.push(await createMonitoring(observed));
    await surface.listen(config.port, config.host);
    await this.open[1]?.listen(config.monitoringPort!, config.host);
  }

  /** Where the process listens; metrics have a listener of their own, or this one, or none. */
  async urls(): Promise<{ readonly url: string; readonly metricsUrl: string | null }> {
    const [surface, monitoring] = this.open;
    const url = await surface!.getUrl();
    if (monitoring) return { url, metricsUrl: await monitoring.getUrl() };
    return { url, metricsUrl: hasOpenMetrics(this.config) ? url : null };
  }

  /** Requests in flight end side by side with the jobs in hand. */
  beforeApplicationShutdown(): void {
    this.closing = Promise.all(this.open.map((listener) => listener.close()));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.closing;
  }

  private apiDependencies() {
    const { config, modules } = this;
    const outgoing = modules.get(WebhooksOut, { strict: false });
    const deadLetters = modules.get(DeadLetters, { strict: false });
    return {
      payments: modules.get(PaymentsService, { strict: false }),
      payouts: modules.get(PayoutsService, { strict: false }),
      notifications: modules.get(IncomingWebhooks, { strict: false }).notifications,
      webhookEndpoints: outgoing.endpoints,
      events: outgoing.events,
      authenticator: modules.get(Merchants, { strict: false }),
      operators: config.opsToken === null ? null : { token: config.opsToken, deadLetters },
    };
  }
}

/** Metrics tell strangers too much of the business: on the port for all they are only where there are no strangers. */
function hasOpenMetrics({ monitoringPort, host }: Config): boolean {
  return monitoringPort === null && isLoopback(host);
}

async function readinessOf(ask: () => Promise<unknown>, clock: Clock): Promise<Readiness> {
  const database = await ask().then(
    () => 'up' as const,
    () => 'down' as const,
  );
  const checks = { database, clock: clock.isTrusted() ? 'up' : 'down' } as const;
  return { ready: checks.database === 'up' && checks.clock === 'up', checks };
}
