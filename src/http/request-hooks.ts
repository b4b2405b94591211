import { Inject, Injectable } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { Gauge, Histogram, Registry } from 'prom-client';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { type Authenticator, type Caller } from '../merchants/caller.js';
import { type NotificationAccounts, unknownAccount } from './notification-accounts.js';
import { type Access } from './access.js';
import { AUTHENTICATOR, LIMITS, NOTIFICATIONS, type ApiLimits } from './dependencies.js';
import { bearerOf, deadlineMsOf, idempotencyKeyOf, isJson, waitSecondsOf } from './headers.js';
import { readJsonBody } from './json-body.js';
import { OperatorGate } from './operator-gate.js';

const PROBES = /^\/(health\/|metrics$)/;

const DURATIONS = 'payonce_http_request_seconds';
const IN_FLIGHT = 'payonce_http_requests_in_flight';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** For clients that the bound on requests in flight turns away. */
const OVERLOADED_RETRY_S = 1;

/**
 * What happens to every request before and after its handler: admission, credentials, scope, the id
 * in the path and the Idempotency-Key before a byte of the body is looked at; afterwards one line in
 * the log and one sample in the metrics.
 */
@Injectable()
export class RequestHooks {
  private inFlight = 0;
  private notificationsInFlight = 0;
  private draining = false;
  private readonly durations: Histogram;

  constructor(
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(LIMITS) private readonly limits: ApiLimits,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(OperatorGate) private readonly operators: OperatorGate,
    @Inject(NOTIFICATIONS) private readonly notifications: NotificationAccounts,
    @Inject(Registry) metrics: Registry,
  ) {
    this.durations = durationsIn(metrics);
    // The listener for monitoring, which comes second, takes no such requests.
    if (metrics.getSingleMetric(IN_FLIGHT)) return;
    const inFlight = (): number => this.inFlight;
    metrics.registerMetric(
      new Gauge({
        name: IN_FLIGHT,
        help: 'Requests for /v1 and /ops/api that are being worked on.',
        registers: [],
        collect() {
          this.set(inFlight());
        },
      }),
    );
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** From now on every answer closes its connection and the service says that it is not ready. */
  drain(): void {
    this.draining = true;
  }

  install(fastify: FastifyInstance): void {
    fastify.decorateRequest('edge');
    fastify.addHook('onRequest', (request, reply) => this.enter(request, reply));
    fastify.addHook('onSend', (request, reply, _payload, done) => {
      this.leave(request, reply);
      done();
    });
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser<Buffer>(
      'application/json',
      { parseAs: 'buffer', bodyLimit: this.limits.bodyBytes },
      (request, bytes, done) =>
        done(null, request.edge.isNotification ? readRaw(request, bytes) : readBody(request, bytes)),
    );
  }

  private async enter(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const edge = {
      startedMs: this.clock.monotonicMs(),
      counted: false,
      isNotification: false,
      answered: false,
      caller: null as Caller | null,
      id: '',
      key: '',
      waitS: 0,
      deadlineMs: null,
      contentType: null,
      problem: null,
    };
    request.edge = edge;
    reply.header('request-id', request.id);
    const { access, isNotification } = request.routeOptions.config;
    if (isNotification === true) return this.enterNotification(request);
    if (access === undefined) return;
    if (this.inFlight >= this.limits.maxInFlight) {
      throw new Problem('overloaded', 'More requests are being worked on than this process takes.', {
        retryAfterS: OVERLOADED_RETRY_S,
      });
    }
    edge.counted = true;
    this.inFlight++;
    if ('operator' in access) {
      this.operators.admit(bearerOf(request.headers.authorization));
      readId(request);
      return;
    }
    const caller = await this.authenticator.authenticate(bearerOf(request.headers.authorization));
    edge.caller = { ...caller, sourceAddress: request.ip };
    this.allow(request, caller, access);
  }

  /** Before a byte of the body is read: what no account takes costs nothing, and what is too much neither. */
  private enterNotification({ edge, params }: FastifyRequest): void {
    if (this.notificationsInFlight >= this.limits.maxNotifications) {
      throw new Problem('overloaded', 'More notifications are being worked on than this process takes.', {
        retryAfterS: OVERLOADED_RETRY_S,
      });
    }
    if (!this.notifications.takes(accountOf(params))) throw unknownAccount();
    edge.counted = true;
    edge.isNotification = true;
    this.notificationsInFlight++;
  }

  private allow(request: FastifyRequest, caller: Caller, { scopes, movesMoney }: Access): void {
    const { edge, headers } = request;
    if (!scopes.some((scope) => caller.scopes.includes(scope))) {
      throw new Problem('forbidden', `This needs an API key with the scope ${scopes.join(' or ')}.`);
    }
    readId(request);
    if (!movesMoney) return;
    edge.key = idempotencyKeyOf(
      singleHeader(headers['idempotency-key']),
      linesOf(request, 'idempotency-key'),
    );
    edge.waitS = waitSecondsOf(singleHeader(headers['prefer']));
    edge.deadlineMs = deadlineMsOf(singleHeader(headers['payonce-deadline']));
  }

  private leave(request: FastifyRequest, reply: FastifyReply): void {
    const { edge } = request;
    if (edge.answered) return;
    edge.answered = true;
    if (edge.counted && edge.isNotification) this.notificationsInFlight--;
    else if (edge.counted) this.inFlight--;
    if (edge.contentType !== null) reply.header('content-type', edge.contentType);
    if (this.draining) reply.header('connection', 'close');
    const ms = this.clock.monotonicMs() - edge.startedMs;
    const route = request.routeOptions.url ?? null;
    this.durations.observe(
      { method: request.method, route: route ?? 'none', status: reply.statusCode },
      ms / 1_000,
    );
    const line = {
      request_id: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      code: edge.problem,
      ms: Math.round(ms * 100) / 100,
      merchant_id: edge.caller?.merchantId ?? null,
      api_key_id: edge.caller?.apiKeyId ?? null,
      source_address: request.ip,
    };
    // Probes and scrapes come every few seconds: they are news where they fail.
    const isProbe = route !== null && PROBES.test(route) && reply.statusCode < 400;
    const level = isProbe ? 'debug' : 'info';
    this.logger[level](request.raw.socket.destroyed ? { ...line, aborted: true } : line, 'request');
  }
}

function readId({ edge, params }: FastifyRequest): void {
  const { id } = params as { id?: string };
  if (id === undefined) return;
  if (!UUID.test(id)) throw new Problem('not_found', 'There is nothing with this id.');
  edge.id = id.toLowerCase();
}

/** The account that a notification is for, by the path; '' where there is none. */
export function accountOf(params: unknown): string {
  return typeof params === 'object' && params !== null && 'psp' in params ? String(params.psp) : '';
}

/** A notification as it came, to the byte: signatures are over bytes. Throws what was wrong with it. */
export function rawBodyOf(request: FastifyRequest): Buffer {
  const { body } = request;
  if (body instanceof Problem) throw body;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/**
 * A refusal is handed on as the body and thrown by `RequestPipe`: an error from a parser would make
 * Fastify close the connection, although the whole body was read and the next request can follow.
 */
function readBody(request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length > 0 && (!isJson(request.headers['content-type'] ?? '') || isEncoded(request))) {
    return unsupported();
  }
  try {
    return readJsonBody(bytes);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Nothing is read into it, not even how it is written: that is up to the code that knows the signature. */
function readRaw(request: FastifyRequest, bytes: Buffer): Buffer | Problem {
  return isEncoded(request) ? unsupported() : bytes;
}

function isEncoded({ headers: { 'content-encoding': encoding } }: FastifyRequest): boolean {
  return encoding !== undefined && encoding !== 'identity';
}

function unsupported(): Problem {
  return new Problem('unsupported_media_type', 'Send application/json in UTF-8, not compressed.');
}

export function singleHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

/** How many lines of this header came; Node joins them with commas, which a key may hold as well. */
function linesOf(request: FastifyRequest, name: string): number {
  const header = request.headers[name];
  if (typeof header !== 'string' || !header.includes(', ')) return 1;
  return request.raw.rawHeaders.filter((raw, index) => index % 2 === 0 && raw.toLowerCase() === name).length;
}

/** One for all listeners of a process. */
function durationsIn(metrics: Registry): Histogram {
  const known = metrics.getSingleMetric(DURATIONS);
  if (known instanceof Histogram) return known;
  return new Histogram({
    name: DURATIONS,
    help: 'From the request line read to the answer ready, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [metrics],
  });
}
