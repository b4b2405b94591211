import fastify, { type FastifyInstance } from 'fastify';
import { type Registry } from 'prom-client';
import { type Readiness } from './dependencies.js';

export interface OperationsServerOptions {
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: Registry;
  readonly version: string;
}

/** The paths of OperationsController for a process that answers nothing else: a worker. */
export function createOperationsServer({
  readiness,
  metrics,
  version,
}: OperationsServerOptions): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit: 1_024,
    requestTimeout: 10_000,
    forceCloseConnections: true,
  });
  server.get('/health/live', () => ({ status: 'live', version }));
  server.get('/health/ready', async (_request, reply) => {
    const { ready, checks } = await readiness();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', checks });
  });
  server.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.metrics()),
  );
  return server;
}
