import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { PathId } from '../http/request.decorators.js';
import { replayEvent } from '../events/replay.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { type PageView } from '../core/page.view.js';
import {
  ListDeliveriesDto,
  ListDisputesDto,
  ListInboxDto,
  ListPayoutsDto,
  ReplayDeliveryDto,
} from './dto/installation.dto.js';
import { CursorDto } from './dto/search-payments.dto.js';
import { InstallationReader } from './installation-reader.js';
import {
  type BankBatchView,
  type BankFileView,
  type CustomerRow,
  type DeliveryRow,
  type DisputeRow,
  type NotificationRow,
  type PayoutPageView,
  type PayoutRow,
  type RefundRow,
} from './installation-views.js';
import { actorOf } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { PayoutPages } from './payout-page.js';

const EXAMPLE = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e46';

/** /ops/api: webhooks of merchants, what PSPs notified, payouts, refunds, disputes, customers, files for banks and of banks. */
@Controller('ops/api')
export class InstallationController {
  constructor(
    private readonly reader: InstallationReader,
    private readonly pages: PayoutPages,
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  @Get('webhooks/deliveries')
  @ForRole('viewer')
  deliveries(@Query() { list, cursor }: ListDeliveriesDto): Promise<PageView<DeliveryRow>> {
    return this.reader.deliveries(list === 'undelivered', cursor ?? null);
  }

  /** Sends the event to the endpoint again. None where it is just being sent, or the endpoint is disabled. */
  @Post('webhooks/replay')
  @HttpCode(200)
  @ForRole('operator')
  async replay(
    @Body() { merchant_id: merchantId, event_id: eventId, endpoint_id: endpointId }: ReplayDeliveryDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<{ readonly deliveries: number }> {
    const { sourceAddress } = operator;
    const caller = { merchantId: merchantId.toLowerCase(), actor: actorOf(operator), sourceAddress };
    const by = { caller, auditId: this.ids.uuid() };
    return { deliveries: await replayEvent(this.pool, { by, eventId, endpointId }, this.clock.now()) };
  }

  @Get('webhooks/inbox')
  @ForRole('viewer')
  inbox(@Query() { list = 'all', cursor }: ListInboxDto): Promise<PageView<NotificationRow>> {
    return this.reader.inbox(list, cursor ?? null);
  }

  @Get('refunds')
  @ForRole('viewer')
  refunds(@Query() { cursor }: CursorDto): Promise<PageView<RefundRow>> {
    return this.reader.refunds(cursor ?? null);
  }

  @Get('disputes')
  @ForRole('viewer')
  disputes(@Query() { status, cursor }: ListDisputesDto): Promise<PageView<DisputeRow>> {
    return this.reader.disputes(status ?? null, cursor ?? null);
  }

  @Get('bank/batches')
  @ForRole('viewer')
  bankBatches(): Promise<PageView<BankBatchView>> {
    return this.reader.bankBatches();
  }

  @Get('bank/files')
  @ForRole('viewer')
  bankFiles(): Promise<PageView<BankFileView>> {
    return this.reader.bankFiles();
  }

  @Get('customers')
  @ForRole('viewer')
  customers(@Query() { cursor }: CursorDto): Promise<PageView<CustomerRow>> {
    return this.reader.customers(cursor ?? null);
  }

  @Get('payouts')
  @ForRole('viewer')
  payouts(@Query() { q = '', status, cursor }: ListPayoutsDto): Promise<PageView<PayoutRow>> {
    return this.reader.payouts(q.trim() === '' ? null : q, status ?? null, cursor ?? null);
  }

  @Get('payouts/:id')
  @ForRole('viewer')
  payout(
    @PathId('payout', EXAMPLE) id: string,
    @CurrentOperator() operator: SignedIn,
  ): Promise<PayoutPageView> {
    return this.pages.show(id, operator);
  }
}
