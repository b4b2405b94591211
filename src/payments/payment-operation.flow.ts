import { audit, type Ids, Problem } from '../kernel/index.js';
import { type Flow } from '../idempotency/index.js';
import { PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import { type PaymentState, type Wanted } from './payment-state.js';

export const CAPTURE_PAYMENT = 'POST /v1/payments/:id/capture';
export const CANCEL_PAYMENT = 'POST /v1/payments/:id/cancel';

/** What is asked of a payment that is there already. */
export interface OperationAsk {
  readonly paymentId: string;
  /** capture: minor units, null = all that was authorized. */
  readonly amount: number | null;
}

/** Captures what was authorized, whole or in part. */
export function capturePaymentFlow(
  deps: PaymentFlowDeps & { readonly ids: Ids },
): Flow<OperationAsk, PaymentState> {
  return operationFlow(deps, CAPTURE_PAYMENT, 'capture');
}

/** Voids what was authorized, or what is not decided yet where the PSP can. */
export function cancelPaymentFlow(
  deps: PaymentFlowDeps & { readonly ids: Ids },
): Flow<OperationAsk, PaymentState> {
  return operationFlow(deps, CANCEL_PAYMENT, 'void');
}

function operationFlow(
  deps: PaymentFlowDeps & { readonly ids: Ids },
  operation: string,
  verb: 'capture' | 'void',
): Flow<OperationAsk, PaymentState> {
  const flow = new PaymentFlow(deps);
  const read = async (merchantId: string, paymentId: string, amount: unknown) => {
    const wanted: Wanted = { operation: verb, amount: typeof amount === 'number' ? amount : null };
    const state = await flow.read(merchantId, paymentId, wanted);
    if (!state) throw new Problem('not_found', 'No such payment.');
    return state;
  };
  return {
    operation,
    readsFirst: true,
    async begin({ paymentId, amount }, run) {
      const state = await read(run.merchantId, paymentId, amount);
      const params = amount === null ? {} : { amount };
      const decision = flow.next(state, run);
      const asked = audit({
        merchantId: run.merchantId,
        id: deps.ids.uuid(),
        at: deps.clock.now(),
        actor: run.actor,
        action: `payment.${verb}_asked`,
        subject: `payment:${paymentId}`,
        detail: params,
      });
      return {
        subjectId: paymentId,
        params,
        decision: { ...decision, changes: [...decision.changes, asked] },
      };
    },
    load: async (subjectId, params, point, run) => ({
      ...(await read(run.merchantId, subjectId, params['amount'])),
      opened: point === 'accepted',
    }),
    resume: (state, run) => flow.next(state, run),
    busy: (state) => flow.paused(state, deps.clock.now()),
    phases: flow.phases,
  };
}
