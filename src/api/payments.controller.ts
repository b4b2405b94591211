import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Payments } from '../payments/index.js';
import { type Access } from './access.js';
import { cancelAsk, captureAsk, listAsk, pageAsk, paymentAsk, refundAsk } from './ask.js';
import { PAYMENTS } from './dependencies.js';
import { askedOf, bodyOf, callerOf, idOf } from './edge.js';
import { sendJson, sendStored } from './present.js';

const reads: { access: Access } = { access: { scope: 'payments:read', movesMoney: false } };
const writes: { access: Access } = { access: { scope: 'payments:write', movesMoney: true } };

/** /v1/payments: parse, call one flow, present. */
@Controller('v1/payments')
export class PaymentsController {
  constructor(@Inject(PAYMENTS) private readonly payments: Payments) {}

  @Post()
  @RouteConfig(writes)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ask = paymentAsk(bodyOf(request));
    sendStored(reply, await this.payments.create(askedOf(request), ask));
  }

  @Get()
  @RouteConfig(reads)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { filter, limit, cursor } = listAsk(request.query as Record<string, unknown>);
    sendJson(reply, await this.payments.list(callerOf(request), filter, limit, cursor));
  }

  @Get(':id')
  @RouteConfig(reads)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.payments.get(callerOf(request), idOf(request)));
  }

  @Get(':id/attempts')
  @RouteConfig(reads)
  async attempts(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.payments.attempts(callerOf(request), idOf(request)));
  }

  @Post(':id/capture')
  @RouteConfig(writes)
  async capture(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ask = captureAsk(bodyOf(request));
    sendStored(reply, await this.payments.capture(askedOf(request), idOf(request), ask));
  }

  @Post(':id/refunds')
  @RouteConfig(writes)
  async refund(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ask = refundAsk(bodyOf(request));
    sendStored(reply, await this.payments.refund(askedOf(request), idOf(request), ask));
  }

  @Get(':id/refunds')
  @RouteConfig(reads)
  async refunds(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { limit, cursor } = pageAsk(request.query as Record<string, unknown>);
    sendJson(reply, await this.payments.listRefunds(callerOf(request), idOf(request), limit, cursor));
  }

  @Post(':id/cancel')
  @RouteConfig(writes)
  async cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    cancelAsk(bodyOf(request));
    sendStored(reply, await this.payments.cancel(askedOf(request), idOf(request)));
  }
}
