import { NO_MERCHANT } from '../core/ids.js';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { LOGGER } from '../config/config.module.js';
import { ActionLog } from '../operators/action-log.js';

/**
 * Writes down how each request of an operator ended that was to change something, or was refused. What it changed
 * is written down by the act itself, in its own transaction.
 */
@Injectable()
export class RequestAudit {
  constructor(
    private readonly acts: ActionLog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async record(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { operator, method, routeOptions, params } = request;
    const { operatorRole } = routeOptions.config;
    if (!operator) return;
    // Requests of a viewer change nothing but the viewer's session, which is audited by itself.
    const isAct = method !== 'GET' && operatorRole !== 'viewer';
    if (!isAct && reply.statusCode !== 403) return;
    const { problem } = request.inFlight;
    const result = [reply.statusCode, ...(problem === null ? [] : [problem])].join(' ');
    const subject = `${method} ${routeOptions.url}`;
    try {
      const named = Object.keys(params as object).length === 0 ? {} : { params };
      await this.acts.record(operator, NO_MERCHANT, 'console.requested', subject, { ...named, result });
    } catch (error) {
      // The act has its own record; its answer is not held back for this one.
      this.logger.error(
        { err: error, request_id: request.id },
        'how a request of an operator ended is not recorded',
      );
    }
  }
}
