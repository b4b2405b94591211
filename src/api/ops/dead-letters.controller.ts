import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { deadLetterCountView, deadLetterView } from '../../jobs/index.js';
import { type OperatorAccess } from '../access.js';
import { DEAD_LETTERS, type DeadLetterDesk } from '../dependencies.js';
import { bodyOf, idOf } from '../edge.js';
import { sendJson } from '../present.js';
import { deadLetterListAsk, selectionAsk } from './dead-letter-ask.js';

const operators: { access: OperatorAccess } = { access: { operator: true } };
/** In audit records: there is one token, so it names nobody. */
const ACTOR = 'operator:ops-token';

/** /ops/api/dead-letters: jobs that were given up, for operators. */
@Controller('ops/api/dead-letters')
export class DeadLettersController {
  constructor(@Inject(DEAD_LETTERS) private readonly letters: DeadLetterDesk) {}

  @Get()
  @RouteConfig(operators)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ask = deadLetterListAsk(request.query as Record<string, unknown>);
    const { letters, nextCursor } = await this.letters.list(ask);
    sendJson(reply, {
      data: letters.map(deadLetterView),
      has_more: nextCursor !== null,
      next_cursor: nextCursor,
    });
  }

  @Get('counts')
  @RouteConfig(operators)
  async counts(@Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, { data: (await this.letters.counts()).map(deadLetterCountView) });
  }

  @Get(':id')
  @RouteConfig(operators)
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, deadLetterView(await this.letters.show(idOf(request))));
  }

  @Post('merge')
  @HttpCode(200)
  @RouteConfig(operators)
  async merge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { done, left } = await this.letters.merge(selectionAsk(bodyOf(request)), ACTOR);
    sendJson(reply, { merged: done, left });
  }

  @Post('purge')
  @HttpCode(200)
  @RouteConfig(operators)
  async purge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { done, left } = await this.letters.purge(selectionAsk(bodyOf(request)), ACTOR);
    sendJson(reply, { purged: done, left });
  }
}
