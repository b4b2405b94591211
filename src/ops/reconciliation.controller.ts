import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.js';
import { ForOperators, PathId } from '../http/request.decorators.js';
import {
  BreakPage,
  BreakWithNotesView,
  type BreakView,
  breakViewOf,
  noteViewOf,
  RunPage,
  RunResultView,
  runResultViewOf,
  type RunView,
  runViewOf,
} from '../reconciliation/reconciliation.view.js';
import { Breaks } from '../reconciliation/breaks.js';
import { Runs } from '../reconciliation/runs.js';
import { ListRunsDto } from './dto/list-runs.dto.js';
import * as example from './reconciliation.examples.js';

function wholePage<T>(data: readonly T[]): Page<T> {
  return { data, has_more: false, next_cursor: null };
}

/** /ops/api/reconciliation: what reports of PSPs said, and where they differ from the ledger. */
@ApiTags('Reconciliation')
@Controller('ops/api/reconciliation')
export class ReconciliationController {
  constructor(
    private readonly runs: Runs,
    private readonly breaks: Breaks,
  ) {}

  @Get('runs')
  @Operation({
    id: 'listReconciliationRuns',
    summary: 'List imported reports',
    description: 'Newest first, at most `limit`.',
    answers: { 200: aPage(RunPage, example.result.run) },
  })
  @ForOperators()
  async list(@Query() { limit }: ListRunsDto): Promise<Page<RunView>> {
    return wholePage((await this.runs.list(limit)).map(runViewOf));
  }

  @Get('runs/:id')
  @Operation({
    id: 'getReconciliationRun',
    summary: 'Read what a report came to',
    description: 'Matched lines, totals of each currency that add up, and differences by category.',
    answers: { 200: [RunResultView, 'The result.', { one: example.result }] },
  })
  @ForOperators()
  async show(@PathId('run', example.result.run.id) id: string): Promise<RunResultView> {
    return runResultViewOf(await this.runs.show(id));
  }

  @Get('runs/:id/breaks')
  @Operation({
    id: 'listReconciliationRunBreaks',
    summary: 'List the differences of a report',
    description: 'In the order of its lines, closed ones too, at most `limit`.',
    answers: { 200: aPage(BreakPage, example.reportBreak) },
  })
  @ForOperators()
  async ofRun(
    @PathId('run', example.result.run.id) id: string,
    @Query() { limit }: ListRunsDto,
  ): Promise<Page<BreakView>> {
    return wholePage((await this.breaks.ofRun(id, limit)).map(breakViewOf));
  }

  @Get('breaks')
  @Operation({
    id: 'listReconciliationBreaks',
    summary: 'List open differences',
    description: 'Of all reports, the oldest first, at most `limit`.',
    answers: { 200: aPage(BreakPage, example.reportBreak) },
  })
  @ForOperators()
  async open(@Query() { limit }: ListRunsDto): Promise<Page<BreakView>> {
    return wholePage((await this.breaks.list(limit)).map(breakViewOf));
  }

  @Get('breaks/:id')
  @Operation({
    id: 'getReconciliationBreak',
    summary: 'Read a difference',
    description: 'Of a report or a notification, with its owner and what people noted about it.',
    answers: { 200: [BreakWithNotesView, 'The difference.', { one: example.breakWithNotes }] },
  })
  @ForOperators()
  async break(@PathId('break', example.reportBreak.id) id: string): Promise<BreakWithNotesView> {
    const { found, notes } = await this.breaks.show({ id });
    return { found: breakViewOf(found), notes: notes.map(noteViewOf) };
  }
}
