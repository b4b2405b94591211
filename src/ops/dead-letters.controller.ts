import { Body, Controller, Get, HttpCode, Inject, Ip, Post, Query, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { deadLetterCountView, deadLetterView } from '../jobs/dead-letter.view.js';
import { ForOperators, PathId } from '../http/request.decorators.js';
import { DeadLetters } from '../jobs/dead-letters.js';
import { sendJson } from '../http/responses.js';
import { ListDeadLettersDto } from './dto/list-dead-letters.dto.js';
import { SelectDeadLettersDto } from './dto/select-dead-letters.dto.js';

/** Dead letters as operators handle them. */
export type DeadLetterDesk = Pick<DeadLetters, 'list' | 'counts' | 'show' | 'merge' | 'purge'>;

/** In audit records: there is one token, which names no operator, so the address it came from stands beside it. */
const actorAt = (ip: string): string => `operator:ops-token@${ip}`;

/** /ops/api/dead-letters: jobs that were given up, for operators. */
@Controller('ops/api/dead-letters')
export class DeadLettersController {
  constructor(@Inject(DeadLetters) private readonly letters: DeadLetterDesk) {}

  @Get()
  @ForOperators()
  async list(@Query() query: ListDeadLettersDto, @Res() reply: FastifyReply): Promise<void> {
    const { letters, nextCursor } = await this.letters.list(query.toAsk());
    sendJson(reply, {
      data: letters.map(deadLetterView),
      has_more: nextCursor !== null,
      next_cursor: nextCursor,
    });
  }

  @Get('counts')
  @ForOperators()
  async counts(@Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, { data: (await this.letters.counts()).map(deadLetterCountView) });
  }

  @Get(':id')
  @ForOperators()
  async show(@PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    sendJson(reply, deadLetterView(await this.letters.show(id)));
  }

  @Post('merge')
  @HttpCode(200)
  @ForOperators()
  async merge(
    @Body() request: SelectDeadLettersDto,
    @Ip() ip: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { done, left } = await this.letters.merge(request.selection(), actorAt(ip));
    sendJson(reply, { merged: done, left });
  }

  @Post('purge')
  @HttpCode(200)
  @ForOperators()
  async purge(
    @Body() request: SelectDeadLettersDto,
    @Ip() ip: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { done, left } = await this.letters.purge(request.selection(), actorAt(ip));
    sendJson(reply, { purged: done, left });
  }
}
