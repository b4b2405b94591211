import { ApiSchema } from '@nestjs/swagger';
import { eventTypes } from '../core/event-types.js';
import { Constant, Field, Id, OneOf, TestMode, Text } from '../http/view-fields.js';

/** Sent by `ping`, to one endpoint alone. */
export const PING = 'ping';

/** An event as its row has it. */
export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** An event as the API shows it and as endpoints get it; field names are the wire's. */
@ApiSchema({ name: 'Event', description: 'A change of a payment, refund, dispute or payout.' })
export class EventView {
  @Constant('event')
  readonly object: 'event';

  @Id({ description: 'The same on every retry: the header `webhook-id`.' })
  readonly id: string;

  @TestMode()
  readonly test: boolean;

  @OneOf([...eventTypes, PING])
  readonly type: string;

  @Text({ format: 'date-time', description: 'When the change was stored. RFC 3339, UTC.' })
  readonly timestamp: string;

  @Field({
    type: 'object',
    description:
      'The payment, refund, order or payout as the API showed it at that moment; for `ping` the endpoint.',
  })
  readonly data: Readonly<Record<string, unknown>>;
}

export function eventViewOf({ id, type, at, data }: EventRow, isTest: boolean): EventView {
  return { object: 'event', id, test: isTest, type, timestamp: at.toISOString(), data };
}
