import { Body, Controller, Get, Inject, Post, Query, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { CurrentCaller, KeyedBy, MovesMoney, PathId, Scopes } from '../http/request.decorators.js';
import { sendJson, sendStored } from '../http/responses.js';
import { type RequestContext } from '../idempotency/request-context.js';
import { type Caller } from '../merchants/caller.js';
import { CreatePayoutDto } from './dto/create-payout.dto.js';
import { ListPayoutsDto } from './dto/list-payouts.dto.js';
import { type Payouts } from './payouts.js';
import { PayoutsService } from './payouts.service.js';

/** /v1/payouts: parse, call one flow, present. A key that may send money out may see what became of it. */
@Controller('v1/payouts')
export class PayoutsController {
  constructor(@Inject(PayoutsService) private readonly payouts: Payouts) {}

  @Post()
  @MovesMoney('payouts:write')
  async create(
    @KeyedBy() context: RequestContext,
    @Body() request: CreatePayoutDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendStored(reply, await this.payouts.create(context, request.toAsk()));
  }

  @Get()
  @Scopes('payments:read', 'payouts:write')
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListPayoutsDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { limit, cursor = null } = query;
    sendJson(reply, await this.payouts.list(caller, query.filter(), limit, cursor));
  }

  @Get(':id')
  @Scopes('payments:read', 'payouts:write')
  async get(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.payouts.get(caller, id));
  }
}
