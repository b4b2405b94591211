import { type FastifyInstance, type FastifyReply } from 'fastify';
import { type Problem } from '../core/problem.js';
import { type KeyedAnswer } from '../core/keyed-request.js';

/**
 * Sends what handlers return: a view as JSON; of a route that moves money, the stored bytes as they are, so that a
 * replay equals the first answer.
 */
export function sendAnswers(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', ({ routeOptions }, reply, answer, done) => {
    const { access } = routeOptions.config;
    if (access && 'movesMoney' in access && access.movesMoney) {
      done(null, stored(reply, answer as KeyedAnswer));
    } else {
      prepare(reply, 'application/json');
      done(null, answer);
    }
  });
  fastify.setReplySerializer((answer) => (typeof answer === 'string' ? answer : JSON.stringify(answer)));
}

function stored(reply: FastifyReply, { status, body, replayed }: KeyedAnswer): string {
  const { waitS } = reply.request.inFlight;
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (waitS > 0) reply.header('preference-applied', `wait=${waitS}`);
  reply.code(status);
  prepare(reply, status < 400 ? 'application/json' : 'application/problem+json');
  return body;
}

/** RFC 9457, with the id under which the log knows the request. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const { retryAfterS } = problem.more;
  reply.request.inFlight.problem = problem.code;
  if (retryAfterS !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterS))));
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(problem.status);
  prepare(reply, 'application/problem+json');
  reply.send(problemText(problem, reply.request.id));
}

export function problemText(problem: Problem, requestId: string): string {
  return JSON.stringify({ ...problem.document(), request_id: requestId });
}

/** No cache keeps an answer: it speaks of money. */
function prepare(reply: FastifyReply, contentType: string): void {
  reply.request.inFlight.contentType = contentType;
  reply.headers({ 'content-type': contentType, 'cache-control': 'no-store' });
}
