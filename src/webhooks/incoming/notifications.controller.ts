import { Controller, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { named, Operation } from '../../http/operation.js';
import { rawBodyOf, singleHeader } from '../../http/request-hooks.js';
import * as example from './notification.examples.js';
import { ACCEPTED, AcceptedView, NotificationBody } from './notification.view.js';
import { accountOf } from './notification-gate.js';
import { NotificationsService } from './notifications.service.js';

/** /v1/webhooks: what PSPs tell of their own accord. No API key: each proves itself by its signature. */
@ApiTags('Notifications')
@Controller('v1/webhooks')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Post(':psp')
  @Operation({
    id: 'receiveNotification',
    summary: 'Receive a notification of a PSP',
    description:
      'For PSPs alone: give them this address, with the name of the account in the PSPs file. It takes no API key; each notification proves itself by its signature over the body as it came. It is stored and answered at once, and applied afterwards: once, however often it comes. Of a batch, what cannot be accepted is counted and the rest is stored; only where nothing is accepted is it refused. Anything but 200 asks the PSP to send it again.',
    answers: {
      200: [
        AcceptedView,
        'At least one item was accepted; Adyen reads `notificationResponse`.',
        { accepted: { accepted: 1, notificationResponse: ACCEPTED } },
      ],
    },
    problems: [
      'signature_invalid',
      'not_found',
      'body_malformed',
      'body_too_large',
      'unsupported_media_type',
      'overloaded',
      'internal_error',
    ],
  })
  @ApiParam({
    name: 'psp',
    description: 'The name of the account in the PSPs file.',
    schema: { type: 'string', maxLength: 40, example: 'stripe' },
  })
  @ApiBody({ type: NotificationBody, required: true, examples: named({ ...example }) })
  @RouteConfig({ isNotification: true })
  async receive(@Req() request: FastifyRequest): Promise<AcceptedView> {
    const raw = rawBodyOf(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, singleHeader(value)]),
    );
    const accepted = await this.notifications.receive(accountOf(request.params), raw, headers);
    return { accepted, notificationResponse: ACCEPTED };
  }
}
