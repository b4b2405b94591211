import { Controller, Get, Query } from '@nestjs/common';
import { Encryption } from '../core/encryption.js';
import { hashesOfCustomer } from '../payments/customer-of-payment.js';
import { PathId } from '../http/request.decorators.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { type ActivityView } from './activity-views.js';
import { Activity } from './activity.js';
import { ConsoleReader } from './console-reader.js';
import {
  type HealthView,
  type OpenRow,
  type OrderPageView,
  type OverviewView,
  type WaitingOrphanRow,
  type PaymentPageView,
  type PaymentRow,
} from './console-views.js';
import { BreakPages } from './break-page.js';
import { type BreakSidesView } from './break-page.view.js';
import { type PageView } from '../core/page.view.js';
import { BreakOfPspDto } from '../ops/dto/break-act.dto.js';
import { type BreakWithNotesView } from '../reconciliation/reconciliation.view.js';
import { ActivityDto } from './dto/activity.dto.js';
import { OpenOperationsDto, SearchPaymentsDto } from './dto/search-payments.dto.js';
import { OpenOperations } from './open-operations.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { OrderPages } from './order-page.js';
import { HealthPage } from './health-page.js';
import { PaymentPages } from './payment-page.js';

const EXAMPLE = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42';

/** /ops/api: what every operator may read. */
@Controller('ops/api')
export class ConsoleController {
  constructor(
    private readonly reader: ConsoleReader,
    private readonly open: OpenOperations,
    private readonly activity: Activity,
    private readonly pages: PaymentPages,
    private readonly orders: OrderPages,
    private readonly breaks: BreakPages,
    private readonly healthPage: HealthPage,
    private readonly seal: Encryption,
  ) {}

  @Get('overview')
  @ForRole('viewer')
  overview(@CurrentOperator() operator: SignedIn): Promise<OverviewView> {
    return this.reader.overview(operator.id);
  }

  @Get('health')
  @ForRole('viewer')
  health(): Promise<HealthView> {
    return this.healthPage.show();
  }

  @Get('activity')
  @ForRole('viewer')
  charts(@Query() { span = 'hour' }: ActivityDto): Promise<ActivityView> {
    return this.activity.read(span);
  }

  @Get('payments')
  @ForRole('viewer')
  payments(@Query() query: SearchPaymentsDto): Promise<PageView<PaymentRow>> {
    const filter = query.filter((name) => hashesOfCustomer(this.seal, name));
    return this.reader.payments(filter, query.cursor ?? null);
  }

  @Get('payments/:id')
  @ForRole('viewer')
  payment(
    @PathId('payment', EXAMPLE) id: string,
    @CurrentOperator() operator: SignedIn,
  ): Promise<PaymentPageView> {
    return this.pages.show(id, operator);
  }

  @Get('payments/:id/explain')
  @ForRole('viewer')
  explain(
    @PathId('payment', EXAMPLE) id: string,
    @CurrentOperator() operator: SignedIn,
  ): Promise<{ readonly explained: string }> {
    return this.pages.explained(id, operator);
  }

  @Get('orders/:id')
  @ForRole('viewer')
  order(@PathId('order', EXAMPLE) id: string, @CurrentOperator() operator: SignedIn): Promise<OrderPageView> {
    return this.orders.show(id, operator);
  }

  @Get('operations/stuck')
  @ForRole('viewer')
  stuck(@Query() query: OpenOperationsDto): Promise<PageView<OpenRow>> {
    return this.open.list(query.filter('stuck'), query.cursor ?? null);
  }

  /** Those that an operator looks after, off the list for a while. */
  @Get('operations/snoozed')
  @ForRole('viewer')
  snoozed(@Query() query: OpenOperationsDto): Promise<PageView<OpenRow>> {
    return this.open.list(query.filter('snoozed'), query.cursor ?? null);
  }

  @Get('operations/open')
  @ForRole('viewer')
  tried(@Query() query: OpenOperationsDto): Promise<PageView<OpenRow>> {
    return this.open.list(query.filter('open'), query.cursor ?? null);
  }

  /** With both of its sides. */
  @Get('breaks/:id')
  @ForRole('viewer')
  break(
    @PathId('break', EXAMPLE) id: string,
    @Query() { psp }: BreakOfPspDto,
  ): Promise<BreakWithNotesView & BreakSidesView> {
    return this.breaks.show(psp, id);
  }

  @Get('orphans')
  @ForRole('viewer')
  async orphans(): Promise<PageView<WaitingOrphanRow>> {
    return { data: await this.reader.orphans(), next_cursor: null };
  }
}
