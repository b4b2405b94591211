import { Controller, Get, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { VERSION } from '../core/version.js';
import { Operation, requestId } from '../http/operation.decorator.js';
import { RequestHooks } from '../http/request-hooks.js';
import { LiveView, ReadyView } from './health.view.js';
import { Readiness } from '../database/readiness.js';

/** For load balancers and supervisors, on every listener. Open to all. */
@ApiTags('Operations')
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly hooks: RequestHooks,
  ) {}

  @Get('health/live')
  @Operation({
    id: 'live',
    summary: 'Liveness probe',
    description:
      'Answers as long as the process runs. The database is not checked, because a restart would not repair it.',
    answers: { 200: [LiveView, 'The process is alive.', { live: { status: 'live', version: '0.2.0' } }] },
  })
  live(): LiveView {
    return { status: 'live', version: VERSION };
  }

  @Get('health/ready')
  @Operation({
    id: 'ready',
    summary: 'Readiness probe',
    description:
      'Not ready while the process is stopping, while the database cannot be reached, and while the clock of the machine differs from the clock of the database by more than 2 s. `warnings` is there while a person is needed though the process works: `commits_may_be_lost` while payments and payouts that several PSPs could take are refused.',
    answers: {
      200: [
        ReadyView,
        'The process is ready.',
        {
          ready: { status: 'ready', checks: { database: 'up', clock: 'up' } },
          held: {
            status: 'ready',
            checks: { database: 'up', clock: 'up' },
            warnings: ['commits_may_be_lost'],
          },
        },
      ],
      503: [
        ReadyView,
        'The process is not ready, or is stopping.',
        {
          down: { status: 'not_ready', checks: { database: 'down', clock: 'down' } },
          clockIsOff: { status: 'not_ready', checks: { database: 'up', clock: 'down' } },
          draining: { status: 'draining', checks: {} },
        },
      ],
    },
  })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const view = await this.look();
    reply.code(view.status === 'ready' ? 200 : 503).send(view);
  }

  private async look(): Promise<ReadyView> {
    if (this.hooks.isDraining) return { status: 'draining', checks: {} };
    const { ready, ...report } = await this.readiness.check();
    return { status: ready ? 'ready' : 'not_ready', ...report };
  }
}

/** For operators, where strangers cannot ask: see `hasOpenMetrics`. */
@ApiTags('Operations')
@Controller()
export class MetricsController {
  constructor(private readonly metrics: Registry) {}

  @Get('metrics')
  @Operation({
    id: 'metrics',
    summary: 'Metrics',
    description: 'In the text format of Prometheus. Served on PAYONCE_MONITORING_PORT where that is set.',
    answers: {},
  })
  @ApiResponse({
    status: 200,
    description: 'All metrics.',
    headers: requestId,
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    const text = await this.metrics.metrics();
    reply.header('content-type', this.metrics.contentType).send(text);
  }
}
