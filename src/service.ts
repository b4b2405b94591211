import { type Logger } from 'pino';
import { createApi, createMonitoring, type Readiness } from './api/index.js';
import { backgroundWork } from './background-work.js';
import { compose, type Composition } from './composition.js';
import { type Config } from './kernel/index.js';
import { Merchants } from './merchants/index.js';
import { type PspsConfig } from './psp/index.js';

/** A running service, in whatever role it was asked for. */
export interface Service {
  /** Where it listens: the API, or a worker's health and metrics. */
  readonly url: string;
  /** Answers what is in flight, ends what is in hand, gives everything back. Safe to call twice. */
  close(): Promise<void>;
}

const VERSION = '0.1.0';

/** Puts the rooms together and starts what PAYONCE_ROLE asks for. */
export async function startService(config: Config, pspsConfig: PspsConfig, logger: Logger): Promise<Service> {
  const composition = await compose(config, pspsConfig, logger);
  const running = await start(composition).catch(async (error: unknown) => {
    await composition.close();
    throw error;
  });
  const { jobs, surface } = running;

  let closing: Promise<void> | null = null;
  const closeAll = async () => {
    // Requests and jobs first, side by side, since they use everything below.
    await Promise.all([surface.close(), jobs?.stop()]);
    await composition.close();
  };
  return { url: await surface.getUrl(), close: () => (closing ??= closeAll()) };
}

async function start(composition: Composition) {
  const jobs = composition.config.role === 'api' ? null : backgroundWork(composition);
  const surface = await serve(composition);
  await jobs?.start();
  return { jobs, surface };
}

async function serve(composition: Composition) {
  const { config, logger, metrics, pool, clock, ids } = composition;
  const { payments, payouts, incoming, outgoing, deadLetters } = composition;
  const monitoring = {
    readiness: () => readinessOf(() => pool.query('SELECT 1')),
    metrics,
    logger,
    version: VERSION,
    clock,
    limits: { graceMs: config.shutdownGraceMs },
  };
  const surface =
    config.role === 'worker'
      ? await createMonitoring(monitoring)
      : await createApi({
          ...monitoring,
          payments,
          payouts,
          notifications: incoming.notifications,
          webhookEndpoints: outgoing.endpoints,
          events: outgoing.events,
          authenticator: new Merchants(pool, clock, ids),
          operators: config.opsToken === null ? null : { token: config.opsToken, deadLetters },
        });
  await surface.listen(config.port, config.host);
  return surface;
}

async function readinessOf(ask: () => Promise<unknown>): Promise<Readiness> {
  try {
    await ask();
    return { ready: true, checks: { database: 'up' } };
  } catch {
    return { ready: false, checks: { database: 'down' } };
  }
}
