import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { type ChangedView } from '../approvals/approval-views.js';
import { Approvals } from '../approvals/approvals.js';
import { type PageView } from '../core/page.view.js';
import { Problem } from '../core/problem.js';
import { actorOf } from '../operators/action-log.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { OperatorSessions, type SignedIn } from '../operators/operator-sessions.js';
import { Operators } from '../operators/operators.js';
import { InviteOperatorDto, OperatorDto } from './dto/operators.dto.js';
import { InstallationReader } from './installation-reader.js';
import { type OperatorRow } from './installation-views.js';

/** /ops/api/operators: the people who sign in to the console, kept by administrators. */
@Controller('ops/api/operators')
export class ConsoleOperatorsController {
  constructor(
    private readonly reader: InstallationReader,
    private readonly approvals: Approvals,
    private readonly operators: Operators,
    private readonly sessions: OperatorSessions,
  ) {}

  @Get()
  @ForRole('viewer')
  list(): Promise<PageView<OperatorRow>> {
    return this.reader.operators();
  }

  /** Another person approves it, where there is one who may. */
  @Post()
  @HttpCode(200)
  @ForRole('admin')
  async invite(
    @Body() request: InviteOperatorDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedView> {
    return { approval: await this.approvals.change(request.action(), operator, request.code ?? null) };
  }

  /** Takes password and authenticator away; as `invite`. */
  @Post('reset')
  @HttpCode(200)
  @ForRole('admin')
  async reset(@Body() request: OperatorDto, @CurrentOperator() operator: SignedIn): Promise<ChangedView> {
    return { approval: await this.approvals.change(request.reset(), operator, request.code ?? null) };
  }

  /** The token of a link for an operator without credentials, shown this once. */
  @Post('link')
  @HttpCode(200)
  @ForRole('admin')
  async link(
    @Body() { name, code }: OperatorDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<{ readonly token: string }> {
    await this.sessions.confirm(operator, code ?? null);
    return { token: await this.operators.newcomerLink(name, actorOf(operator)) };
  }

  /** Disables an operator at once, by one administrator. The disabled one still counts as a second person (ADR 0194). */
  @Post('disable')
  @HttpCode(200)
  @ForRole('admin')
  async disable(
    @Body() { name, code }: OperatorDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<PageView<OperatorRow>> {
    if (name === operator.name) {
      throw new Problem('invalid_state', 'Another administrator disables you, or the command line.');
    }
    await this.sessions.confirm(operator, code ?? null);
    await this.operators.disable(name, actorOf(operator));
    return this.list();
  }
}
