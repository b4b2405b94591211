import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Payouts } from '../payouts/index.js';
import { type Access } from './access.js';
import { PAYOUTS } from './dependencies.js';
import { askedOf, bodyOf, callerOf, idOf } from './edge.js';
import { payoutAsk, payoutListAsk } from './payout-ask.js';
import { sendJson, sendStored } from './present.js';

/** Who may send money out may see what became of it; so may whoever reads payments. */
const reads: { access: Access } = {
  access: { scope: 'payments:read', or: 'payouts:write', movesMoney: false },
};
const writes: { access: Access } = { access: { scope: 'payouts:write', movesMoney: true } };

/** /v1/payouts: parse, call one flow, present. */
@Controller('v1/payouts')
export class PayoutsController {
  constructor(@Inject(PAYOUTS) private readonly payouts: Payouts) {}

  @Post()
  @RouteConfig(writes)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ask = payoutAsk(bodyOf(request));
    sendStored(reply, await this.payouts.create(askedOf(request), ask));
  }

  @Get()
  @RouteConfig(reads)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { filter, limit, cursor } = payoutListAsk(request.query as Record<string, unknown>);
    sendJson(reply, await this.payouts.list(callerOf(request), filter, limit, cursor));
  }

  @Get(':id')
  @RouteConfig(reads)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.payouts.get(callerOf(request), idOf(request)));
  }
}
