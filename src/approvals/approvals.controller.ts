import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { PathId } from '../http/request.decorators.js';
import { Approvals } from './approvals.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { ApprovalDetails } from './approval-details.js';
import { type ApprovalDetailsView, type ApprovalView, type ChangedView } from './approval-views.js';
import { type PageView } from '../core/page.view.js';
import { CorrectLedgerDto } from './dto/correct-ledger.dto.js';
import { ApprovableActionDto, ApproveDto } from './dto/operation.dto.js';
import { type SignedIn } from '../operators/operator-sessions.js';

const EXAMPLE = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e44';

/** /ops/api/approvals: acts that take two people. */
@Controller('ops/api/approvals')
export class ApprovalsController {
  constructor(
    private readonly approvals: Approvals,
    private readonly details: ApprovalDetails,
  ) {}

  @Get()
  @ForRole('viewer')
  async list(): Promise<PageView<ApprovalView>> {
    return { data: await this.approvals.list(), next_cursor: null };
  }

  @Get(':id')
  @ForRole('viewer')
  show(
    @PathId('approval', EXAMPLE) id: string,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ApprovalDetailsView> {
    return this.details.show(id, operator);
  }

  @Post()
  @HttpCode(201)
  @ForRole('operator')
  request(
    @Body() request: ApprovableActionDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ApprovalView> {
    return this.approvals.request(request.action(), operator);
  }

  /** Asks for a correction of the ledger, which another person approves. */
  @Post('corrections')
  @HttpCode(201)
  @ForRole('finance')
  async correct(
    @Body() request: CorrectLedgerDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedView> {
    const { code = null } = request;
    return { approval: await this.approvals.change(request.action(), operator, code) };
  }

  @Post(':id/approve')
  @HttpCode(200)
  @ForRole('approver')
  approve(
    @PathId('approval', EXAMPLE) id: string,
    @Body() { action_hash, code }: ApproveDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ApprovalView> {
    return this.approvals.approve(id, action_hash, operator, code ?? null);
  }

  /** Below an operator one withdraws what one asked for oneself. */
  @Post(':id/decline')
  @HttpCode(200)
  @ForRole('finance')
  decline(
    @PathId('approval', EXAMPLE) id: string,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ApprovalView> {
    return this.approvals.decline(id, operator);
  }
}
