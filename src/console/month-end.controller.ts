import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { type PageView } from '../core/page.view.js';
import { ForRole } from '../operators/console-access.js';
import { csvAnswer } from '../ops/csv-answer.js';
import { LedgerDaysDto } from '../ops/dto/ledger.dto.js';
import { listFile } from '../ops/list-file.js';
import { OwedItemsDto } from './dto/month-end.dto.js';
import { type BookedTransfer, MonthEnd, type MonthlyFees, type Owed, type OwedItem } from './month-end.js';
import {
  type FeesRow,
  type OwedItemRow,
  type OwedRow,
  type TransferRow,
  type TransfersView,
} from './month-end-views.js';
import { cursorOf, placeIn } from './place-cursor.js';

/** All that a file has at most: each page reads all lines again. */
const ROWS_AT_ONCE = 100_000;
const DAY_MS = 24 * 3_600_000;

/** /ops/api/month-end: what finance closes a month with. `to` is the day it is about, or the last of the days. */
@Controller('ops/api/month-end')
export class MonthEndController {
  constructor(
    private readonly monthEnd: MonthEnd,
    private readonly clock: Clock,
  ) {}

  @Get('owed')
  @ForRole('viewer')
  async owed(@Query() query: LedgerDaysDto): Promise<PageView<OwedRow>> {
    const { to } = query.days(this.clock.now());
    return { data: (await this.monthEnd.owed(to, query.narrows())).map(owedRowOf), next_cursor: null };
  }

  @Get('owed/items')
  @ForRole('viewer')
  async items(@Query() query: OwedItemsDto): Promise<PageView<OwedItemRow>> {
    return this.page(query, query.cursor ?? null);
  }

  @Get('owed/items.csv')
  @ForRole('viewer')
  itemsAsCsv(@Query() query: OwedItemsDto): StreamableFile {
    const { to } = query.days(this.clock.now());
    return listFile(`owed-items-${to}.csv`, (cursor) => this.page(query, cursor, ROWS_AT_ONCE), itemColumns);
  }

  private async page(query: OwedItemsDto, cursor: string | null, limit?: number) {
    const { to } = query.days(this.clock.now());
    const [at, key] = placeIn(cursor, 'time', 2);
    const after = at === undefined || key === undefined ? null : ([at, key] as const);
    const { items, next } = await this.monthEnd.items(to, query.narrows(), after, limit);
    const now = this.clock.now();
    return { data: items.map((item) => itemRowOf(item, to, now)), next_cursor: next && cursorOf(next) };
  }

  @Get('transfers')
  @ForRole('viewer')
  async transfers(@Query() query: LedgerDaysDto): Promise<TransfersView> {
    const [transfers, statements] = await Promise.all([this.transferRows(query), this.monthEnd.statements()]);
    return {
      data: transfers,
      statements: statements.map(({ account, until }) => ({ account, until: until.toISOString() })),
    };
  }

  @Get('transfers.csv')
  @ForRole('viewer')
  async transfersAsCsv(@Query() query: LedgerDaysDto): Promise<StreamableFile> {
    return csvAnswer(`transfers-${this.named(query)}.csv`, await this.transferRows(query), transferColumns);
  }

  private async transferRows(query: LedgerDaysDto): Promise<TransferRow[]> {
    const found = await this.monthEnd.transfers(query.days(this.clock.now()), query.narrows());
    return found.map(transferRowOf);
  }

  @Get('fees')
  @ForRole('viewer')
  async fees(@Query() query: LedgerDaysDto): Promise<PageView<FeesRow>> {
    return { data: await this.feesRows(query), next_cursor: null };
  }

  @Get('fees.csv')
  @ForRole('viewer')
  async feesAsCsv(@Query() query: LedgerDaysDto): Promise<StreamableFile> {
    return csvAnswer(`fees-${this.named(query)}.csv`, await this.feesRows(query), feesColumns);
  }

  private async feesRows(query: LedgerDaysDto): Promise<FeesRow[]> {
    const found = await this.monthEnd.fees(query.days(this.clock.now()), query.narrows());
    return found.map(feesRowOf);
  }

  private named(query: LedgerDaysDto): string {
    const { from, to } = query.days(this.clock.now());
    return `${from}-${to}`;
  }
}

/** Headings of the files, which one without rows has too. */
const itemColumns = [
  'psp',
  'currency',
  'amount',
  'state',
  'kind',
  'occurred_at',
  'age_days',
  'reference',
  'order',
  'payment_id',
  'psp_reference',
  'batch',
] as const satisfies readonly (keyof OwedItemRow)[];
const transferColumns = [
  'psp',
  'batch',
  'currency',
  'amount',
  'at',
  'booked_by',
  'booked_at',
  'booked_as',
] as const satisfies readonly (keyof TransferRow)[];
const feesColumns = [
  'month',
  'psp',
  'currency',
  'merchant_id',
  'merchant',
  'taken',
  'fees',
] as const satisfies readonly (keyof FeesRow)[];

function owedRowOf({ notReported, notTransferred, oldestAt, ...owed }: Owed): OwedRow {
  return {
    ...owed,
    not_reported: notReported,
    not_transferred: notTransferred,
    oldest_at: oldestAt?.toISOString() ?? null,
  };
}

/** `day`: at its end, or now where it has not ended. */
function itemRowOf(item: OwedItem, day: string, now: Date): OwedItemRow {
  const end = Math.min(Date.parse(`${day}T00:00:00Z`) + DAY_MS, now.getTime());
  return {
    psp: item.psp,
    currency: item.currency,
    amount: item.amount,
    state: item.state,
    kind: item.kind,
    occurred_at: item.occurredAt.toISOString(),
    age_days: Math.max(0, Math.floor((end - item.occurredAt.getTime()) / DAY_MS)),
    reference: item.reference,
    order: item.order,
    payment_id: item.paymentId,
    psp_reference: item.pspReference,
    batch: item.batch,
  };
}

function transferRowOf({ at, booking, ...transfer }: BookedTransfer): TransferRow {
  return {
    ...transfer,
    at: at.toISOString(),
    booked_by: booking?.account ?? null,
    booked_at: booking?.at.toISOString() ?? null,
    booked_as: booking?.reference ?? null,
  };
}

function feesRowOf({ merchantId, ...fees }: MonthlyFees): FeesRow {
  return { ...fees, merchant_id: merchantId };
}
