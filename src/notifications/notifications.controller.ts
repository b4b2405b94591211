import { Controller, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { named, Operation } from '../http/operation.decorator.js';
import { rawBodyOf, singleHeader } from '../http/request-hooks.js';
import * as example from './notification.examples.js';
import { ACCEPTED, AcceptedView, NotificationBody } from './notification.view.js';
import { accountOf } from './notification-gate.js';
import { NotificationsService } from './notifications.service.js';

/** /v1/webhooks: notifications of PSPs. No API key: the signature proves the sender. */
@ApiTags('Notifications')
@Controller('v1/webhooks')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Post(':psp')
  @Operation({
    id: 'receiveNotification',
    summary: 'Receive a notification of a PSP',
    description:
      'For PSPs alone: give them this address, with the name of the account in the PSPs file. It takes no API key; the signature over the body authenticates each notification. A notification is stored, answered at once and applied afterwards, once, however often the PSP sends it. Items of a batch that cannot be accepted are counted and the others stored; a batch without one acceptable item is refused. After any status but 200 the PSP sends it again.',
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
