import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller } from '../core/caller.js';
import { type Page } from '../core/page.js';
import { aPage, Operation } from '../http/operation.decorator.js';
import { CurrentCaller, PathReference, Scopes } from '../http/request.decorators.js';
import { PageOf } from '../http/view-fields.js';
import { OrderView } from '../payments/order.view.js';
import { ListOrdersDto } from './dto/list-orders.dto.js';
import { OrderDetailsView } from './order-details.view.js';
import * as example from './order.examples.js';
import { OrdersService } from './orders.service.js';

const OrderPage = PageOf('OrderPage', OrderView);

/** Orders, each with the payments that were tried for it. */
@ApiTags('Orders')
@Controller('v1/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Get()
  @Operation({
    id: 'listOrders',
    summary: 'List orders',
    description: 'Newest first. Go on with `next_cursor` while `has_more` is true.',
    answers: { 200: aPage(OrderPage, example.order) },
  })
  @Scopes('payments:read')
  list(@CurrentCaller() caller: Caller, @Query() query: ListOrdersDto): Promise<Page<OrderView>> {
    const { limit, cursor = null } = query;
    return this.orders.list(caller, query.filter(), limit, cursor);
  }

  @Get(':reference')
  @Operation({
    id: 'getOrder',
    summary: 'Read an order',
    description:
      'As it is now, with its payments. An order is made by its first payment (`order` of POST /v1/payments).',
    answers: { 200: [OrderDetailsView, 'The order.', { paid: example.orderDetails }] },
    problems: ['not_found'],
  })
  @Scopes('payments:read')
  get(
    @CurrentCaller() caller: Caller,
    @PathReference('order', example.order.reference) reference: string,
  ): Promise<OrderDetailsView> {
    return this.orders.get(caller, reference);
  }
}
