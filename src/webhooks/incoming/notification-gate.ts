import { Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { Clock } from '../../core/clock.js';
import { ApiLimits } from '../../http/limits.js';
import { overloaded } from '../../http/request-hooks.js';
import { NotificationsService, unknownAccount } from './notifications.service.js';

/**
 * Notifications for no account, or too many of them, cost nothing. Only the body proves the sender, so a
 * notification takes one of the places once its body has arrived. If too many bodies are arriving, the oldest is
 * cut off, and each has a few seconds: slow senders only delay themselves.
 */
@Injectable()
export class NotificationGate {
  private inFlight = 0;
  /** Arriving bodies, oldest first, and how to stop the timer of each. */
  private readonly arriving = new Map<FastifyRequest, () => void>();

  constructor(
    private readonly limits: ApiLimits,
    private readonly notifications: NotificationsService,
    private readonly clock: Clock,
  ) {}

  /** Before a byte of the body is read. */
  expect(request: FastifyRequest): void {
    if (request.routeOptions.config.isNotification !== true) return;
    if (!this.notifications.takes(accountOf(request.params))) throw unknownAccount();
    const { maxArrivingNotifications, notificationBodyMs } = this.limits;
    const [oldest] = this.arriving.keys();
    if (oldest && this.arriving.size >= maxArrivingNotifications) this.cutOff(oldest);
    this.arriving.set(
      request,
      this.clock.timer(notificationBodyMs, () => this.cutOff(request)),
    );
    request.raw.once('close', () => this.forget(request));
  }

  /** Once the body is there. @throws Problem `overloaded` */
  admit(request: FastifyRequest): void {
    if (!this.arriving.has(request)) return;
    this.forget(request);
    if (this.inFlight >= this.limits.maxNotifications) throw overloaded('notifications');
    this.inFlight++;
    request.edge.release = () => this.inFlight--;
  }

  private forget(request: FastifyRequest): void {
    this.arriving.get(request)?.();
    this.arriving.delete(request);
  }

  /** As Node ends a request that is late: with a 408, and the connection. */
  private cutOff(request: FastifyRequest): void {
    this.forget(request);
    const late = Object.assign(new Error('the body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    request.server.server.emit('clientError', late, request.raw.socket);
  }
}

/** The account that a notification is for, by the path; '' where there is none. */
export function accountOf(params: unknown): string {
  return typeof params === 'object' && params !== null && 'psp' in params ? String(params.psp) : '';
}
