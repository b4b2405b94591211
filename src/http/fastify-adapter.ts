import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type ServerOptions, STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import { type Logger } from 'pino';
import { type Clock } from '../core/clock.js';
import { SystemIds } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type ApiLimits } from './limits.js';
import { frameworkProblem, problemOfStatus } from './problem.filter.js';
import { problemText } from './responses.js';

/** A reference of 255 characters, each of up to three bytes, percent-encoded. */
const MAX_PARAMETER = 255 * 9;

/** Fastify under our limits; what it refuses before any hook has run is answered with a problem and logged, too. */
export function fastifyAdapter(
  limits: ApiLimits,
  clock: Clock,
  logger: Logger,
  trustedProxies: readonly string[] = [],
): FastifyAdapter {
  const ids = new SystemIds(clock);
  return new FastifyAdapter({
    // No Nest middleware is used; without it every request is spared one hook.
    skipMiddie: true,
    logger: false,
    genReqId: () => ids.uuid(),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: MAX_PARAMETER },
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.connectionTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Requests on connections that are already open are served until the last.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: serverOptions(limits),
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
      refuseConnection(error.code, socket, { requestId: ids.uuid(), clock, logger }),
  });
}

/** The options of Node's server, for each address that is listened on. */
export function serverOptions(limits: ApiLimits): ServerOptions {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // How often Node looks for connections past the timeouts of headers and requests.
    connectionsCheckingInterval: Math.min(5_000, limits.headersTimeoutMs),
  };
}

/** For a client to take the answer and hang up; then the connection is cut, and what its request held is free. */
const LINGER_MS = 1_000;

/** Answers what Node could not read as a request, and hangs up. */
function refuseConnection(
  code: string | undefined,
  socket: Socket,
  { requestId, clock, logger }: { requestId: string; clock: Clock; logger: Logger },
): void {
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
  socket.once(
    'close',
    clock.timer(LINGER_MS, () => socket.destroy()),
  );
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
