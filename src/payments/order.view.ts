import { ApiSchema } from '@nestjs/swagger';
import { Amount, Constant, Field, Id, OneOf, Text, Time } from '../http/view-fields.js';
import { entityKey } from '../request-storage/entity-key.js';
import { type Order } from './order.entity.js';
import { type OrderStatus, orderStatuses, orderStatusOf } from './order-rules.js';

@ApiSchema({
  name: 'Order',
  description:
    'What a customer owes once. Its live payments never add up to more than what is due. Amounts are integers in minor units.',
})
export class OrderView {
  @Constant('order')
  readonly object: 'order';

  @Id()
  readonly id: string;

  @Text({ description: 'Your name for it, unique among your orders.' })
  readonly reference: string;

  @OneOf(orderStatuses, {
    description:
      '`open`: no payment of it is live. `pending`: what is live is not captured yet, or not all that is due. `overpaid`: a PSP took back a refund or a release after another payment was taken.',
  })
  readonly status: OrderStatus;

  @Text({ description: 'Names what may be collected once, above the entity keys of its payments.' })
  readonly entity_key: string;

  @Text()
  readonly currency: string;

  @Field({ type: 'boolean', description: 'Several payments may be live, each for a part.' })
  readonly parts: boolean;

  @Amount('In minor units.')
  readonly amount_due: number;

  @Amount('Of payments that took money or may yet take it, less what was given back, in minor units.')
  readonly amount_live: number;

  @Amount('Captured and not given back, in minor units.')
  readonly amount_paid: number;

  @Amount('How much more is live than is due, in minor units.')
  readonly amount_overpaid: number;

  @Time()
  readonly created_at: string;

  @Time()
  readonly updated_at: string;
}

export function orderViewOf(order: Order): OrderView {
  return {
    object: 'order',
    id: order.id,
    reference: order.reference,
    status: orderStatusOf(order),
    entity_key: entityKey.collect(order.reference),
    currency: order.currency,
    parts: order.inParts,
    amount_due: order.amountDue,
    amount_live: order.amountLive,
    amount_paid: order.amountPaid,
    amount_overpaid: order.amountOverpaid,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  };
}
