import { CancelFlow } from './cancel.flow.js';
import { CaptureFlow } from './capture.flow.js';
import { ChargeFlow, type ChooseAccounts } from './charge.flow.js';
import { CompleteFlow } from './complete.flow.js';
import { type PaymentOperations } from './payment-operations.js';

/** The flows of payments, which the completer can continue. */
export function paymentFlows(operations: PaymentOperations, chooseAccounts: ChooseAccounts) {
  const create = new ChargeFlow(operations, chooseAccounts);
  const capture = new CaptureFlow(operations);
  const cancel = new CancelFlow(operations);
  operations.register(create, capture, cancel);
  return { create, capture, cancel, complete: new CompleteFlow(operations) };
}
