import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { from, map, type Observable } from 'rxjs';
import { Call } from '../grpc/call.js';
import { CurrentCall, MoneyRpc, ReadingRpc } from '../grpc/grpc.decorators.js';
import {
  type IdMessage,
  type Message,
  objectOf,
  pageMessage,
  readMessage,
  readQuery,
} from '../grpc/message.js';
import { objectId } from '../http/authentication.js';
import { parseRequest } from '../http/request.pipe.js';
import { CancelPaymentDto } from './dto/cancel-payment.dto.js';
import { CapturePaymentDto } from './dto/capture-payment.dto.js';
import { CompletePaymentDto } from './dto/complete-payment.dto.js';
import { CreatePaymentDto } from './dto/create-payment.dto.js';
import { ListDisputesDto } from './dto/list-disputes.dto.js';
import { ListPaymentsDto } from './dto/list-payments.dto.js';
import {
  attemptMessage,
  captureMessage,
  disputeMessage,
  paymentChoices,
  paymentFilterChoices,
  paymentMessage,
  paymentResponse,
} from './payment.message.js';
import { PaymentWatch } from './payment-watch.js';
import { PaymentsService } from './payments.service.js';

/** payonce.v1.Payments: the operations of /v1/payments, with their DTOs and their service. */
@Controller()
export class PaymentsGrpc {
  constructor(
    private readonly payments: PaymentsService,
    private readonly watcher: PaymentWatch,
  ) {}

  @MoneyRpc('Payments', 'Create', 'payments:write')
  create(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const request = parseRequest(CreatePaymentDto, readMessage(message, paymentChoices));
    return call.answer(this.payments.create(call.context, request.toValues()), paymentResponse);
  }

  @ReadingRpc('Payments', 'Get', 'payments:read')
  async get(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return paymentResponse(await this.payments.get(call.caller, objectId(id)));
  }

  @ReadingRpc('Payments', 'List', 'payments:read')
  async list(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const query = parseRequest(ListPaymentsDto, readQuery(message, paymentFilterChoices));
    const { limit, cursor = null } = query;
    return pageMessage(await this.payments.list(call.caller, query.filter(), limit, cursor), paymentMessage);
  }

  @ReadingRpc('Payments', 'ListAttempts', 'payments:read')
  async listAttempts(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return pageMessage(await this.payments.attempts(call.caller, objectId(id)), attemptMessage);
  }

  @ReadingRpc('Payments', 'ListCaptures', 'payments:read')
  async listCaptures(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return pageMessage(await this.payments.captures(call.caller, objectId(id)), captureMessage);
  }

  @ReadingRpc('Payments', 'ListDisputes', 'payments:read')
  async listDisputes(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const { status = null, limit, cursor = null } = parseRequest(ListDisputesDto, readQuery(message));
    return pageMessage(await this.payments.disputes(call.caller, status, limit, cursor), disputeMessage);
  }

  @MoneyRpc('Payments', 'Capture', 'payments:write')
  capture(@CurrentCall() call: Call, @Payload() { id, ...message }: IdMessage): Promise<Message> {
    const [paymentId, request] = [objectId(id), parseRequest(CapturePaymentDto, readMessage(message))];
    return call.answer(this.payments.capture(call.context, paymentId, request.toValues()), paymentResponse);
  }

  @MoneyRpc('Payments', 'Complete', 'payments:write')
  complete(@CurrentCall() call: Call, @Payload() { id, details }: IdMessage): Promise<Message> {
    const paymentId = objectId(id);
    const fields = readMessage(details === undefined ? {} : { details: objectOf(details) });
    const request = parseRequest(CompletePaymentDto, fields);
    return call.answer(this.payments.complete(call.context, paymentId, request.toValues()), paymentResponse);
  }

  @MoneyRpc('Payments', 'Cancel', 'payments:write')
  cancel(@CurrentCall() call: Call, @Payload() { id, ...message }: IdMessage): Promise<Message> {
    const paymentId = objectId(id);
    parseRequest(CancelPaymentDto, readMessage(message));
    return call.answer(this.payments.cancel(call.context, paymentId), paymentResponse);
  }

  @ReadingRpc('Payments', 'Watch', 'payments:read')
  watch(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Observable<Message> {
    return from(this.watcher.watch(call.caller, objectId(id), call.ended)).pipe(map(paymentResponse));
  }
}
