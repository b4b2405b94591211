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
  // With an end of line, for people who read it in a terminal.
  fastify.setReplySerializer((answer) =>
    typeof answer === 'string' ? answer : `${JSON.stringify(answer)}\n`,
  );
}

/** The beginning of a view: what it shows, and its id. */
const SHOWN = /^\{"object":"(payment|refund|payout)","id":"([\w-]{1,64})"/;
/** How long a client may leave what is under way alone; `Prefer: wait` would hold the request instead. */
const RETRY_AFTER_S = 1;

function stored(reply: FastifyReply, { status, body, replayed }: KeyedAnswer): string {
  const { waitS } = reply.request.inFlight;
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (waitS > 0) reply.header('preference-applied', `wait=${waitS}`);
  reply.code(status);
  if (status >= 400) {
    prepare(reply, 'application/problem+json');
    leadToHelp(reply, /"code":"([a-z_]{1,64})"/.exec(body)?.[1]);
  } else {
    prepare(reply, 'application/json');
    const [, object, id] = SHOWN.exec(body) ?? [];
    if (object !== undefined && status > 200) reply.header('location', `/v1/${object}s/${id}`);
    if (status === 202) reply.header('retry-after', String(RETRY_AFTER_S));
  }
  return `${body}\n`;
}

/** The page of this installation about the problem (RFC 8288, relation `help`). */
function leadToHelp(reply: FastifyReply, code: string | undefined): void {
  if (code !== undefined) reply.header('link', `</docs/problems/${code}>; rel="help"`);
}

/** RFC 9457, with the id under which the log knows the request. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const { retryAfterS } = problem.more;
  reply.request.inFlight.problem = problem.code;
  if (retryAfterS !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterS))));
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(problem.status);
  prepare(reply, 'application/problem+json');
  leadToHelp(reply, problem.code);
  reply.send(problemText(problem, reply.request.id));
}

export function problemText(problem: Problem, requestId: string): string {
  return `${JSON.stringify({ ...problem.document(), request_id: requestId })}\n`;
}

/** No cache keeps an answer: it speaks of money. */
function prepare(reply: FastifyReply, contentType: string): void {
  reply.request.inFlight.contentType = contentType;
  reply.headers({ 'content-type': contentType, 'cache-control': 'no-store' });
}
