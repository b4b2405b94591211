import { Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { ApiLimits } from '../../http/limits.js';
import { overloaded } from '../../http/request-hooks.js';
import { NotificationsService, unknownAccount } from './notifications.service.js';

/** Before a byte of the body is read: what no account takes costs nothing, and what is too much neither. */
@Injectable()
export class NotificationGate {
  private inFlight = 0;

  constructor(
    private readonly limits: ApiLimits,
    private readonly notifications: NotificationsService,
  ) {}

  check({ edge, params, routeOptions }: FastifyRequest): void {
    if (routeOptions.config.isNotification !== true) return;
    if (this.inFlight >= this.limits.maxNotifications) throw overloaded('notifications');
    if (!this.notifications.takes(accountOf(params))) throw unknownAccount();
    this.inFlight++;
    edge.release = () => this.inFlight--;
  }
}

/** The account that a notification is for, by the path; '' where there is none. */
export function accountOf(params: unknown): string {
  return typeof params === 'object' && params !== null && 'psp' in params ? String(params.psp) : '';
}
