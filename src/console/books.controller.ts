import { Body, Controller, Get, HttpCode, Post, Query, StreamableFile } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { PathId } from '../http/request.decorators.js';
import { Ledger } from '../ledger/ledger.js';
import { balancesViewOf, entryViewOf } from '../ledger/ledger.view.js';
import {
  breakViewOf,
  lineViewOf,
  runResultViewOf,
  runViewOf,
} from '../reconciliation/reconciliation.view.js';
import { Breaks } from '../reconciliation/breaks.js';
import { type Run, Runs } from '../reconciliation/runs.js';
import {
  type BalancesPageView,
  type BreakPageView,
  type BreakRow,
  type EntryRow,
  type RunPageView,
  type RunRow,
} from './books-views.js';
import { BreakPages } from './break-page.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { type PageView } from '../core/page.view.js';
import { AssignBreakDto, BreakNoteDto } from './dto/break-act.dto.js';
import { BreakOfPspDto } from './dto/break-of-psp.dto.js';
import { LedgerDaysDto, LedgerStatementDto } from '../ops/dto/ledger.dto.js';
import { ListRunsDto } from '../ops/dto/list-runs.dto.js';
import { actorOf } from '../operators/operator-acts.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { stringify } from 'csv-stringify';
import { Readable } from 'node:stream';

const EXAMPLE = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e45';
const EXPORTED_BREAKS = 100_000;
const ENTRIES_AT_ONCE = 1_000;

/** /ops/api/console: reconciliation and the ledger, as under /ops/api, for operators who are signed in. */
@Controller('ops/api/console')
export class BooksController {
  constructor(
    private readonly runs: Runs,
    private readonly breaks: Breaks,
    private readonly pages: BreakPages,
    private readonly ledger: Ledger,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  @Get('reconciliation/runs')
  @ForRole('viewer')
  async listRuns(@Query() { limit }: ListRunsDto): Promise<PageView<RunRow>> {
    return whole((await this.runs.list(limit)).map(runViewOf));
  }

  @Get('reconciliation/runs/:id')
  @ForRole('viewer')
  async showRun(@PathId('run', EXAMPLE) id: string): Promise<RunPageView> {
    return runResultViewOf(await this.runs.show(id));
  }

  @Get('reconciliation/runs/:id/breaks')
  @ForRole('viewer')
  async breaksOfRun(
    @PathId('run', EXAMPLE) id: string,
    @Query() { limit }: ListRunsDto,
  ): Promise<PageView<BreakRow>> {
    return whole((await this.breaks.ofRun(id, limit)).map(breakViewOf));
  }

  @Get('reconciliation/runs/:id/breaks.csv')
  @ForRole('viewer')
  async breaksOfRunAsCsv(@PathId('run', EXAMPLE) id: string): Promise<StreamableFile> {
    const { run } = await this.runs.show(id);
    return csvAnswer(`breaks-${run.id}.csv`, (await this.breaks.ofRun(id, EXPORTED_BREAKS)).map(breakViewOf));
  }

  @Get('reconciliation/runs/:id/lines.csv')
  @ForRole('viewer')
  async linesOfRunAsCsv(@PathId('run', EXAMPLE) id: string): Promise<StreamableFile> {
    const { run } = await this.runs.show(id);
    return csvAnswer(`lines-${run.id}.csv`, this.lines(run));
  }

  @Get('reconciliation/breaks')
  @ForRole('viewer')
  async openBreaks(@Query() { limit }: ListRunsDto): Promise<PageView<BreakRow>> {
    return whole((await this.breaks.list(limit)).map(breakViewOf));
  }

  @Get('reconciliation/breaks.csv')
  @ForRole('viewer')
  async openBreaksAsCsv(): Promise<StreamableFile> {
    return csvAnswer('open-breaks.csv', (await this.breaks.list(EXPORTED_BREAKS)).map(breakViewOf));
  }

  @Get('reconciliation/breaks/:id')
  @ForRole('viewer')
  showBreak(@PathId('break', EXAMPLE) id: string, @Query() { psp }: BreakOfPspDto): Promise<BreakPageView> {
    return this.pages.show(psp, id);
  }

  @Post('reconciliation/breaks/:id/assign')
  @HttpCode(200)
  @ForRole('operator')
  async assign(
    @PathId('break', EXAMPLE) id: string,
    @Body() { psp, owner }: AssignBreakDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<BreakRow> {
    return breakViewOf(await this.breaks.assign({ psp, id }, owner ?? null, this.by(operator)));
  }

  @Post('reconciliation/breaks/:id/notes')
  @HttpCode(200)
  @ForRole('operator')
  async note(
    @PathId('break', EXAMPLE) id: string,
    @Body() { psp, note }: BreakNoteDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<BreakRow> {
    return breakViewOf(await this.breaks.note({ psp, id }, note, this.by(operator)));
  }

  @Post('reconciliation/breaks/:id/close')
  @HttpCode(200)
  @ForRole('operator')
  async close(
    @PathId('break', EXAMPLE) id: string,
    @Body() { psp, note }: BreakNoteDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<BreakRow> {
    return breakViewOf(await this.breaks.close({ psp, id }, note, this.by(operator)));
  }

  @Get('ledger/balances')
  @ForRole('viewer')
  async balances(@Query() query: LedgerDaysDto): Promise<BalancesPageView> {
    const days = query.days(this.clock.now());
    return balancesViewOf(await this.ledger.balances(days), days);
  }

  @Get('ledger/statement')
  @ForRole('viewer')
  async statement(@Query() query: LedgerStatementDto): Promise<PageView<EntryRow>> {
    const { limit, cursor = null } = query;
    const found = await this.ledger.statement(query.days(this.clock.now()), query.filter(), limit, cursor);
    return { data: found.entries.map(entryViewOf), next_cursor: found.nextCursor };
  }

  @Get('ledger/statement.csv')
  @ForRole('viewer')
  statementAsCsv(@Query() query: LedgerStatementDto): StreamableFile {
    const { from, to } = query.days(this.clock.now());
    return csvAnswer(`ledger-${from}-${to}.csv`, this.entries(query));
  }

  private by(operator: SignedIn) {
    return { actor: actorOf(operator), auditId: this.ids.uuid(), at: this.clock.now() };
  }

  private async *lines(run: Run): AsyncGenerator<object> {
    for await (const line of this.runs.linesOf(run)) yield lineViewOf(line);
  }

  /** Page by page, so that a slow reader holds no connection to the database. */
  private async *entries(query: LedgerStatementDto): AsyncGenerator<EntryRow> {
    const days = query.days(this.clock.now());
    let cursor: string | null = null;
    do {
      const { entries, nextCursor }: LedgerPage = await this.ledger.statement(
        days,
        query.filter(),
        ENTRIES_AT_ONCE,
        cursor,
      );
      yield* entries.map(entryViewOf);
      cursor = nextCursor;
    } while (cursor !== null);
  }
}

type LedgerPage = Awaited<ReturnType<Ledger['statement']>>;

function whole<T>(data: readonly T[]): PageView<T> {
  return { data, next_cursor: null };
}

/** Rows as a CSV file to keep, in constant memory. What a spreadsheet would take for a formula is a text in it. */
function csvAnswer(name: string, rows: AsyncIterable<object> | Iterable<object>): StreamableFile {
  const file = stringify({ header: true, escape_formulas: true });
  const source = Readable.from(rows);
  source.on('error', (error) => file.destroy(error));
  file.on('close', () => source.destroy());
  return new StreamableFile(source.pipe(file), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name}"`,
  });
}
