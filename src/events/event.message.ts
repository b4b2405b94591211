import { choiceOf, type Message, structOf, timestampOf } from '../grpc/message.js';
import { type EventView } from './event.view.js';
import { type DeliveryView } from './webhook.view.js';

/** An event as a message of payonce.v1, made from what REST shows. */
export function eventMessage(event: EventView): Message {
  return { ...event, timestamp: timestampOf(event.timestamp), data: structOf(event.data) };
}

export function deliveryMessage(delivery: DeliveryView): Message {
  return {
    ...delivery,
    status: choiceOf('DELIVERY_STATUS', delivery.status),
    next_attempt_at: timestampOf(delivery.next_attempt_at),
    attempts: delivery.attempts.map((attempt) => ({
      ...attempt,
      started_at: timestampOf(attempt.started_at),
    })),
  };
}
