import { Body, Controller, Get, Inject, Post, Query, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { EmptyDto } from '../http/page.dto.js';
import { CurrentCaller, KeyedBy, MovesMoney, PathId, Scopes } from '../http/request.decorators.js';
import { sendJson, sendStored } from '../http/responses.js';
import { type RequestContext } from '../idempotency/request-context.js';
import { type Caller } from '../merchants/caller.js';
import { CapturePaymentDto } from './dto/capture-payment.dto.js';
import { CompletePaymentDto } from './dto/complete-payment.dto.js';
import { CreatePaymentDto } from './dto/create-payment.dto.js';
import { ListPaymentsDto } from './dto/list-payments.dto.js';
import { type Payments } from './payments.js';
import { PaymentsService } from './payments.service.js';

/** /v1/payments: parse, call one flow, present. */
@Controller('v1/payments')
export class PaymentsController {
  constructor(@Inject(PaymentsService) private readonly payments: Payments) {}

  @Post()
  @MovesMoney('payments:write')
  async create(
    @KeyedBy() context: RequestContext,
    @Body() request: CreatePaymentDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendStored(reply, await this.payments.create(context, request.toAsk()));
  }

  @Get()
  @Scopes('payments:read')
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListPaymentsDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { limit, cursor = null } = query;
    sendJson(reply, await this.payments.list(caller, query.filter(), limit, cursor));
  }

  @Get(':id')
  @Scopes('payments:read')
  async get(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.payments.get(caller, id));
  }

  @Get(':id/attempts')
  @Scopes('payments:read')
  async attempts(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.payments.attempts(caller, id));
  }

  @Post(':id/capture')
  @MovesMoney('payments:write')
  async capture(
    @KeyedBy() context: RequestContext,
    @PathId() id: string,
    @Body() request: CapturePaymentDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendStored(reply, await this.payments.capture(context, id, request.toAsk()));
  }

  @Post(':id/complete')
  @MovesMoney('payments:write')
  async complete(
    @KeyedBy() context: RequestContext,
    @PathId() id: string,
    @Body() request: CompletePaymentDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendStored(reply, await this.payments.complete(context, id, request.toAsk()));
  }

  @Post(':id/cancel')
  @MovesMoney('payments:write')
  async cancel(
    @KeyedBy() context: RequestContext,
    @PathId() id: string,
    @Body() _nothing: EmptyDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendStored(reply, await this.payments.cancel(context, id));
  }
}
