import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Events } from '../webhooks/index.js';
import { type Access } from './access.js';
import { EVENTS } from './dependencies.js';
import { bodyOf, callerOf, idOf } from './edge.js';
import { sendJson } from './present.js';
import { eventListAsk, eventReplayAsk } from './webhook-ask.js';

const reads: { access: Access } = { access: { scope: 'payments:read', movesMoney: false } };
/** No money moves, so no Idempotency-Key. */
const writes: { access: Access } = { access: { scope: 'payments:write', movesMoney: false } };

/** /v1/events: what has become of things, for those who poll, and how it was told. */
@Controller('v1/events')
export class EventsController {
  constructor(@Inject(EVENTS) private readonly events: Events) {}

  @Get()
  @RouteConfig(reads)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { filter, limit, cursor } = eventListAsk(request.query as Record<string, unknown>);
    sendJson(reply, await this.events.list(callerOf(request), filter, limit, cursor));
  }

  @Get(':id')
  @RouteConfig(reads)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.events.get(callerOf(request), idOf(request)));
  }

  @Get(':id/deliveries')
  @RouteConfig(reads)
  async deliveries(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.events.deliveries(callerOf(request), idOf(request)));
  }

  @Post(':id/replay')
  @RouteConfig(writes)
  async replay(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const endpointId = eventReplayAsk(bodyOf(request));
    sendJson(reply, await this.events.replay(callerOf(request), idOf(request), endpointId), 202);
  }
}
