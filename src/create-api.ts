import { type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import { type Logger } from 'pino';
import { SystemIds, type Ids } from './core/ids.js';
import { Problem } from './core/problem.js';
import { ApiModule } from './api.module.js';
import { type ApiDependencies } from './api-dependencies.js';
import { defaultLimits, type ApiLimits, type MonitoringDependencies } from './http/dependencies.js';
import { serveDocs } from './http/docs.js';
import { openApiDocument } from './openapi.js';
import { nestLogger } from './http/nest-logger.js';
import { RequestHooks } from './http/request-hooks.js';
import { problemText } from './http/responses.js';
import { MonitoringModule } from './monitoring/monitoring.module.js';
import { frameworkProblem, problemOfStatus } from './http/problem.filter.js';
import { RouteTable } from './http/route-table.js';

/**
 * The REST surface, ready to listen: `await (await createApi(dependencies)).listen(port, host)`.
 * `app.close()` shuts it down gracefully (drain.ts); what it was given stays open.
 */
export async function createApi(dependencies: ApiDependencies): Promise<NestFastifyApplication> {
  const app = await create(ApiModule.register(dependencies), dependencies);
  serveDocs(app, () => openApiDocument(dependencies.version, nestLogger(dependencies.logger)));
  return ready(app);
}

/**
 * What is served without the REST surface, by a worker and on the port for monitoring: `/health/live`,
 * `/health/ready` and `/metrics`, with the same bounds, log lines, problem documents (404 and 405) and shutdown.
 */
export async function createMonitoring(
  dependencies: MonitoringDependencies,
): Promise<NestFastifyApplication> {
  return ready(await create(MonitoringModule.register(dependencies), dependencies));
}

async function create(
  module: DynamicModule,
  { logger, clock, ...more }: MonitoringDependencies,
): Promise<NestFastifyApplication> {
  const limits = { ...defaultLimits, ...more.limits };
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    adapter(limits, new SystemIds(clock), logger),
    { bodyParser: false, logger: nestLogger(logger), abortOnError: false },
  );
  const fastify = app.getHttpAdapter().getInstance();
  app.get(RouteTable).watch(fastify);
  app.get(RequestHooks).install(fastify);
  return app;
}

async function ready(app: NestFastifyApplication): Promise<NestFastifyApplication> {
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}

function adapter(limits: ApiLimits, ids: Ids, logger: Logger): FastifyAdapter {
  return new FastifyAdapter({
    // No Nest middleware is used; without it every request is spared one hook.
    skipMiddie: true,
    logger: false,
    genReqId: () => ids.uuid(),
    requestIdHeader: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.connectionTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Requests on connections that are already open are served until the last.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      // How often Node looks for connections past the two timeouts above.
      connectionsCheckingInterval: Math.min(5_000, limits.headersTimeoutMs),
    },
    // A URL that the router cannot decode; no hook has run.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const problem = frameworkProblem(error);
      logger.info(
        { request_id: request.id, method: request.method, route: null, status: problem.status },
        'request',
      );
      void reply
        .code(problem.status)
        .headers({ 'request-id': request.id, 'content-type': 'application/problem+json' })
        .send(Buffer.from(problemText(problem, request.id)));
    },
    clientErrorHandler: (error: Error & { code?: string }, socket: Socket) =>
      refuseConnection(error.code, socket, ids.uuid(), logger),
  });
}

/** Answers what Node could not read as a request, and hangs up. */
function refuseConnection(code: string | undefined, socket: Socket, requestId: string, logger: Logger): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem =
    code === 'HPE_HEADER_OVERFLOW'
      ? new Problem('headers_too_large', 'The headers are longer than this service reads.')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? problemOfStatus(408)
        : problemOfStatus(400);
  const body = problemText(problem, requestId);
  logger.info({ request_id: requestId, method: null, route: null, status: problem.status }, 'request');
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
