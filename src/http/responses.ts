import { type FastifyReply } from 'fastify';
import { type Problem } from '../core/problem.js';
import { type FlowAnswer } from '../idempotency/idempotent-runner.js';

/** Ways of answering. Nothing here is cached by anybody: answers speak of money. */

function send(reply: FastifyReply, status: number, contentType: string, body: string): void {
  reply.request.edge.contentType = contentType;
  reply.code(status).header('content-type', contentType).header('cache-control', 'no-store').send(body);
}

/** The stored bytes as they are, so that a replay equals the first answer. */
export function sendStored(reply: FastifyReply, { status, body, replayed }: FlowAnswer): void {
  const { waitS } = reply.request.edge;
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (waitS > 0) reply.header('preference-applied', `wait=${waitS}`);
  send(reply, status, status < 400 ? 'application/json' : 'application/problem+json', body);
}

export function sendJson(reply: FastifyReply, value: object, status = 200): void {
  send(reply, status, 'application/json', JSON.stringify(value));
}

/** RFC 9457, with the id under which the log knows the request. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const { retryAfterS } = problem.more;
  reply.request.edge.problem = problem.code;
  if (retryAfterS !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterS))));
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  send(reply, problem.status, 'application/problem+json', problemText(problem, reply.request.id));
}

export function problemText(problem: Problem, requestId: string): string {
  return JSON.stringify({ ...problem.document(), request_id: requestId });
}
