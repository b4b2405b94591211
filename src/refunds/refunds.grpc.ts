import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Call } from '../grpc/call.js';
import { CurrentCall, MoneyRpc, ReadingRpc } from '../grpc/grpc.decorators.js';
import { type IdMessage, type Message, pageMessage, readMessage, readQuery } from '../grpc/message.js';
import { objectId } from '../http/authentication.js';
import { PageDto } from '../http/page.dto.js';
import { parseRequest } from '../http/request.pipe.js';
import { ListRefundsDto } from './dto/list-refunds.dto.js';
import { CreateRefundDto } from './dto/create-refund.dto.js';
import { refundMessage } from './refund.message.js';
import { type RefundView } from './refund.view.js';
import { RefundsService } from './refunds.service.js';

type OfPaymentMessage = Message & { readonly payment_id?: string };

/** payonce.v1.Refunds: refunds of a payment, and a refund by its own id, as REST has them. */
@Controller()
export class RefundsGrpc {
  constructor(private readonly refunds: RefundsService) {}

  @MoneyRpc('Refunds', 'Create', 'payments:write')
  create(
    @CurrentCall() call: Call,
    @Payload() { payment_id: id, ...message }: OfPaymentMessage,
  ): Promise<Message> {
    const [paymentId, request] = [objectId(id), parseRequest(CreateRefundDto, readMessage(message))];
    return call.answer(this.refunds.create(call.context, paymentId, request.toValues()), refundResponse);
  }

  @ReadingRpc('Refunds', 'Get', 'payments:read')
  async get(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return refundResponse(await this.refunds.get(call.caller, objectId(id)));
  }

  @ReadingRpc('Refunds', 'List', 'payments:read')
  async list(
    @CurrentCall() call: Call,
    @Payload() { payment_id: id, ...message }: OfPaymentMessage,
  ): Promise<Message> {
    const [paymentId, { limit, cursor = null }] = [objectId(id), parseRequest(PageDto, readQuery(message))];
    return pageMessage(await this.refunds.list(call.caller, paymentId, limit, cursor), refundMessage);
  }

  @ReadingRpc('Refunds', 'ListAll', 'payments:read')
  async listAll(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const query = parseRequest(ListRefundsDto, readQuery(message, { status: 'REFUND_STATUS' }));
    const { limit, cursor = null } = query;
    return pageMessage(await this.refunds.listAll(call.caller, query.filter(), limit, cursor), refundMessage);
  }
}

function refundResponse(refund: RefundView): Message {
  return { refund: refundMessage(refund) };
}
