import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { CurrentCaller, KeyedBy, MovesMoney, PathId, Scopes } from '../http/request.decorators.js';
import { PageOf } from '../http/view-fields.js';
import { type KeyedAnswer, type RequestContext } from '../core/keyed-request.js';
import { type Caller } from '../core/caller.js';
import { CreatePayoutDto } from './dto/create-payout.dto.js';
import { ListPayoutsDto } from './dto/list-payouts.dto.js';
import * as example from './payout.examples.js';
import { PayoutView } from './payout.view.js';
import { PayoutsService } from './payouts.service.js';

const PayoutPage = PageOf('PayoutPage', PayoutView);

/** /v1/payouts: parse, call one flow, present. A key that may send money out may see what became of it. */
@ApiTags('Payouts')
@Controller('v1/payouts')
export class PayoutsController {
  constructor(private readonly payouts: PayoutsService) {}

  @Post()
  @Operation({
    id: 'createPayout',
    summary: 'Send a payout',
    description:
      'Sends money out, at most once whatever fails. The payouts to a recipient follow one another: name the last one that ended as `previous`, or null for the first. While one has not ended the next is answered 409 `payout_in_progress`; where another one has ended since, 409 `payout_sequence_stale`. Nothing is stored then, and `payout_id` names the last payout. Read it, and follow `previous` back to the payout that you named: one of them may be the payout that you want to send. What is more than you may pay out in a day is answered 409 `payout_limit_exceeded`, and `limit` says which limit it is. Where you pay out to registered recipients alone, another recipient or other tokens are answered 409 `recipient_not_registered`, and one that nobody has approved yet 409 `recipient_not_approved`. So a payout that is requested twice, under whatever keys, is made once.',
    bodies: { next: example.payoutRequest, first: example.firstPayoutRequest },
    answers: {
      201: [
        PayoutView,
        'The payout has ended: `paid`, or `failed` with nothing paid and `failure` saying why.',
        { paid: example.paid, failed: example.payoutFailed },
      ],
      202: [
        PayoutView,
        'The outcome is not known yet. The service keeps working on it; send the request again with the same Idempotency-Key, or read the payout.',
        { processing: example.payoutProcessing },
      ],
    },
    problems: [
      'no_route',
      'psp_account_refused',
      'payout_in_progress',
      'payout_sequence_stale',
      'payout_limit_exceeded',
      'recipient_not_registered',
      'recipient_not_approved',
      'commits_may_be_lost',
    ],
  })
  @MovesMoney('payouts:write')
  create(@KeyedBy() context: RequestContext, @Body() request: CreatePayoutDto): Promise<KeyedAnswer> {
    return this.payouts.create(context, request.toValues());
  }

  @Get()
  @Operation({
    id: 'listPayouts',
    summary: 'List payouts',
    description: 'Newest first. Go on with `next_cursor` while `has_more` is true.',
    answers: {
      200: aPage(PayoutPage, example.paid),
    },
  })
  @Scopes('payments:read', 'payouts:write')
  list(@CurrentCaller() caller: Caller, @Query() query: ListPayoutsDto): Promise<Page<PayoutView>> {
    const { limit, cursor = null } = query;
    return this.payouts.list(caller, query.filter(), limit, cursor);
  }

  @Get(':id')
  @Operation({
    id: 'getPayout',
    summary: 'Read a payout',
    description: 'As it is now.',
    answers: { 200: [PayoutView, 'The payout.', { paid: example.paid }] },
    problems: ['not_found'],
  })
  @Scopes('payments:read', 'payouts:write')
  get(@CurrentCaller() caller: Caller, @PathId('payout', example.paid.id) id: string): Promise<PayoutView> {
    return this.payouts.get(caller, id);
  }
}
