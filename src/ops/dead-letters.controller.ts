import { Body, Controller, Get, Post, Query, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { ForOperators, PathId } from '../http/request.decorators.js';
import { deadLetterCountView, DeadLetterView, deadLetterView } from '../jobs/dead-letter.view.js';
import { DeadLetters, MAX_IN_A_PAGE } from '../jobs/dead-letters.js';
import { CurrentActor, ForRole } from '../operators/console-access.js';
import {
  DeadLetterCountsView,
  DeadLetterPage,
  DeadLettersMergedView,
  DeadLettersPurgedView,
} from './dead-letter-answers.view.js';
import * as example from './dead-letter.examples.js';
import { listFile } from './list-file.js';
import { ListDeadLettersDto } from './dto/list-dead-letters.dto.js';
import { SelectDeadLettersDto } from './dto/select-dead-letters.dto.js';

const about =
  'For operators: with the token of `PAYONCE_OPS_TOKEN`. Where none is set, there is nothing at this path. An API key of a merchant opens nothing here.';

/** /ops/api/dead-letters: jobs that were given up, for operators. */
@ApiTags('Dead letters')
@Controller('ops/api/dead-letters')
export class DeadLettersController {
  constructor(private readonly letters: DeadLetters) {}

  @Get()
  @Operation({
    id: 'listDeadLetters',
    summary: 'List dead letters',
    description: `Newest first. Go on with \`next_cursor\` while \`has_more\` is true.\n\n${about}`,
    answers: {
      200: aPage(DeadLetterPage, example.deadLetter),
    },
  })
  @ForOperators('viewer')
  async list(@Query() query: ListDeadLettersDto): Promise<Page<DeadLetterView>> {
    const { letters, nextCursor } = await this.letters.list(query.toValues());
    return { data: letters.map(deadLetterView), has_more: nextCursor !== null, next_cursor: nextCursor };
  }

  @Get('counts')
  @Operation({
    id: 'countDeadLetters',
    summary: 'Count dead letters',
    description: `By kind and cause, the largest group first, with the age of its oldest.\n\n${about}`,
    answers: { 200: [DeadLetterCountsView, 'The groups.', { one: { data: [example.count] } }] },
  })
  @ForOperators('viewer')
  async counts(): Promise<DeadLetterCountsView> {
    return { data: (await this.letters.counts()).map(deadLetterCountView) };
  }

  @Get('list.csv')
  @ForRole('viewer')
  asCsv(@Query() query: ListDeadLettersDto): StreamableFile {
    return listFile('dead-letters.csv', async (cursor) => {
      const { letters, nextCursor } = await this.letters.list({
        ...query.toValues(),
        limit: MAX_IN_A_PAGE,
        cursor,
      });
      return { data: letters.map(deadLetterView), next_cursor: nextCursor };
    });
  }

  @Get(':id')
  @Operation({
    id: 'getDeadLetter',
    summary: 'Read a dead letter',
    description: about,
    answers: { 200: [DeadLetterView, 'The dead letter.', { exhausted: example.deadLetter }] },
  })
  @ForOperators('viewer')
  async show(@PathId('dead letter', example.deadLetter.id) id: string): Promise<DeadLetterView> {
    return deadLetterView(await this.letters.show(id));
  }

  @Post('merge')
  @Operation({
    id: 'mergeDeadLetters',
    summary: 'Requeue dead letters',
    description: `Their jobs are tried again from the first retry tier, with their history; the oldest letters first, at most 10,000 in one request. Each letter is merged once, by one operator, and audited; 404 where ids are named and none of them is there any more.\n\n${about}`,
    bodies: example.selections,
    bodyIsRequired: true,
    answers: {
      200: [
        DeadLettersMergedView,
        'How many were sent back to their queues.',
        { done: { merged: 12, left: 0 } },
      ],
    },
  })
  @ForOperators('operator')
  async merge(
    @Body() request: SelectDeadLettersDto,
    @CurrentActor() actor: string,
  ): Promise<DeadLettersMergedView> {
    const { done, left } = await this.letters.merge(request.selection(), actor);
    return { merged: done, left };
  }

  /** For good, so at a session it takes more than an operator. */
  @Post('purge')
  @Operation({
    id: 'purgeDeadLetters',
    summary: 'Purge dead letters',
    description: `Deletes them for good. Selected as for merging.\n\n${about}`,
    bodies: example.selections,
    bodyIsRequired: true,
    answers: { 200: [DeadLettersPurgedView, 'How many were deleted.', { done: { purged: 12, left: 0 } }] },
  })
  @ForOperators('admin')
  async purge(
    @Body() request: SelectDeadLettersDto,
    @CurrentActor() actor: string,
  ): Promise<DeadLettersPurgedView> {
    const { done, left } = await this.letters.purge(request.selection(), actor);
    return { purged: done, left };
  }
}
