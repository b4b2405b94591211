import { CancelFlow } from './cancel.flow.js';
import { CaptureFlow } from './capture.flow.js';
import { ChargeFlow, type Route } from './charge.flow.js';
import { CompleteFlow } from './complete.flow.js';
import { type PaymentOwner } from './payment-owner.js';

/** The flows of payments, which the completer can continue. */
export function paymentFlows(owner: PaymentOwner, route: Route) {
  const create = new ChargeFlow(owner, route);
  const capture = new CaptureFlow(owner);
  const cancel = new CancelFlow(owner);
  owner.register(create, capture, cancel);
  return { create, capture, cancel, complete: new CompleteFlow(owner) };
}
