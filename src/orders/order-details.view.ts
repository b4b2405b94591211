import { ApiSchema } from '@nestjs/swagger';
import { Amount, Field, Id, OneOf, Text } from '../http/view-fields.js';
import { type OrphanStatus, orphanStatuses } from '../request-storage/route.entity.js';
import { OrderView } from '../payments/order.view.js';
import { PaymentView } from '../payments/payment.view.js';

@ApiSchema({
  name: 'OrderPayment',
  description: 'A payment of an order, and how much of the order it takes.',
})
export class OrderPaymentView {
  @Field({ type: PaymentView })
  readonly payment: PaymentView;

  @Amount('What of it is live, in minor units.')
  readonly amount_live: number;

  @OneOf(['took_nothing', 'given_back'], {
    nullable: true,
    description: 'Why nothing of it is live; null where something is.',
  })
  readonly not_counted: 'took_nothing' | 'given_back' | null;
}

@ApiSchema({
  name: 'OrderOrphan',
  description:
    'What a PSP did of a payment after it was proved that it could not: more than is due, until it is given back.',
})
export class OrderOrphanView {
  @Id({ description: 'The payment that had lost it.' })
  readonly payment_id: string;

  @Text()
  readonly psp: string;

  @Text({ nullable: true })
  readonly psp_reference: string | null;

  @Amount('In minor units.')
  readonly amount: number;

  @OneOf(orphanStatuses, {
    description:
      '`open`: found. `approved`: a person approved giving it back. `compensating`: on its way. `compensated`: given back. `failed`: for a person. `closed`: a person has dealt with it.',
  })
  readonly status: OrphanStatus;
}

@ApiSchema({ name: 'OrderDetails', description: 'An order with its payments.' })
export class OrderDetailsView extends OrderView {
  @Amount('Given back of its payments, in minor units.')
  readonly amount_refunded: number;

  @Field({
    type: OrderPaymentView,
    isArray: true,
    description: 'Its payments, the oldest first; the last hundred where there are more.',
  })
  readonly payments: readonly OrderPaymentView[];

  @Field({ type: OrderOrphanView, isArray: true, description: 'Of the payments that are shown.' })
  readonly orphans: readonly OrderOrphanView[];
}
