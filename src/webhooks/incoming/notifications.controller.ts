import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Notifications } from './notifications.js';
import { NOTIFICATIONS } from '../../http/dependencies.js';
import { accountOf, rawBodyOf, singleHeader } from '../../http/request-hooks.js';
import { sendJson } from '../../http/responses.js';

/**
 * How Adyen was told until 2024 that a notification was taken; set-ups of that time look for these
 * characters in the body, newer ones and Stripe for a status of 2xx alone
 * (https://www.adyen.com/knowledge-hub/webhooks-accept-2xx).
 */
const ACCEPTED = '[accepted]';

/** /v1/webhooks: what PSPs tell of their own accord. No API key: each proves itself by its signature. */
@Controller('v1/webhooks')
export class NotificationsController {
  constructor(@Inject(NOTIFICATIONS) private readonly notifications: Notifications) {}

  @Post(':psp')
  @RouteConfig({ isNotification: true })
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const raw = rawBodyOf(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, singleHeader(value)]),
    );
    const accepted = await this.notifications.receive(accountOf(request.params), raw, headers);
    sendJson(reply, { accepted, notificationResponse: ACCEPTED });
  }
}
