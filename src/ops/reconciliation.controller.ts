import { Body, Controller, Get, HttpCode, Post, Query, Req, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { Clock } from '../core/clock.js';
import { Ids, NO_MERCHANT } from '../core/ids.js';
import { type Page } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { ForOperators, PathId } from '../http/request.decorators.js';
import { rawBodyOf } from '../http/request-hooks.js';
import {
  BreakPage,
  BreakWithNotesView,
  type BreakView,
  breakViewOf,
  fetchViewOf,
  lineViewOf,
  noteViewOf,
  RunPage,
  RunResultView,
  runResultViewOf,
  type RunView,
  runViewOf,
} from '../reconciliation/reconciliation.view.js';
import { ActionLog } from '../operators/action-log.js';
import { CurrentActor, CurrentOperator, ForRole } from '../operators/console-access.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { type BreakActor, Breaks } from '../reconciliation/breaks.js';
import { type FetchView } from '../reconciliation/report-fetch.view.js';
import { ReportFetches } from '../reconciliation/report-fetches.js';
import { type Run, Runs } from '../reconciliation/runs.js';
import { csvAnswer } from './csv-answer.js';
import { AssignBreakDto, BreakNoteDto } from './dto/break-act.dto.js';
import { DueReportDto, UploadReportDto } from './dto/report.dto.js';
import { ListRunsDto } from './dto/list-runs.dto.js';
import * as example from './reconciliation.examples.js';
import { UploadedReports } from './uploaded-reports.js';

const EXPORTED_BREAKS = 100_000;
/** Some 100,000 lines; larger ones by the command, which reads them from the disk. */
const REPORT_BYTES = 20 * 1024 * 1024;

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
    private readonly uploads: UploadedReports,
    private readonly due: ReportFetches,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly acts: ActionLog,
  ) {}

  @Get('runs')
  @Operation({
    id: 'listReconciliationRuns',
    summary: 'List imported reports',
    description: 'Newest first, at most `limit`.',
    answers: { 200: aPage(RunPage, example.result.run) },
  })
  @ForOperators('viewer')
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
  @ForOperators('viewer')
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
  @ForOperators('viewer')
  async ofRun(
    @PathId('run', example.result.run.id) id: string,
    @Query() { limit }: ListRunsDto,
  ): Promise<Page<BreakView>> {
    return wholePage((await this.breaks.ofRun(id, limit)).map(breakViewOf));
  }

  @Get('runs/:id/breaks.csv')
  @ForRole('viewer')
  async ofRunAsCsv(@PathId('run', example.result.run.id) id: string): Promise<StreamableFile> {
    const { run } = await this.runs.show(id);
    return csvAnswer(`breaks-${run.id}.csv`, (await this.breaks.ofRun(id, EXPORTED_BREAKS)).map(breakViewOf));
  }

  @Get('runs/:id/lines.csv')
  @ForRole('viewer')
  async linesAsCsv(@PathId('run', example.result.run.id) id: string): Promise<StreamableFile> {
    const { run } = await this.runs.show(id);
    return csvAnswer(`lines-${run.id}.csv`, this.lines(run));
  }

  @Get('breaks')
  @Operation({
    id: 'listReconciliationBreaks',
    summary: 'List open differences',
    description: 'Of all reports, the oldest first, at most `limit`.',
    answers: { 200: aPage(BreakPage, example.reportBreak) },
  })
  @ForOperators('viewer')
  async open(@Query() { limit }: ListRunsDto): Promise<Page<BreakView>> {
    return wholePage((await this.breaks.list(limit)).map(breakViewOf));
  }

  @Get('breaks.csv')
  @ForRole('viewer')
  async openAsCsv(): Promise<StreamableFile> {
    return csvAnswer('open-breaks.csv', (await this.breaks.list(EXPORTED_BREAKS)).map(breakViewOf));
  }

  @Get('breaks/:id')
  @Operation({
    id: 'getReconciliationBreak',
    summary: 'Read a difference',
    description: 'Of a report or a notification, with its owner and what people noted about it.',
    answers: { 200: [BreakWithNotesView, 'The difference.', { one: example.breakWithNotes }] },
  })
  @ForOperators('viewer')
  async break(@PathId('break', example.reportBreak.id) id: string): Promise<BreakWithNotesView> {
    const { found, notes } = await this.breaks.show({ id });
    return { found: breakViewOf(found), notes: notes.map(noteViewOf) };
  }

  @Post('breaks/:id/assign')
  @HttpCode(200)
  @ForRole('finance')
  async assign(
    @PathId('break', example.reportBreak.id) id: string,
    @Body() { psp, owner }: AssignBreakDto,
    @CurrentActor() actor: string,
  ): Promise<BreakView> {
    return breakViewOf(await this.breaks.assign({ psp, id }, owner ?? null, this.by(actor)));
  }

  @Post('breaks/:id/notes')
  @HttpCode(200)
  @ForRole('finance')
  async note(
    @PathId('break', example.reportBreak.id) id: string,
    @Body() { psp, note }: BreakNoteDto,
    @CurrentActor() actor: string,
  ): Promise<BreakView> {
    return breakViewOf(await this.breaks.note({ psp, id }, note, this.by(actor)));
  }

  @Post('breaks/:id/close')
  @HttpCode(200)
  @ForRole('finance')
  async close(
    @PathId('break', example.reportBreak.id) id: string,
    @Body() { psp, note }: BreakNoteDto,
    @CurrentActor() actor: string,
  ): Promise<BreakView> {
    return breakViewOf(await this.breaks.close({ psp, id }, note, this.by(actor)));
  }

  @Get('closed-breaks')
  @ForRole('viewer')
  async closed(@Query() { limit }: ListRunsDto): Promise<Page<BreakView>> {
    return wholePage((await this.breaks.closed(limit)).map(breakViewOf));
  }

  @Post('breaks/:id/reopen')
  @HttpCode(200)
  @ForRole('finance')
  async reopen(
    @PathId('break', example.reportBreak.id) id: string,
    @Body() { psp, note }: BreakNoteDto,
    @CurrentActor() actor: string,
  ): Promise<BreakView> {
    return breakViewOf(await this.breaks.reopen({ psp, id }, note, this.by(actor)));
  }

  /** The body is the report itself. Twice: a trial, of which nothing is kept, and then the import. */
  @Post('reports')
  @HttpCode(200)
  @ForRole('finance', { takesFile: true, fileBytes: REPORT_BYTES })
  async report(
    @Query() { psp, name, trial, mapping }: UploadReportDto,
    @Req() request: FastifyRequest,
    @CurrentActor() by: string,
  ): Promise<RunResultView & { readonly is_new: boolean }> {
    const content = rawBodyOf(request);
    const isTrial = trial === 'yes';
    const report = { psp, fileName: name, content, mapping: mapping ?? null, isTrial, by };
    const { result, isNew } = await this.uploads.take(report);
    return { ...runResultViewOf(result), is_new: isNew };
  }

  /** Reports that were due, the newest first. */
  @Get('fetches')
  @ForRole('viewer')
  async fetches(@Query() { limit }: ListRunsDto): Promise<Page<FetchView>> {
    return wholePage((await this.due.list(limit)).map(fetchViewOf));
  }

  /** A worker fetches it within seconds. */
  @Post('fetches/now')
  @HttpCode(200)
  @ForRole('finance')
  async fetchNow(@Body() { psp, id }: DueReportDto): Promise<{ readonly due: true }> {
    if (!(await this.due.again(psp, id, this.clock.now()))) {
      throw new Problem('not_found', 'No such report waits to be fetched.');
    }
    return { due: true };
  }

  /** It was imported by hand: as the newest report of its time and account that was imported since it was due. */
  @Post('fetches/done')
  @HttpCode(200)
  @ForRole('finance')
  async fetchedByHand(
    @Body() { psp, id }: DueReportDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<{ readonly run_id: string }> {
    const runId = await this.due.doneByHand(psp, id);
    if (runId === null) {
      throw new Problem(
        'invalid_state',
        `No report of ${psp} that is of its time was imported since it was due.`,
      );
    }
    await this.acts.record(operator, NO_MERCHANT, 'report.done_by_hand', `psp:${psp}`, { id, run_id: runId });
    return { run_id: runId };
  }

  private by(actor: string): BreakActor {
    return { actor, auditId: this.ids.uuid(), at: this.clock.now() };
  }

  private async *lines(run: Run): AsyncGenerator<object> {
    for await (const line of this.runs.linesOf(run)) yield lineViewOf(line);
  }
}
