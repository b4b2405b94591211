import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { PathId } from '../http/request.decorators.js';
import { Recipients } from '../payouts/recipients.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { type PageView } from '../core/page.view.js';
import { CursorDto } from './dto/search-payments.dto.js';
import { ApproveRecipientDto, RecipientIdDto } from './dto/merchants.dto.js';
import { InstallationReader } from './installation-reader.js';
import { type RecipientRow } from './installation-views.js';
import { actorOf } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';

const MerchantId = () => PathId('merchant', '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e46');
const PAGE = 50;

/** /ops/api/merchants/:id/recipients: whom a merchant pays out to, and who approved it. */
@Controller('ops/api/merchants/:id/recipients')
export class ConsoleRecipientsController {
  constructor(
    private readonly reader: InstallationReader,
    private readonly recipients: Recipients,
  ) {}

  @Get()
  @ForRole('viewer')
  async list(
    @MerchantId() merchantId: string,
    @Query() { cursor }: CursorDto,
  ): Promise<PageView<RecipientRow>> {
    const { merchant } = await this.reader.merchant(merchantId);
    const of = {
      merchantId,
      payoutRecipients: merchant.settings.payout_recipients,
      isTest: merchant.is_test,
    };
    const { data, next_cursor } = await this.recipients.list(of, undefined, PAGE, cursor ?? null);
    return { data, next_cursor };
  }

  @Post('approve')
  @HttpCode(200)
  @ForRole('approver')
  async approve(
    @MerchantId() merchantId: string,
    @Body() request: ApproveRecipientDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<PageView<RecipientRow>> {
    await this.recipients.approve(merchantId, request, operator);
    return this.list(merchantId, {});
  }

  @Post('remove')
  @HttpCode(200)
  @ForRole('approver')
  async remove(
    @MerchantId() merchantId: string,
    @Body() { id }: RecipientIdDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<PageView<RecipientRow>> {
    await this.recipients.remove(merchantId, id, actorOf(operator), operator.sourceAddress);
    return this.list(merchantId, {});
  }
}
