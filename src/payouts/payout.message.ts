import { choiceOf, type Choices, type Message, timestampOf } from '../grpc/message.js';
import { type PayoutView } from './payout.view.js';

export const payoutFilterChoices: Choices = { status: 'PAYOUT_STATUS' };

/** A payout as a message of payonce.v1, made from what REST shows. */
export function payoutMessage(payout: PayoutView): Message {
  return {
    ...payout,
    status: choiceOf('PAYOUT_STATUS', payout.status),
    created_at: timestampOf(payout.created_at),
    updated_at: timestampOf(payout.updated_at),
  };
}
