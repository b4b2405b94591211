import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Payments } from '../payments/index.js';
import { PAYMENTS } from './dependencies.js';
import { callerOf, idOf } from './edge.js';
import { sendJson } from './present.js';

/** /v1/refunds: a refund by its own id. It is asked for at its payment. */
@Controller('v1/refunds')
export class RefundsController {
  constructor(@Inject(PAYMENTS) private readonly payments: Payments) {}

  @Get(':id')
  @RouteConfig({ access: { scope: 'payments:read', movesMoney: false } })
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.payments.getRefund(callerOf(request), idOf(request)));
  }
}
