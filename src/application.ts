import { type INestApplicationContext, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, hasOpenMetrics, type Role, servesApi, type Settings } from './app.module.js';
import { SystemClock } from './core/clock.js';
import { traceWith } from './core/tracing.js';
import { VERSION } from './core/version.js';
import { DocsSite } from './docs/docs-site.js';
import { fastifyAdapter } from './http/fastify-adapter.js';
import { limitsOf } from './http/limits.js';
import { nestLogger } from './http/logger.js';
import { OpsListener } from './http/ops-listener.js';
import { JobsWorker } from './jobs/jobs-worker.module.js';
import { MonitoringListener } from './monitoring/monitoring-listener.js';
import { openApiDocument } from './openapi.js';

/** The application, wired and with its database open. Nothing listens yet, and no job runs. */
export async function createApplication(role: Role, settings: Settings): Promise<INestApplicationContext> {
  const { config, logger } = settings;
  if (role !== 'commands') await startTracing(config.otelExporterOtlpEndpoint);
  const module = AppModule.forRole(role, settings);
  const options = { logger: nestLogger(logger), abortOnError: false };
  if (!servesApi(role)) return NestFactory.createApplicationContext(module, options);
  const adapter = fastifyAdapter(
    limitsOf(config),
    new SystemClock(config.clockOffsetMs),
    logger,
    config.trustedProxies,
  );
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    ...options,
    bodyParser: false,
  });
  try {
    await initApi(app, options.logger);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Routes of controllers, and the document of the API. */
export async function initApi(app: NestFastifyApplication, logger: LoggerService | false): Promise<void> {
  await app.init();
  app.get(DocsSite).documentMadeBy(() => openApiDocument(VERSION, logger));
}

/** The addresses of the process; metrics have a listener of their own, or the first one, or none. */
export interface Urls {
  readonly url: string;
  /** The address of the console: that of its own listener, or the first one. */
  readonly opsUrl: string;
  readonly metricsUrl: string | null;
  /** Address and port of gRPC; null: it is not served. */
  readonly grpc: string | null;
}

/** Starts the application with everything that PAYONCE_ROLE includes. `close()` ends requests and jobs in flight first. */
export async function startApplication(
  settings: Settings,
): Promise<{ readonly app: INestApplicationContext; readonly urls: Urls }> {
  const { config } = settings;
  const app = await createApplication(config.role, settings);
  try {
    const worker = config.role === 'api' ? null : app.get(JobsWorker);
    worker?.prepare();
    const urls = await listen(app, config);
    await worker?.start();
    return { app, urls };
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function listen(app: INestApplicationContext, config: Settings['config']): Promise<Urls> {
  const { port, host, monitoringPort, opsPort, grpcPort } = config;
  const monitoring = app.get(MonitoringListener);
  const isOpen = hasOpenMetrics(config);
  const grpc =
    servesApi(config.role) && grpcPort !== null
      ? await startGrpc(app as NestFastifyApplication, grpcPort)
      : null;
  if (servesApi(config.role)) await (app as NestFastifyApplication).listen(port, host);
  const url = servesApi(config.role)
    ? await (app as NestFastifyApplication).getUrl()
    : await monitoring.listen(port, host, isOpen);
  const opsUrl =
    servesApi(config.role) && opsPort !== null ? await app.get(OpsListener).listen(opsPort, host) : url;
  if (monitoringPort === null) return { url, opsUrl, metricsUrl: isOpen ? url : null, grpc };
  return { url, opsUrl, metricsUrl: await monitoring.listen(monitoringPort, host, true), grpc };
}

/** Its packages are loaded only where traces are sent. */
async function startTracing(endpoint: string | null): Promise<void> {
  if (endpoint === null) return;
  const { OpenTelemetry } = await import('./monitoring/open-telemetry.js');
  traceWith(new OpenTelemetry(endpoint));
}

/** Its packages are loaded only where it is served. */
async function startGrpc(app: NestFastifyApplication, port: number): Promise<string> {
  const grpc = await import('./grpc/grpc-server.js');
  return grpc.startGrpc(app, port);
}
