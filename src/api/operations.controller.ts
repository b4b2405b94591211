import { Controller, Get, Inject, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Registry } from 'prom-client';
import { METRICS, READINESS, VERSION, type Readiness } from './dependencies.js';
import { Edge } from './edge.js';
import { sendJson } from './present.js';

/** For whoever runs the service. Open to all; bind the port to a network of your own. */
@Controller()
export class OperationsController {
  constructor(
    @Inject(READINESS) private readonly readiness: () => Promise<Readiness>,
    @Inject(METRICS) private readonly metrics: Registry,
    @Inject(VERSION) private readonly version: string,
    @Inject(Edge) private readonly edge: Edge,
  ) {}

  /** The process runs. Says nothing of databases: a restart would not mend them. */
  @Get('health/live')
  live(@Res() reply: FastifyReply): void {
    sendJson(reply, { status: 'live', version: this.version });
  }

  /** Requests may be sent here. */
  @Get('health/ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    if (this.edge.isDraining) return sendJson(reply, { status: 'draining', checks: {} }, 503);
    const { ready, checks } = await this.readiness();
    sendJson(reply, { status: ready ? 'ready' : 'not_ready', checks }, ready ? 200 : 503);
  }

  @Get('metrics')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    const text = await this.metrics.metrics();
    reply.header('content-type', this.metrics.contentType).send(text);
  }
}
