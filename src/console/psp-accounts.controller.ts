import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { Approvals } from '../approvals/approvals.js';
import { type ChangedView } from '../approvals/approval-views.js';
import { type PageView } from '../core/page.view.js';
import {
  AddAccountDto,
  ChangeAccountDto,
  DisableAccountDto,
  NamePspDto,
  RouteExampleDto,
  SetBreakerDto,
  RoutingOfDto,
  SetRoutingDto,
} from './dto/psp-accounts.dto.js';
import {
  type AdapterView,
  type ConnectionView,
  type PspAccountRow,
  type RoutingRulesView,
  type RoutingView,
  type StoredPspRow,
} from './installation-views.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { type StoredPspView, PspAdministration } from '../psp-accounts/psp-administration.js';
import { RoutingAdministration } from '../psp-accounts/routing-administration.js';
import { actorOf } from '../operators/action-log.js';
import { adapters } from '../psp/registry.js';
import { PspAccounts } from './psp-accounts.js';
import { SettingActs } from '../approvals/setting-actions.js';

const adapterViews: readonly AdapterView[] = adapters
  .filter(({ speaksInFiles }) => speaksInFiles !== true)
  .map(({ adapter, publicUrl, credentials }) => ({
    adapter,
    public_url: publicUrl,
    credentials: credentials.map(({ name, required, secret }) => ({ name, required, secret })),
  }));

/** /ops/api/psps: PSP accounts, where a payment would go, and breakers by hand. */
@Controller('ops/api/psps')
export class PspAccountsController {
  constructor(
    private readonly accounts: PspAccounts,
    private readonly administration: PspAdministration,
    private readonly routing: RoutingAdministration,
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

  /** Asks the PSP, by the credentials of the account, for something that changes nothing. */
  @Post('check')
  @HttpCode(200)
  @ForRole('operator')
  check(@Body() { psp }: NamePspDto): Promise<ConnectionView> {
    return this.accounts.check(psp);
  }

  /** Adapters, and what accounts of them are written with. */
  @Get('adapters')
  @ForRole('admin')
  adapters(): PageView<AdapterView> {
    return { data: adapterViews, next_cursor: null };
  }

  @Get('accounts')
  @ForRole('admin')
  async stored(@Query() { psp }: NamePspDto): Promise<StoredPspRow> {
    return rowOf(await this.administration.show(psp));
  }

  /** The same for an account that is not stored yet. */
  @Post('accounts/check')
  @HttpCode(200)
  @ForRole('admin')
  async checkNew(@Body() { account }: AddAccountDto): Promise<ConnectionView> {
    return this.accounts.checked(await this.administration.foresee(account));
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
    @Body() { merchant_id: merchantId, routing: { rules: given = null }, replaces, code }: SetRoutingDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedView> {
    const rules = await this.routing.check(merchantId, given, replaces);
    const action = { kind: 'set_routing', merchant_id: merchantId, rules, replaces } as const;
    return { approval: await this.approvals.change(action, operator, code ?? null) };
  }

  /** The rules of a merchant, or those for all, and how they came to be. */
  @Get('routing')
  @ForRole('viewer')
  routingRules(@Query() { merchant_id: merchantId }: RoutingOfDto): Promise<RoutingRulesView> {
    return this.accounts.rulesOf(merchantId ?? null);
  }
}

function rowOf(view: StoredPspView): StoredPspRow {
  const { disabledAt, changedAt, baseUrl, timeoutMs, ...account } = view;
  return {
    ...account,
    base_url: baseUrl,
    timeout_ms: timeoutMs,
    disabled_at: disabledAt?.toISOString() ?? null,
    changed_at: changedAt.toISOString(),
  };
}
