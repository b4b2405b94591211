import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import {
  type ActionVerdictView,
  type RetryView,
  type SnoozeView,
  type VerdictView,
} from './approval-views.js';
import { ApprovableActionDto, NoteDto, OperationDto, SnoozeDto, VerdictDto } from './dto/operation.dto.js';
import { OperatorActions } from './actions.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { Snoozes } from './snoozes.js';

/** /ops/api/operations: what may be done about those that are not decided. */
@Controller('ops/api/operations')
export class OperationsController {
  constructor(
    private readonly actions: OperatorActions,
    private readonly snoozes: Snoozes,
  ) {}

  /** Previews a retry, or a lookup alone; changes nothing. */
  @Post('verdict')
  @HttpCode(200)
  @ForRole('viewer')
  verdict(@Body() request: VerdictDto): Promise<VerdictView> {
    return this.actions.verdict(request.named(), request.act ?? 'retry');
  }

  @Post('retry')
  @HttpCode(200)
  @ForRole('operator')
  retry(@Body() request: OperationDto, @CurrentOperator() operator: SignedIn): Promise<RetryView> {
    return this.actions.ask(request.named(), 'retry', operator);
  }

  /** Asks the PSP what became of the operation; nothing else is sent. */
  @Post('look-up')
  @HttpCode(200)
  @ForRole('operator')
  lookUp(@Body() request: OperationDto, @CurrentOperator() operator: SignedIn): Promise<RetryView> {
    return this.actions.ask(request.named(), 'look_up', operator);
  }

  @Post('snooze')
  @HttpCode(200)
  @ForRole('operator')
  snooze(@Body() request: SnoozeDto, @CurrentOperator() operator: SignedIn): Promise<SnoozeView> {
    return this.snoozes.add(request.named(), request.snooze(), operator);
  }

  @Post('wake')
  @HttpCode(200)
  @ForRole('operator')
  async wake(@Body() request: OperationDto, @CurrentOperator() operator: SignedIn): Promise<object> {
    await this.snoozes.end(request.named(), operator);
    return {};
  }

  @Post('note')
  @HttpCode(200)
  @ForRole('operator')
  async note(@Body() request: NoteDto, @CurrentOperator() operator: SignedIn): Promise<object> {
    await this.actions.note(request.named(), request.note, operator);
    return {};
  }

  /** Previews an action that needs approval; changes nothing. */
  @Post('action-verdict')
  @HttpCode(200)
  @ForRole('viewer')
  actionVerdict(
    @Body() request: ApprovableActionDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ActionVerdictView> {
    return this.actions.foresee(request.action(), operator);
  }
}
