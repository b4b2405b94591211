import { Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Clock } from '../core/clock.js';
import { ApiLimits } from '../http/limits.js';
import { StrangersGate } from '../http/strangers-gate.js';
import { NotificationsService, unknownAccount } from './notifications.service.js';

/** Notifications for no account, or too many of them, cost nothing: only the body proves the sender. */
@Injectable()
export class NotificationGate {
  private readonly gate: StrangersGate;

  constructor(
    limits: ApiLimits,
    private readonly notifications: NotificationsService,
    clock: Clock,
  ) {
    this.gate = new StrangersGate('notifications', limits.notifications, clock);
  }

  /** Before a byte of the body is read. */
  expect(request: FastifyRequest, reply: FastifyReply): void {
    if (request.routeOptions.config.isNotification !== true) return;
    if (!this.notifications.takes(accountOf(request.params))) throw unknownAccount();
    this.gate.expect(request, reply);
  }

  /** Once the body is there. @throws Problem `overloaded` */
  admit(request: FastifyRequest): void {
    this.gate.admit(request);
  }
}

/** The account that a notification is for, by the path; '' where there is none. */
export function accountOf(params: unknown): string {
  return typeof params === 'object' && params !== null && 'psp' in params ? String(params.psp) : '';
}
