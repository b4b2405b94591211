import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Call } from '../grpc/call.js';
import { CurrentCall, MoneyRpc, ReadingRpc } from '../grpc/grpc.decorators.js';
import { type IdMessage, type Message, pageMessage, readMessage, readQuery } from '../grpc/message.js';
import { objectId } from '../http/authentication.js';
import { parseRequest } from '../http/request.pipe.js';
import { CreatePayoutDto } from './dto/create-payout.dto.js';
import { ListPayoutsDto } from './dto/list-payouts.dto.js';
import { payoutFilterChoices, payoutMessage } from './payout.message.js';
import { type PayoutView } from './payout.view.js';
import { PayoutsService } from './payouts.service.js';

/** payonce.v1.Payouts: the operations of /v1/payouts, with their DTOs and their service. */
@Controller()
export class PayoutsGrpc {
  constructor(private readonly payouts: PayoutsService) {}

  @MoneyRpc('Payouts', 'Create', 'payouts:write')
  create(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const request = parseRequest(CreatePayoutDto, readMessage(message));
    return call.answer(this.payouts.create(call.context, request.toValues()), payoutResponse);
  }

  @ReadingRpc('Payouts', 'Get', 'payments:read', 'payouts:write')
  async get(@CurrentCall() call: Call, @Payload() { id }: IdMessage): Promise<Message> {
    return payoutResponse(await this.payouts.get(call.caller, objectId(id)));
  }

  @ReadingRpc('Payouts', 'List', 'payments:read', 'payouts:write')
  async list(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const query = parseRequest(ListPayoutsDto, readQuery(message, payoutFilterChoices));
    const { limit, cursor = null } = query;
    return pageMessage(await this.payouts.list(call.caller, query.filter(), limit, cursor), payoutMessage);
  }
}

function payoutResponse(payout: PayoutView): Message {
  return { payout: payoutMessage(payout) };
}
