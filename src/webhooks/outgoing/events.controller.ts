import { Body, Controller, Get, Inject, Post, Query, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { CurrentCaller, PathId, Scopes } from '../../http/request.decorators.js';
import { sendJson } from '../../http/responses.js';
import { type Caller } from '../../merchants/caller.js';
import { ListEventsDto } from './dto/list-events.dto.js';
import { ReplayEventDto } from './dto/replay.dto.js';
import { EVENTS, type Events } from './webhooks.js';

/** /v1/events: what has become of things, for those who poll, and how it was told. */
@Controller('v1/events')
export class EventsController {
  constructor(@Inject(EVENTS) private readonly events: Events) {}

  @Get()
  @Scopes('events:read')
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListEventsDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { limit, cursor = null } = query;
    sendJson(reply, await this.events.list(caller, query.filter(), limit, cursor));
  }

  @Get(':id')
  @Scopes('events:read')
  async get(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.events.get(caller, id));
  }

  @Get(':id/deliveries')
  @Scopes('events:read')
  async deliveries(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.events.deliveries(caller, id));
  }

  /** No money moves, so no Idempotency-Key. */
  @Post(':id/replay')
  @Scopes('webhooks:write')
  async replay(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body() request: ReplayEventDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.events.replay(caller, id, request.endpointId()), 202);
  }
}
