import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Clock } from '../core/clock.js';
import { problemOfStatus } from './problem.filter.js';
import { type StrangersLimits } from './limits.js';
import { Places } from './places.js';

/**
 * Requests of which only the body proves the sender. Each takes one of the places once its body is there. Anybody
 * can send a body slowly: where too many arrive the oldest is cut off, and each has a few seconds, so that slow
 * senders only delay themselves.
 */
export class StrangersGate {
  private readonly places: Places;
  /** Requests whose body arrives, oldest first, and how to stop the timer of each. */
  private readonly arriving = new Map<FastifyRequest, () => void>();
  private readonly expected = new WeakSet<FastifyRequest>();

  constructor(
    noun: 'notifications' | 'sign-ins',
    private readonly limits: StrangersLimits,
    private readonly clock: Clock,
  ) {
    this.places = new Places(limits.maxInFlight, noun);
  }

  /** Before a byte of the body is read. */
  expect(request: FastifyRequest, reply: FastifyReply): void {
    const [oldest] = this.arriving.keys();
    if (oldest && this.arriving.size >= this.limits.maxArriving) this.cutOff(oldest);
    this.arriving.set(
      request,
      this.clock.timer(this.limits.bodyMs, () => this.cutOff(request)),
    );
    this.expected.add(request);
    // Not that of the request, which is closed as soon as its body was read.
    reply.raw.once('close', () => this.forget(request));
  }

  /** Once the body is there. @throws Problem `overloaded`, `request_timeout` for what was cut off before its end */
  admit(request: FastifyRequest): void {
    if (!this.expected.has(request)) return;
    if (!this.arriving.has(request)) throw problemOfStatus(408);
    this.forget(request);
    this.places.take(request.inFlight);
  }

  private forget(request: FastifyRequest): void {
    this.arriving.get(request)?.();
    this.arriving.delete(request);
  }

  /** Ends a late request as Node does: with a 408, and the connection. */
  private cutOff(request: FastifyRequest): void {
    this.forget(request);
    const late = Object.assign(new Error('the body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    request.server.server.emit('clientError', late, request.raw.socket);
  }
}
