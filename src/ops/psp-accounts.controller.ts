import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentOperator, ForRole } from './console-access.js';
import { type PageView } from './console-views.js';
import { RouteExampleDto, SetBreakerDto } from './dto/psp-accounts.dto.js';
import { type PspAccountRow, type RoutingView } from './installation-views.js';
import { type SignedIn } from './operator-sessions.js';
import { PspAccounts } from './psp-accounts.js';

/** /ops/api/psps: PSP accounts, where a payment would go, and breakers by hand. */
@Controller('ops/api/psps')
export class PspAccountsController {
  constructor(private readonly accounts: PspAccounts) {}

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
    return this.accounts.route(request.facts(), request.tokens ?? null);
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
}
