import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { deadLetterCountView, deadLetterView } from '../jobs/dead-letter.view.js';
import { DeadLetters } from '../jobs/dead-letters.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { ListDeadLettersDto } from '../ops/dto/list-dead-letters.dto.js';
import { SelectDeadLettersDto } from '../ops/dto/select-dead-letters.dto.js';
import { actorOf } from '../operators/operator-acts.js';
import { type SignedIn } from '../operators/operator-sessions.js';

/** /ops/api/console/dead-letters: as under /ops/api/dead-letters, for operators who are signed in. */
@Controller('ops/api/console/dead-letters')
export class ConsoleDeadLettersController {
  constructor(private readonly letters: DeadLetters) {}

  @Get()
  @ForRole('viewer')
  async list(@Query() query: ListDeadLettersDto): Promise<object> {
    const { letters, nextCursor } = await this.letters.list(query.toValues());
    return { data: letters.map(deadLetterView), next_cursor: nextCursor };
  }

  @Get('counts')
  @ForRole('viewer')
  async counts(): Promise<object> {
    return { data: (await this.letters.counts()).map(deadLetterCountView), next_cursor: null };
  }

  @Post('merge')
  @HttpCode(200)
  @ForRole('operator')
  async merge(@Body() request: SelectDeadLettersDto, @CurrentOperator() operator: SignedIn): Promise<object> {
    const { done, left } = await this.letters.merge(request.selection(), actorOf(operator));
    return { merged: done, left };
  }

  /** For good, so it takes more than an operator. */
  @Post('purge')
  @HttpCode(200)
  @ForRole('admin')
  async purge(@Body() request: SelectDeadLettersDto, @CurrentOperator() operator: SignedIn): Promise<object> {
    const { done, left } = await this.letters.purge(request.selection(), actorOf(operator));
    return { purged: done, left };
  }
}
