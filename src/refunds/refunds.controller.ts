import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { PageDto } from '../http/page.dto.js';
import { CurrentCaller, KeyedBy, MovesMoney, PathId, Scopes } from '../http/request.decorators.js';
import { PageOf } from '../http/view-fields.js';
import { type KeyedAnswer, type RequestContext } from '../core/keyed-request.js';
import { type Caller } from '../core/caller.js';
import { ListRefundsDto } from './dto/list-refunds.dto.js';
import { CreateRefundDto } from './dto/create-refund.dto.js';
import * as example from './refund.examples.js';
import { RefundView } from './refund.view.js';
import { RefundsService } from './refunds.service.js';

const RefundPage = PageOf('RefundPage', RefundView);

/** Refunds of a payment, and a refund by its own id. */
@ApiTags('Refunds')
@Controller('v1')
export class RefundsController {
  constructor(private readonly refunds: RefundsService) {}

  @Post('payments/:id/refunds')
  @Operation({
    id: 'refundPayment',
    summary: 'Refund a payment',
    description:
      'Gives back what was captured, at the PSP that took it. Without `reference` there is one refund of a payment: a second request for it, under any Idempotency-Key, is answered with the first (200, same id, `existing: true`), or 409 `refund_exists` where the amount differs. With `reference` there can be several, each made once. The reference of a refund that failed after the PSP had made it cannot be used again: 409 `refund_reversed`. All refunds together, those under way included, never exceed what was captured.',
    bodies: { all: {}, part: { amount: 400, reference: 'parcel-1', reason: 'returned' } },
    answers: {
      201: [
        RefundView,
        'This request made the refund, and its outcome is final: `succeeded` or `failed`.',
        { succeeded: example.refund, failed: example.refundFailed },
      ],
      200: [
        RefundView,
        'Another request had made this refund, and its outcome is final.',
        { existing: { ...example.refund, existing: true } },
      ],
      202: [
        RefundView,
        'The outcome is not known yet. The service keeps working on it; send the request again with the same Idempotency-Key, or read the refund.',
        { pending: example.refundPending },
      ],
    },
    problems: [
      'not_found',
      'invalid_state',
      'amount_exceeds_refundable',
      'refund_exists',
      'refund_reversed',
      'too_many_operations',
      'payment_disputed',
      'psp_account_changed',
    ],
  })
  @MovesMoney('payments:write')
  create(
    @KeyedBy() context: RequestContext,
    @PathId('payment', example.refund.payment_id) paymentId: string,
    @Body() request: CreateRefundDto,
  ): Promise<KeyedAnswer> {
    return this.refunds.create(context, paymentId, request.toValues());
  }

  @Get('payments/:id/refunds')
  @Operation({
    id: 'listRefunds',
    summary: 'List the refunds of a payment',
    description: 'Newest first. Go on with `next_cursor` while `has_more` is true.',
    answers: {
      200: aPage(RefundPage, example.refund),
    },
    problems: ['not_found'],
  })
  @Scopes('payments:read')
  list(
    @CurrentCaller() caller: Caller,
    @PathId('payment', example.refund.payment_id) paymentId: string,
    @Query() { limit, cursor }: PageDto,
  ): Promise<Page<RefundView>> {
    return this.refunds.list(caller, paymentId, limit, cursor ?? null);
  }

  @Get('refunds')
  @Operation({
    id: 'listAllRefunds',
    summary: 'List refunds',
    description: 'Of all payments, newest first. Go on with `next_cursor` while `has_more` is true.',
    answers: {
      200: aPage(RefundPage, example.refund),
    },
  })
  @Scopes('payments:read')
  listAll(@CurrentCaller() caller: Caller, @Query() query: ListRefundsDto): Promise<Page<RefundView>> {
    const { limit, cursor = null } = query;
    return this.refunds.listAll(caller, query.filter(), limit, cursor);
  }

  @Get('refunds/:id')
  @Operation({
    id: 'getRefund',
    summary: 'Read a refund',
    description: 'As it is now.',
    answers: { 200: [RefundView, 'The refund.', { succeeded: example.refund }] },
    problems: ['not_found'],
  })
  @Scopes('payments:read')
  get(@CurrentCaller() caller: Caller, @PathId('refund', example.refund.id) id: string): Promise<RefundView> {
    return this.refunds.get(caller, id);
  }
}
