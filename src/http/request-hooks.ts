import { Inject, Injectable } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { Gauge, Histogram, Registry } from 'prom-client';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { tracer } from '../core/tracing.js';
import { type InFlightRequest } from './access.js';
import { isJson } from './headers.js';
import { readJsonBody } from './json-body.js';
import { ApiLimits } from './limits.js';
import { Places } from './places.js';
import { sendAnswers } from './responses.js';

const PROBES = /^\/(health\/|metrics$)/;

const DURATIONS = 'payonce_http_request_seconds';
const IN_FLIGHT = 'payonce_http_requests_in_flight';

const SHARE_RETRY_S = 1;

/**
 * The hooks of every request, before and after its handler: its state at first, one line in the log and one
 * sample in the metrics at last. What a route asks of its caller is checked by hooks after this one.
 */
@Injectable()
export class RequestHooks {
  private readonly merchants: Places;
  /** The places that each merchant has taken of these. */
  private readonly ofMerchants = new Map<string, number>();
  private readonly operators: Places;
  private draining = false;
  private readonly durations: Histogram;

  constructor(
    private readonly limits: ApiLimits,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Registry,
  ) {
    this.merchants = new Places(limits.maxInFlight, 'requests');
    this.operators = new Places(limits.maxOfOperators, 'requests');
    this.durations = durationsIn(metrics);
    // A listener for monitoring, which comes second, takes no such requests.
    if (metrics.getSingleMetric(IN_FLIGHT)) return;
    const inFlight = (): number => this.merchants.taken + this.operators.taken;
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
    fastify.decorateRequest('inFlight');
    fastify.addHook('onRequest', (request, reply, done) => {
      this.enter(request, reply);
      traced(request, done);
    });
    // A body arrives in events of its connection, which know nothing of the span.
    if (tracer()) {
      fastify.addHook('preValidation', ({ inFlight: { span } }, _reply, done) =>
        span ? span.run(done) : done(),
      );
    }
    fastify.addHook('onSend', (request, reply, _payload, done) => {
      this.leave(request, reply);
      done();
    });
    sendAnswers(fastify);
    fastify.addHook('onRoute', (route) => {
      const { fileBytes } = route.config ?? {};
      if (fileBytes !== undefined) route.bodyLimit = fileBytes;
    });
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser<Buffer>(
      'application/json',
      { parseAs: 'buffer', bodyLimit: this.limits.bodyBytes },
      (request, bytes, done) =>
        done(
          null,
          request.routeOptions.config.isNotification ? readRaw(request, bytes) : readBody(request, bytes),
        ),
    );
    // Some PSPs notify as a form is sent.
    fastify.addContentTypeParser<Buffer>(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer', bodyLimit: this.limits.bodyBytes },
      (request, bytes, done) =>
        done(null, request.routeOptions.config.isNotification ? readRaw(request, bytes) : unsupported()),
    );
    fastify.addContentTypeParser<Buffer>(
      'application/octet-stream',
      { parseAs: 'buffer', bodyLimit: this.limits.fileBytes },
      (request, bytes, done) =>
        done(null, request.routeOptions.config.takesFile ? readRaw(request, bytes) : unsupported()),
    );
  }

  /** Gives the request of a merchant its place. @throws Problem `overloaded` */
  admit(inFlight: Pick<InFlightRequest, 'release'>): void {
    this.merchants.take(inFlight);
  }

  /** Gives the request of an operator its place. @throws Problem `overloaded` */
  admitOperator(inFlight: Pick<InFlightRequest, 'release'>): void {
    this.operators.take(inFlight);
  }

  /**
   * Counts a request that is in flight among those of its merchant, which may be as many as there are places
   * left: one merchant alone takes half of them, two a third each, and a place is left for the next one.
   * @throws Problem `rate_limited`
   */
  admitMerchant(inFlight: Pick<InFlightRequest, 'release'>, merchantId: string): void {
    const own = this.ofMerchants.get(merchantId) ?? 0;
    if (own > 0 && own >= this.limits.merchantShare * this.merchants.left) {
      throw new Problem('rate_limited', 'This merchant has reached its limit of concurrent requests.', {
        retryAfterS: SHARE_RETRY_S,
      });
    }
    this.ofMerchants.set(merchantId, own + 1);
    const { release } = inFlight;
    inFlight.release = () => {
      const left = this.ofMerchants.get(merchantId)! - 1;
      if (left > 0) this.ofMerchants.set(merchantId, left);
      else this.ofMerchants.delete(merchantId);
      release?.();
    };
  }

  private enter(request: FastifyRequest, reply: FastifyReply): void {
    request.inFlight = {
      startedMs: this.clock.monotonicMs(),
      release: null,
      answered: false,
      caller: null,
      id: '',
      key: '',
      waitS: 0,
      deadlineMs: null,
      contentType: null,
      span: null,
      problem: null,
    };
    reply.header('request-id', request.id);
  }

  private leave(request: FastifyRequest, reply: FastifyReply): void {
    const { inFlight } = request;
    if (inFlight.answered) return;
    inFlight.answered = true;
    inFlight.release?.();
    if (inFlight.contentType !== null) reply.header('content-type', inFlight.contentType);
    if (this.draining) reply.header('connection', 'close');
    const ms = this.clock.monotonicMs() - inFlight.startedMs;
    const route = request.routeOptions.url ?? null;
    this.durations.observe(
      { method: request.method, route: route ?? 'none', status: reply.statusCode },
      ms / 1_000,
    );
    inFlight.span?.set({ 'http.response.status_code': reply.statusCode });
    inFlight.span?.end(reply.statusCode >= 500);
    const line = {
      request_id: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      code: inFlight.problem,
      ms: Math.round(ms * 100) / 100,
      merchant_id: inFlight.caller?.merchantId ?? null,
      api_key_id: inFlight.caller?.apiKeyId ?? null,
      source_address: request.ip,
    };
    // Probes and scrapes come every few seconds: they are news where they fail.
    const isProbe = route !== null && PROBES.test(route) && reply.statusCode < 400;
    const level = isProbe ? 'debug' : 'info';
    this.logger[level](request.raw.socket.destroyed ? { ...line, aborted: true } : line, 'request');
  }
}

/** Goes on in a span of the request, of the trace that its client sent. Probes and scrapes are not traced. */
function traced(request: FastifyRequest, goOn: () => void): void {
  const { url: route = 'none' } = request.routeOptions;
  const tracing = tracer();
  if (!tracing || PROBES.test(route)) return goOn();
  const { method, inFlight, headers } = request;
  const from = singleHeader(headers['traceparent']);
  inFlight.span = tracing.start({
    name: `${method} ${route}`,
    kind: 'server',
    attributes: { 'http.request.method': method, 'http.route': route, 'payonce.request_id': request.id },
    ...(from === undefined ? {} : { parent: from }),
  });
  inFlight.span.run(goOn);
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

/** @throws Problem `body_too_large` as soon as it is */
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
