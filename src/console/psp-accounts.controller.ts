import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { Approvals } from '../approvals/approvals.js';
import { type ChangedView } from '../approvals/approval-views.js';
import { type PageView } from '../core/page.view.js';
import {
  AddAccountDto,
  ChangeAccountDto,
  DisableAccountDto,
  RouteExampleDto,
  SetBreakerDto,
  SetRoutingDto,
} from './dto/psp-accounts.dto.js';
import { type PspAccountRow, type RoutingView, type StoredPspRow } from './installation-views.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { type StoredPspView, PspAdministration } from '../psp-accounts/psp-administration.js';
import { type RoutingRule } from '../psp/router.js';
import { actorOf } from '../operators/action-log.js';
import { PspAccounts } from './psp-accounts.js';
import { SettingActs } from '../approvals/setting-actions.js';

/** /ops/api/psps: PSP accounts, where a payment would go, and breakers by hand. */
@Controller('ops/api/psps')
export class PspAccountsController {
  constructor(
    private readonly accounts: PspAccounts,
    private readonly administration: PspAdministration,
    private readonly settings: SettingActs,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  @ForRole('viewer')
  async list(): Promise<PageView<PspAccountRow>> {
    return { data: await this.accounts.list(), next_cursor: null };
  }

  /** Which PSP would get such a payment; nothing is made. */
  @Post('route')
  @HttpCode(200)
  @ForRole('viewer')
  route(@Body() request: RouteExampleDto): Promise<RoutingView> {
    return this.accounts.route(request.facts(), request.tokens ?? null, request.merchant_id ?? null);
  }

  @Post('breaker')
  @HttpCode(200)
  @ForRole('operator')
  async setBreaker(
    @Body() request: SetBreakerDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<PageView<PspAccountRow>> {
    await this.accounts.setBreaker(request.psp, request.open, request.reason(), operator);
    return this.list();
  }

  /** Stores an account; it holds in all processes within 10 s. */
  @Post('accounts')
  @HttpCode(200)
  @ForRole('admin')
  async add(
    @Body() { account }: AddAccountDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<StoredPspRow> {
    return rowOf(await this.administration.add(account, actorOf(operator)));
  }

  @Post('accounts/change')
  @HttpCode(200)
  @ForRole('admin')
  async change(
    @Body() { psp, change, code }: ChangeAccountDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedView> {
    const action = await this.settings.ofAccount(psp, change);
    return { approval: await this.approvals.change(action, operator, code ?? null) };
  }

  @Post('accounts/disable')
  @HttpCode(200)
  @ForRole('admin')
  async disable(
    @Body() { psp, disabled }: DisableAccountDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<StoredPspRow> {
    return rowOf(await this.administration.setDisabled(psp, disabled, actorOf(operator)));
  }

  @Post('routing')
  @HttpCode(200)
  @ForRole('admin')
  async setRouting(
    @Body() { merchant_id: merchantId, routing: { rules = null } }: SetRoutingDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<{ rules: readonly RoutingRule[] | null }> {
    return { rules: await this.administration.setRouting(merchantId, rules, actorOf(operator)) };
  }
}

function rowOf({ disabledAt, changedAt, ...account }: StoredPspView): StoredPspRow {
  return {
    ...account,
    disabled_at: disabledAt?.toISOString() ?? null,
    changed_at: changedAt.toISOString(),
  };
}
