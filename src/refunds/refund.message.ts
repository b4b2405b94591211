import { choiceOf, type Message, timestampOf } from '../grpc/message.js';
import { type RefundView } from './refund.view.js';

/** A refund as a message of payonce.v1, made from what REST shows. */
export function refundMessage(refund: RefundView): Message {
  return {
    ...refund,
    status: choiceOf('REFUND_STATUS', refund.status),
    created_at: timestampOf(refund.created_at),
    updated_at: timestampOf(refund.updated_at),
  };
}
