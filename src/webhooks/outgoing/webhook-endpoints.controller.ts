import { Body, Controller, Get, Inject, Post, Query, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { EmptyDto, PageDto } from '../../http/page.dto.js';
import { CurrentCaller, PathId, Scopes } from '../../http/request.decorators.js';
import { sendJson } from '../../http/responses.js';
import { type Caller } from '../../merchants/caller.js';
import { CreateWebhookEndpointDto } from './dto/create-webhook-endpoint.dto.js';
import { ReplayRangeDto } from './dto/replay.dto.js';
import { WEBHOOK_ENDPOINTS, type WebhookEndpoints } from './webhooks.js';

/**
 * /v1/webhook_endpoints: where events are sent. No money moves, so no Idempotency-Key: but for a second endpoint,
 * asking twice is as asking once.
 */
@Controller('v1/webhook_endpoints')
export class WebhookEndpointsController {
  constructor(@Inject(WEBHOOK_ENDPOINTS) private readonly endpoints: WebhookEndpoints) {}

  @Post()
  @Scopes('webhooks:write')
  async create(
    @CurrentCaller() caller: Caller,
    @Body() request: CreateWebhookEndpointDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.endpoints.create(caller, request.toAsk()), 201);
  }

  @Get()
  @Scopes('webhooks:read')
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { limit, cursor }: PageDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.endpoints.list(caller, limit, cursor ?? null));
  }

  @Get(':id')
  @Scopes('webhooks:read')
  async get(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.endpoints.get(caller, id));
  }

  @Post(':id/rotate_secret')
  @Scopes('webhooks:write')
  async rotateSecret(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body() _nothing: EmptyDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.endpoints.rotateSecret(caller, id));
  }

  @Post(':id/disable')
  @Scopes('webhooks:write')
  async disable(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body() _nothing: EmptyDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.endpoints.disable(caller, id));
  }

  @Post(':id/enable')
  @Scopes('webhooks:write')
  async enable(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body() _nothing: EmptyDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.endpoints.enable(caller, id));
  }

  @Post(':id/ping')
  @Scopes('webhooks:write')
  async ping(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body() _nothing: EmptyDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.endpoints.ping(caller, id), 202);
  }

  @Post(':id/replay')
  @Scopes('webhooks:write')
  async replay(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body() request: ReplayRangeDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { from, to } = request.range();
    sendJson(reply, await this.endpoints.replay(caller, id, from, to), 202);
  }
}
