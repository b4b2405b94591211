import { type Answered } from '../request-storage/attempt.js';
import { audit } from '../database/audit.js';
import { Problem } from '../core/problem.js';
import { type Operation } from '../idempotency/operation.js';
import { PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import { type PaymentState, type RequestedOperation } from './payment-state.js';
import { type NewCompletion } from './payments.js';

export const COMPLETE_PAYMENT = 'POST /v1/payments/:id/complete';

const completion: RequestedOperation = { operation: 'complete', amount: null, reference: null, isNew: false };

/**
 * Brings a payment to its end that waited for its customer. The details are sealed with the payment's tokens
 * until it is at rest, so that a call whose answer is lost can be made again without the customer.
 */
export function completePaymentFlow(
  deps: PaymentFlowDeps,
): Operation<NewCompletion & { readonly paymentId: string }, PaymentState, Answered> {
  const flow = new PaymentFlow(deps);
  const read = async (merchantId: string, paymentId: string) => {
    const state = await flow.read(merchantId, paymentId, completion);
    if (!state) throw new Problem('not_found', 'No such payment.');
    return state;
  };
  return {
    name: COMPLETE_PAYMENT,
    readsFirst: true,
    async begin({ paymentId, details }, run) {
      const { merchantId, actor } = run;
      const decision = flow.complete(await read(merchantId, paymentId), details, run);
      const record = audit({
        merchantId,
        id: deps.ids.uuid(),
        at: deps.clock.now(),
        actor,
        action: 'payment.complete_asked',
        subject: `payment:${paymentId}`,
        detail: {},
      });
      return {
        subjectId: paymentId,
        params: {},
        decision: { ...decision, changes: [...decision.changes, record] },
      };
    },
    load: async (subjectId, _params, _point, run) => ({
      ...(await read(run.merchantId, subjectId)),
      opened: true,
    }),
    ...flow.steps,
  };
}
