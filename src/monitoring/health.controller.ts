import { Controller, Get, Inject, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { READINESS, VERSION, type Readiness } from '../http/dependencies.js';
import { RequestHooks } from '../http/request-hooks.js';
import { sendJson } from '../http/responses.js';

/** For load balancers and supervisors, on every listener. Open to all. */
@Controller()
export class HealthController {
  constructor(
    @Inject(READINESS) private readonly readiness: () => Promise<Readiness>,
    @Inject(VERSION) private readonly version: string,
    @Inject(RequestHooks) private readonly edge: RequestHooks,
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
}

/** For operators, where strangers cannot ask: see `servesMetrics`. */
@Controller()
export class MetricsController {
  constructor(@Inject(Registry) private readonly metrics: Registry) {}

  @Get('metrics')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    const text = await this.metrics.metrics();
    reply.header('content-type', this.metrics.contentType).send(text);
  }
}
