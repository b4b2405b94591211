import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type WebhookEndpoints } from '../webhooks/index.js';
import { type Access } from './access.js';
import { pageAsk } from './ask.js';
import { WEBHOOK_ENDPOINTS } from './dependencies.js';
import { bodyOf, callerOf, idOf } from './edge.js';
import { sendJson } from './present.js';
import { endpointAsk, nothingAsk, rangeReplayAsk } from './webhook-ask.js';

const reads: { access: Access } = { access: { scope: 'payments:read', movesMoney: false } };
/** No money moves, so no Idempotency-Key: but for a second endpoint, asking twice is as asking once. */
const writes: { access: Access } = { access: { scope: 'payments:write', movesMoney: false } };

/** /v1/webhook_endpoints: where events are sent. */
@Controller('v1/webhook_endpoints')
export class WebhookEndpointsController {
  constructor(@Inject(WEBHOOK_ENDPOINTS) private readonly endpoints: WebhookEndpoints) {}

  @Post()
  @RouteConfig(writes)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ask = endpointAsk(bodyOf(request));
    sendJson(reply, await this.endpoints.create(callerOf(request), ask), 201);
  }

  @Get()
  @RouteConfig(reads)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { limit, cursor } = pageAsk(request.query as Record<string, unknown>);
    sendJson(reply, await this.endpoints.list(callerOf(request), limit, cursor));
  }

  @Get(':id')
  @RouteConfig(reads)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, await this.endpoints.get(callerOf(request), idOf(request)));
  }

  @Post(':id/rotate_secret')
  @RouteConfig(writes)
  async rotateSecret(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    nothingAsk(bodyOf(request));
    sendJson(reply, await this.endpoints.rotateSecret(callerOf(request), idOf(request)));
  }

  @Post(':id/disable')
  @RouteConfig(writes)
  async disable(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    nothingAsk(bodyOf(request));
    sendJson(reply, await this.endpoints.disable(callerOf(request), idOf(request)));
  }

  @Post(':id/enable')
  @RouteConfig(writes)
  async enable(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    nothingAsk(bodyOf(request));
    sendJson(reply, await this.endpoints.enable(callerOf(request), idOf(request)));
  }

  @Post(':id/ping')
  @RouteConfig(writes)
  async ping(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    nothingAsk(bodyOf(request));
    sendJson(reply, await this.endpoints.ping(callerOf(request), idOf(request)), 202);
  }

  @Post(':id/replay')
  @RouteConfig(writes)
  async replay(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { from, to } = rangeReplayAsk(bodyOf(request));
    sendJson(reply, await this.endpoints.replay(callerOf(request), idOf(request), from, to), 202);
  }
}
