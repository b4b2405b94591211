import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { objectId } from '../http/authentication.js';
import { PathId } from '../http/request.decorators.js';
import { ApiKeysService, type IssuedApiKey } from '../merchants/api-keys.service.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { PAYOUTS } from '../core/caller.js';
import { settingKeyOf } from '../core/merchant-settings.js';
import { settingValueOf } from '../core/setting-value.js';
import { prefixOf } from '../merchants/new-api-key.js';
import { PayoutLimits } from '../merchants/payout-limits.js';
import { Approvals } from '../approvals/approvals.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { type ChangedView } from '../approvals/approval-views.js';
import { type PageView } from '../core/page.view.js';
import { CursorDto } from './dto/search-payments.dto.js';
import {
  ApiKeyIdDto,
  CreateApiKeyDto,
  CreateMerchantDto,
  NamePayoutLimitDto,
  RotateApiKeyDto,
  SetPayoutLimitDto,
  SetSettingDto,
} from './dto/merchants.dto.js';
import { InstallationReader } from './installation-reader.js';
import { type MerchantPageView, type MerchantRow, type NewApiKeyView } from './installation-views.js';
import { actorOf } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';

const EXAMPLE = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e46';
const MerchantId = () => PathId('merchant', EXAMPLE);

/** /ops/api/merchants: merchants, their settings, API keys and limits. What each act changed is in the audit. */
@Controller('ops/api/merchants')
export class ConsoleMerchantsController {
  constructor(
    private readonly reader: InstallationReader,
    private readonly merchants: MerchantsService,
    private readonly apiKeys: ApiKeysService,
    private readonly limits: PayoutLimits,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  @ForRole('viewer')
  list(@Query() { cursor }: CursorDto): Promise<PageView<MerchantRow>> {
    return this.reader.merchants(cursor ?? null);
  }

  @Get(':id')
  @ForRole('viewer')
  async get(@MerchantId() id: string): Promise<MerchantPageView> {
    return { ...(await this.reader.merchant(id)), payout_limits: await this.limits.list(id) };
  }

  @Post()
  @HttpCode(200)
  @ForRole('admin')
  async create(
    @Body() { name }: CreateMerchantDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<MerchantPageView> {
    return this.get((await this.merchants.create(name, undefined, actorOf(operator))).id);
  }

  @Post(':id/name')
  @HttpCode(200)
  @ForRole('admin')
  async rename(
    @MerchantId() id: string,
    @Body() { name }: CreateMerchantDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<MerchantPageView> {
    await this.merchants.rename(id, name, actorOf(operator));
    return this.get(id);
  }

  @Post(':id/settings')
  @HttpCode(200)
  @ForRole('admin')
  async set(
    @MerchantId() id: string,
    @Body() { name, value, code }: SetSettingDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedView> {
    const key = settingKeyOf(name);
    if (key === 'payoutRecipients') {
      const rule = settingValueOf(key, value);
      const action = { kind: 'set_payout_recipients', merchant_id: id, rule } as const;
      return { approval: await this.approvals.change(action, operator, code ?? null) };
    }
    await this.merchants.set(id, key, value, actorOf(operator));
    return { approval: null };
  }

  @Post(':id/keys')
  @HttpCode(200)
  @ForRole('admin')
  async createApiKey(
    @MerchantId() id: string,
    @Body() { scopes, expires_in_hours, needs_certificate, test = false, code }: CreateApiKeyDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<NewApiKeyView> {
    const actor = actorOf(operator);
    const owner = test ? (await this.merchants.testModeOf(id, actor)).id : id;
    return this.newKey(owner, scopes, { operator, code }, (withoutPayouts) =>
      this.apiKeys.create(owner, scopes, actor, {
        hours: expires_in_hours ?? null,
        needsCertificate: needs_certificate ?? false,
        withoutPayouts,
      }),
    );
  }

  /** A key on the terms of the one that it replaces. */
  @Post(':id/keys/rotate')
  @HttpCode(200)
  @ForRole('admin')
  async rotateApiKey(
    @MerchantId() merchantId: string,
    @Body() { id: replaced, grace_hours: graceHours, code }: RotateApiKeyDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<NewApiKeyView> {
    const keys = await this.apiKeys.list(merchantId);
    const old = keys.find(({ id }) => id === objectId(replaced));
    return this.newKey(merchantId, old?.scopes ?? [], { operator, code }, (withoutPayouts) =>
      this.apiKeys.rotate(merchantId, replaced, graceHours, actorOf(operator), { withoutPayouts }),
    );
  }

  /** A key that is to pay out gets that scope once another person has approved it. */
  private async newKey(
    merchantId: string,
    scopes: readonly string[],
    { operator, code }: { readonly operator: SignedIn; readonly code: string | undefined },
    make: (withoutPayouts: boolean) => Promise<IssuedApiKey>,
  ): Promise<NewApiKeyView> {
    const paysOut = scopes.includes(PAYOUTS);
    const takesTwo = paysOut && (await this.approvals.confirmPayouts(merchantId, operator, code ?? null));
    // The key that is replaced may have got the scope meanwhile: the new one has it only where this was asked for.
    const { id, key } = await make(takesTwo || !paysOut);
    const named = { merchant_id: merchantId, api_key: id, prefix: prefixOf(key) };
    const approval = takesTwo
      ? await this.approvals.request({ kind: 'allow_payouts', ...named }, operator)
      : null;
    return { id, key, merchant_id: merchantId, approval };
  }

  @Post(':id/keys/revoke')
  @HttpCode(200)
  @ForRole('admin')
  async revokeApiKey(
    @MerchantId() merchantId: string,
    @Body() { id }: ApiKeyIdDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<MerchantPageView> {
    await this.apiKeys.revoke(merchantId, id, actorOf(operator));
    return this.get(merchantId);
  }

  @Post(':id/payout-limits')
  @HttpCode(200)
  @ForRole('admin')
  async setPayoutLimit(
    @MerchantId() merchantId: string,
    @Body() request: SetPayoutLimitDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedView> {
    const action = { kind: 'set_payout_limit', merchant_id: merchantId, ...request.limit() } as const;
    return { approval: await this.approvals.change(action, operator, request.code ?? null) };
  }

  @Post(':id/payout-limits/remove')
  @HttpCode(200)
  @ForRole('admin')
  async removePayoutLimit(
    @MerchantId() merchantId: string,
    @Body() { currency, per, code }: NamePayoutLimitDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedView> {
    const action = { kind: 'remove_payout_limit', merchant_id: merchantId, currency, per } as const;
    return { approval: await this.approvals.change(action, operator, code ?? null) };
  }
}
