import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Call } from '../grpc/call.js';
import { CurrentCall, ReadingRpc } from '../grpc/grpc.decorators.js';
import { type Message, pageMessage, readQuery } from '../grpc/message.js';
import { parseRequest } from '../http/request.pipe.js';
import { ListOrdersDto } from './dto/list-orders.dto.js';
import { orderFilterChoices, orderMessage, orderResponse } from './order.message.js';
import { OrdersService } from './orders.service.js';

/** payonce.v1.Orders: /v1/orders, with its DTOs and its service. */
@Controller()
export class OrdersGrpc {
  constructor(private readonly orders: OrdersService) {}

  @ReadingRpc('Orders', 'Get', 'payments:read')
  async get(
    @CurrentCall() call: Call,
    @Payload() { reference = '' }: Message & { readonly reference?: string },
  ): Promise<Message> {
    return orderResponse(await this.orders.get(call.caller, reference));
  }

  @ReadingRpc('Orders', 'List', 'payments:read')
  async list(@CurrentCall() call: Call, @Payload() message: Message): Promise<Message> {
    const query = parseRequest(ListOrdersDto, readQuery(message, orderFilterChoices));
    const { limit, cursor = null } = query;
    return pageMessage(await this.orders.list(call.caller, query.filter(), limit, cursor), orderMessage);
  }
}
