import { Body, Controller, Get, Inject, Post, Query, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { PageDto } from '../http/page.dto.js';
import { CurrentCaller, KeyedBy, MovesMoney, PathId, Scopes } from '../http/request.decorators.js';
import { sendJson, sendStored } from '../http/responses.js';
import { type RequestContext } from '../idempotency/request-context.js';
import { type Caller } from '../merchants/caller.js';
import { CreateRefundDto } from './dto/create-refund.dto.js';
import { REFUNDS, type Refunds } from './refunds.js';

/** Refunds of a payment, and a refund by its own id. */
@Controller('v1')
export class RefundsController {
  constructor(@Inject(REFUNDS) private readonly refunds: Refunds) {}

  @Post('payments/:id/refunds')
  @MovesMoney('payments:write')
  async create(
    @KeyedBy() context: RequestContext,
    @PathId() paymentId: string,
    @Body() request: CreateRefundDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendStored(reply, await this.refunds.refund(context, paymentId, request.toAsk()));
  }

  @Get('payments/:id/refunds')
  @Scopes('payments:read')
  async list(
    @CurrentCaller() caller: Caller,
    @PathId() paymentId: string,
    @Query() { limit, cursor }: PageDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.refunds.listRefunds(caller, paymentId, limit, cursor ?? null));
  }

  @Get('refunds/:id')
  @Scopes('payments:read')
  async get(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.refunds.getRefund(caller, id));
  }
}
