import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { CurrentCaller, KeyedBy, MovesMoney, PathId, Scopes } from '../http/request.decorators.js';
import { PageOf } from '../http/view-fields.js';
import { type KeyedAnswer, type RequestContext } from '../core/keyed-request.js';
import { type Caller } from '../core/caller.js';
import { CaptureView } from './capture.view.js';
import { CancelPaymentDto } from './dto/cancel-payment.dto.js';
import { CapturePaymentDto } from './dto/capture-payment.dto.js';
import { CompletePaymentDto } from './dto/complete-payment.dto.js';
import { CreatePaymentDto } from './dto/create-payment.dto.js';
import { ListDisputesDto } from './dto/list-disputes.dto.js';
import { ListPaymentsDto } from './dto/list-payments.dto.js';
import { DisputeView } from './dispute.view.js';
import * as example from './payment.examples.js';
import { AttemptView, PaymentView } from './payment.view.js';
import { PaymentsService } from './payments.service.js';

const PaymentPage = PageOf('PaymentPage', PaymentView);
const AttemptPage = PageOf('AttemptPage', AttemptView);
const CapturePage = PageOf('CapturePage', CaptureView);

const atRest =
  'The outcome is known. A declined payment is created too: `status` is `failed` and `failure` says why.';
const underWay =
  'The outcome is not known yet. `processing`: the service keeps working on it; send the request again with the same Idempotency-Key, or read the payment. `requires_action`: it waits for the customer, and `next_action` says where to send them.';

const DisputePage = PageOf('DisputePage', DisputeView);

/** Disputes of all payments. */
@ApiTags('Payments')
@Controller('v1/disputes')
export class DisputesController {
  constructor(private readonly payments: PaymentsService) {}

  @Get()
  @Operation({
    id: 'listDisputes',
    summary: 'List disputes',
    description: 'Of all payments, the newest first. Go on with `next_cursor` while `has_more` is true.',
    answers: { 200: aPage(DisputePage, example.dispute) },
  })
  @Scopes('payments:read')
  list(
    @CurrentCaller() caller: Caller,
    @Query() { status, limit, cursor }: ListDisputesDto,
  ): Promise<Page<DisputeView>> {
    return this.payments.disputes(caller, status ?? null, limit, cursor ?? null);
  }
}

/** /v1/payments: parse, call one flow, present. */
@ApiTags('Payments')
@Controller('v1/payments')
export class PaymentsController {
  constructor(private readonly payments: PaymentsService) {}

  @Post()
  @Operation({
    id: 'createPayment',
    summary: 'Create a payment',
    description:
      'Charges, or with `capture: manual` authorizes. Whatever fails on the way, the customer is charged at most once: send the request again with the same Idempotency-Key until it answers 201. Where the merchant has a duplicate window, a second payment of the same customer (or of a guest: give each order of a guest a reference of its own), amount, currency and reference within it, under another key, is answered 409 `probable_duplicate`; `payment_id` names the first one, and nothing is stored. One that has `failed` or is `canceled` does not count. To take the second one all the same, send it with `allow_duplicate: true`; beside one that is `processing` or `requires_action` none is taken, and beside one of a named customer that is `processing` none after the window either.',
    bodies: {
      everything: example.paymentRequest,
      smallest: example.smallestPaymentRequest,
      bank_redirect: example.bankRedirectRequest,
      bank_debit: example.bankDebitRequest,
      again: example.meantTwice,
    },
    answers: {
      201: [
        PaymentView,
        atRest,
        { captured: example.captured, declined: example.declined, authorized: example.authorized },
      ],
      202: [
        PaymentView,
        underWay,
        { processing: example.processing, redirect: example.redirect, library: example.library },
      ],
    },
    problems: [
      'commits_may_be_lost',
      'no_route',
      'psp_account_refused',
      'probable_duplicate',
      'order_paid',
      'order_in_doubt',
      'order_changed',
      'amount_exceeds_order',
    ],
  })
  @MovesMoney('payments:write')
  create(@KeyedBy() context: RequestContext, @Body() request: CreatePaymentDto): Promise<KeyedAnswer> {
    return this.payments.create(context, request.toValues());
  }

  @Get()
  @Operation({
    id: 'listPayments',
    summary: 'List payments',
    description: 'Newest first. Go on with `next_cursor` while `has_more` is true.',
    answers: {
      200: aPage(PaymentPage, example.captured),
    },
  })
  @Scopes('payments:read')
  list(@CurrentCaller() caller: Caller, @Query() query: ListPaymentsDto): Promise<Page<PaymentView>> {
    const { limit, cursor = null } = query;
    return this.payments.list(caller, query.filter(), limit, cursor);
  }

  @Get(':id')
  @Operation({
    id: 'getPayment',
    summary: 'Read a payment',
    description: 'As it is now.',
    answers: { 200: [PaymentView, 'The payment.', { captured: example.captured }] },
    problems: ['not_found'],
  })
  @Scopes('payments:read')
  get(
    @CurrentCaller() caller: Caller,
    @PathId('payment', example.captured.id) id: string,
  ): Promise<PaymentView> {
    return this.payments.get(caller, id);
  }

  @Get(':id/attempts')
  @Operation({
    id: 'listAttempts',
    summary: 'List attempts',
    description: 'Every call to a PSP for this payment, by route, with its outcome.',
    answers: {
      200: [
        AttemptPage,
        'Every attempt of the payment.',
        { one: { data: [example.attempt], has_more: false, next_cursor: null } },
      ],
    },
    problems: ['not_found'],
  })
  @Scopes('payments:read')
  attempts(
    @CurrentCaller() caller: Caller,
    @PathId('payment', example.captured.id) id: string,
  ): Promise<Page<AttemptView>> {
    return this.payments.attempts(caller, id);
  }

  @Get(':id/captures')
  @Operation({
    id: 'listCaptures',
    summary: 'List captures',
    description: 'Every capture of this payment, the newest first. A payment that charges at once has none.',
    answers: { 200: aPage(CapturePage, example.capture) },
    problems: ['not_found'],
  })
  @Scopes('payments:read')
  captures(
    @CurrentCaller() caller: Caller,
    @PathId('payment', example.captured.id) id: string,
  ): Promise<Page<CaptureView>> {
    return this.payments.captures(caller, id);
  }

  @Post(':id/capture')
  @Operation({
    id: 'capturePayment',
    summary: 'Capture an authorized payment',
    description:
      'All of it, or with `amount` a part. With `reference` it is one of several captures, each done once. `final` says whether the rest is released.',
    bodies: { part: { amount: 400 }, parcel: { amount: 400, reference: 'parcel-1' }, all: {} },
    answers: {
      200: [PaymentView, atRest, { captured: example.captured }],
      202: [PaymentView, underWay, { processing: example.processing }],
    },
    problems: [
      'not_found',
      'invalid_state',
      'capture_in_parts_unsupported',
      'amount_exceeds_authorized',
      'too_many_operations',
      'psp_account_changed',
    ],
  })
  @MovesMoney('payments:write')
  capture(
    @KeyedBy() context: RequestContext,
    @PathId('payment', example.captured.id) id: string,
    @Body() request: CapturePaymentDto,
  ): Promise<KeyedAnswer> {
    return this.payments.capture(context, id, request.toValues());
  }

  @Post(':id/complete')
  @Operation({
    id: 'completePayment',
    summary: 'Complete a payment after its customer acted',
    description:
      'For a payment with status `requires_action`, once the customer has come back: sends the details to its PSP, or reads the outcome there where the PSP knows it. At Adyen the issuer decides only after this call. A payment whose outcome is known is answered as it is. Another action may follow (a challenge after a fingerprint): complete it with its own details under a new Idempotency-Key.',
    bodies: { redirect: { details: { redirectResult: 'X6XtfGC3!Y' } } },
    answers: {
      200: [PaymentView, atRest, { captured: example.captured, declined: example.declined }],
      202: [
        PaymentView,
        'The outcome is not known yet, or the customer has to act once more.',
        { processing: example.processing, library: example.library },
      ],
    },
    problems: ['not_found', 'invalid_state', 'details_refused'],
  })
  @MovesMoney('payments:write')
  complete(
    @KeyedBy() context: RequestContext,
    @PathId('payment', example.captured.id) id: string,
    @Body() request: CompletePaymentDto,
  ): Promise<KeyedAnswer> {
    return this.payments.complete(context, id, request.toValues());
  }

  @Post(':id/cancel')
  @Operation({
    id: 'cancelPayment',
    summary: 'Cancel an authorized payment',
    description:
      'Voids the authorization, or what is left of it after captures, so that the customer can use the money again at once.',
    bodies: { nothing: {} },
    answers: {
      200: [PaymentView, atRest, { canceled: example.canceled }],
      202: [PaymentView, underWay, { processing: example.processing }],
    },
    problems: ['not_found', 'invalid_state', 'too_many_operations', 'psp_account_changed'],
  })
  @MovesMoney('payments:write')
  cancel(
    @KeyedBy() context: RequestContext,
    @PathId('payment', example.captured.id) id: string,
    @Body() _nothing: CancelPaymentDto,
  ): Promise<KeyedAnswer> {
    return this.payments.cancel(context, id);
  }
}
