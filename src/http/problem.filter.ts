import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { LOGGER } from '../config/config.module.js';
import { Problem } from '../core/problem.js';
import { StoreUnavailable } from '../database/store-unavailable.js';
import { roleOfSession } from './access.js';
import { operatorUnauthorized, unauthorized } from './headers.js';
import { sendProblem } from './responses.js';
import { RouteTable } from './route-table.js';

/** For problems that ask to be retried and do not say when. */
const DEFAULT_RETRY_S = 1;
const retryable = new Set(['request_in_progress', 'rate_limited', 'overloaded', 'commits_may_be_lost']);

/** Turns every error, of ours, Nest or Fastify, into a problem document of ours. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly routes: RouteTable,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = this.problemOf(thrown, request, reply);
    if (problem.code === 'internal_error') {
      this.logger.error({ request_id: request.id, err: problem.more.cause }, 'request failed');
    }
    if (!reply.sent) sendProblem(reply, problem);
  }

  private problemOf(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Problem {
    if (thrown instanceof Problem) {
      const { access } = request.routeOptions.config;
      // The answer to an operator who signs in names the password, not API keys.
      if (thrown.code === 'unauthorized' && roleOfSession(request) !== undefined) return thrown;
      if (thrown.code === 'unauthorized' && access && 'operator' in access) return operatorUnauthorized();
      const methods = this.routes.methodsOf(request.url);
      // `GET …/merge` is routed to `…/:id`, where there is no such id: the path takes POST alone.
      if (thrown.code === 'not_found' && methods.length > 0 && !methods.includes(request.method)) {
        return notAllowed(methods, reply);
      }
      return presentable(thrown);
    }
    if (thrown instanceof StoreUnavailable) return storeIsAway(thrown);
    if (request.is404) {
      const methods = this.routes.methodsOf(request.url);
      if (methods.length === 0) return new Problem('not_found', 'There is nothing at this path.');
      return notAllowed(methods, reply);
    }
    if (!request.raw.complete && request.raw.socket.destroyed) {
      return new Problem('request_malformed', 'The request was cut short.');
    }
    return frameworkProblem(thrown instanceof HttpException ? (thrown.cause ?? thrown) : thrown);
  }
}

function notAllowed(methods: readonly string[], reply: FastifyReply): Problem {
  reply.header('allow', methods.join(', '));
  return new Problem('method_not_allowed', `This path takes ${methods.join(', ')}.`);
}

/** A problem for any error of a handler of any transport. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return presentable(thrown);
  return thrown instanceof StoreUnavailable ? storeIsAway(thrown) : problemOfStatus(500, thrown);
}

function storeIsAway(cause: StoreUnavailable): Problem {
  const detail = 'The store cannot be reached. Try again, with the same Idempotency-Key.';
  return presentable(new Problem('overloaded', detail, { cause }));
}

function presentable(problem: Problem): Problem {
  if (problem.code === 'unauthorized') return unauthorized();
  const { retryAfterS = DEFAULT_RETRY_S } = problem.more;
  if (!retryable.has(problem.code) || retryAfterS === problem.more.retryAfterS) return problem;
  return new Problem(problem.code, problem.detail, { ...problem.more, retryAfterS });
}

/** Errors of Nest and Fastify, by the status they carry. Their messages may quote the request. */
export function frameworkProblem(error: unknown): Problem {
  return problemOfStatus(statusOf(error), error);
}

export function problemOfStatus(status: number, cause?: unknown): Problem {
  switch (status) {
    // 403: a path with `..` that the files of /docs refuse; a service says 403 as a Problem of its own.
    case 403:
    case 404:
    case 414:
      return new Problem('not_found', 'There is nothing at this path.');
    case 408:
      return new Problem('request_timeout', 'The request did not arrive in time.');
    case 413:
      return new Problem('body_too_large', 'A body may have 256 kB (262,144 bytes).');
    case 415:
      return new Problem('unsupported_media_type', 'Send application/json in UTF-8, not compressed.');
    case 400:
      return new Problem('request_malformed', 'This is not a request of HTTP/1.1.');
    default:
      return new Problem('internal_error', 'Internal error. Quote request_id when you contact support.', {
        cause,
      });
  }
}

/** Only errors of the framework: an error of a PSP's client has a `statusCode` that is not ours. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  if (typeof code !== 'string' || !code.startsWith('FST_')) return 500;
  if (code === 'FST_ERR_BAD_URL') return 404;
  return typeof statusCode === 'number' ? statusCode : 500;
}
