import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Clock } from '../core/clock.js';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { ForOperators } from '../http/request.decorators.js';
import { Ledger } from '../ledger/ledger.js';
import {
  BalancesView,
  balancesViewOf,
  EntryPage,
  type EntryView,
  entryViewOf,
} from '../ledger/ledger.view.js';
import { ForRole } from '../operators/console-access.js';
import { csvAnswer } from './csv-answer.js';
import { LedgerDaysDto, LedgerStatementDto } from './dto/ledger.dto.js';
import * as example from './ledger.examples.js';

const ENTRIES_AT_ONCE = 1_000;

/** /ops/api/ledger: what every PSP took, cost and holds. */
@ApiTags('Ledger')
@Controller('ops/api/ledger')
export class LedgerController {
  constructor(
    private readonly ledger: Ledger,
    private readonly clock: Clock,
  ) {}

  @Get('balances')
  @Operation({
    id: 'getLedgerBalances',
    summary: 'Read the balances',
    description:
      'What each PSP account took, refunded and cost in these days by currency, what it holds at their end, and the trial balance, of one PSP, currency or merchant or of all. Posted within seconds of what happened.',
    answers: { 200: [BalancesView, 'The balances.', { today: example.balances }] },
  })
  @ForOperators('viewer')
  async balances(@Query() query: LedgerDaysDto): Promise<BalancesView> {
    const days = query.days(this.clock.now());
    return balancesViewOf(await this.ledger.balances(days, query.narrows()), days);
  }

  @Get('statement')
  @Operation({
    id: 'listLedgerEntries',
    summary: 'List entries',
    description:
      'The entries of these days, the oldest first, of one account, PSP, currency or merchant or of all. `npx payonce ledger export` writes them as CSV.',
    answers: { 200: aPage(EntryPage, example.entry) },
  })
  @ForOperators('viewer')
  async statement(@Query() query: LedgerStatementDto): Promise<Page<EntryView>> {
    const { limit, cursor = null } = query;
    const found = await this.ledger.statement(query.days(this.clock.now()), query.filter(), limit, cursor);
    return {
      data: found.entries.map(entryViewOf),
      has_more: found.nextCursor !== null,
      next_cursor: found.nextCursor,
    };
  }

  @Get('statement.csv')
  @ForRole('viewer')
  statementAsCsv(@Query() query: LedgerStatementDto): StreamableFile {
    const { from, to } = query.days(this.clock.now());
    return csvAnswer(`ledger-${from}-${to}.csv`, this.entries(query));
  }

  /** Page by page, so that a slow reader holds no connection to the database. */
  private async *entries(query: LedgerStatementDto): AsyncGenerator<EntryView> {
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
