import { type Answered } from '../request-storage/attempt.js';
import { audit } from '../database/audit.js';
import { insert } from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type Decision, type KeyedRun, type Operation } from '../idempotency/operation.js';
import { type Refund } from '../refunds/refund.entity.js';
import { refunds } from '../refunds/refund.table.js';
import { PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import { left } from './operation-rules.js';
import {
  undecidedOperation,
  type PaymentState,
  type RequestedOperation,
  requestedKey,
} from './payment-state.js';

export const CAPTURE_PAYMENT = 'POST /v1/payments/:id/capture';
export const CANCEL_PAYMENT = 'POST /v1/payments/:id/cancel';
export const REFUND_PAYMENT = 'POST /v1/payments/:id/refunds';

/** What is asked of a payment that is there already. */
export interface OperationRequest {
  readonly paymentId: string;
  /** capture, refund: minor units, null = all that is left. */
  readonly amount: number | null;
  /** capture, refund: its name among several; null for the only one. */
  readonly reference: string | null;
  /** refund: kept with it, and sent to no PSP. */
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

type Deps = PaymentFlowDeps & { readonly ids: Ids };

/** Captures what was authorized: whole, in part, or in several parts that each have a reference. */
export function capturePaymentFlow(deps: Deps): Operation<OperationRequest, PaymentState, Answered> {
  return operationFlow(deps, CAPTURE_PAYMENT, 'capture');
}

/** Voids what was authorized, or what is left of it, or what is not decided yet where the PSP can. */
export function cancelPaymentFlow(deps: Deps): Operation<OperationRequest, PaymentState, Answered> {
  return operationFlow(deps, CANCEL_PAYMENT, 'void');
}

/**
 * Gives back what was captured. A refund is what its name says, `payment-<id>-refund[-<reference>]`:
 * every client that asks for it, under any Idempotency-Key, gets the same one.
 */
export function refundPaymentFlow(deps: Deps): Operation<OperationRequest, PaymentState, Answered> {
  return operationFlow(deps, REFUND_PAYMENT, 'refund');
}

function operationFlow(
  deps: Deps,
  operation: string,
  verb: 'capture' | 'void' | 'refund',
): Operation<OperationRequest, PaymentState, Answered> {
  const flow = new PaymentFlow(deps);
  const read = async (merchantId: string, paymentId: string, params: Record<string, unknown>) => {
    const state = await flow.read(merchantId, paymentId, wantedOf(verb, params));
    if (!state) throw new Problem('not_found', 'No such payment.');
    return state;
  };
  return {
    name: operation,
    readsFirst: true,
    async begin(ask, run) {
      const { paymentId } = ask;
      const asked = paramsOf(ask);
      const found = await read(run.merchantId, paymentId, asked);
      const isNew = verb === 'refund' && !found.refund;
      const state = isNew ? withRefund(deps, found, ask) : found;
      const params = isNew ? { ...asked, is_new: true } : asked;
      const decision = decide(flow, state, run);
      const record = audit({
        merchantId: run.merchantId,
        id: deps.ids.uuid(),
        at: deps.clock.now(),
        actor: run.actor,
        action: `payment.${verb}_asked`,
        subject: `payment:${paymentId}`,
        detail: asked,
      });
      return {
        subjectId: paymentId,
        params,
        decision: { ...decision, changes: [...decision.changes, record] },
      };
    },
    load: async (subjectId, params, point, run) => ({
      ...(await read(run.merchantId, subjectId, params)),
      opened: point === 'accepted',
    }),
    ...flow.steps,
  };
}

/** The first decision. A refund that has to wait for something else is written down meanwhile. */
function decide(flow: PaymentFlow, state: PaymentState, run: KeyedRun): Decision<PaymentState> {
  const { refund, refundIsStored } = state;
  const differs = refund && refundIsStored ? otherRefund(state, refund) : null;
  if (differs) return flow.refuse(differs);
  if (!refund || refundIsStored || !undecidedOperation(state)) return flow.next(state, run);
  const decision = flow.next({ ...state, refundIsStored: true }, run);
  return { ...decision, changes: [...decision.changes, insert(refunds, refund)] };
}

/** Only the amount tells two refunds of one name apart; who does not say it means the one there is. */
function otherRefund({ wanted }: PaymentState, refund: Refund) {
  // One that failed moved nothing: it may be tried again with another amount.
  if (refund.status === 'failed') return null;
  if (wanted.amount === null || wanted.amount === refund.amount) return null;
  return {
    code: 'refund_exists',
    detail: `The refund ${refund.entityKey} is of ${refund.amount} ${refund.currency} (minor units). Give another one a \`reference\` of its own.`,
    members: { refund_id: refund.id },
  } as const;
}

/** A refund as it is asked for. How much "all that is left" is, is known once it is opened. */
function withRefund(deps: Deps, state: PaymentState, ask: OperationRequest): PaymentState {
  const { payment } = state;
  const now = deps.clock.now();
  const wanted = { ...state.wanted, isNew: true };
  const refund: Refund = {
    merchantId: payment.merchantId,
    entityKey: requestedKey(state),
    id: deps.ids.uuid(),
    paymentId: payment.id,
    reference: ask.reference,
    status: 'pending',
    amount: ask.amount ?? (left.toRefund(payment) || payment.amount),
    currency: payment.currency,
    reason: ask.reason,
    metadata: { ...ask.metadata },
    psp: null,
    pspReference: null,
    failure: null,
    createdAt: now,
    updatedAt: now,
  };
  return { ...state, wanted, refund };
}

/** As much of the ask as a run needs that goes on with it; refunds keep the rest in their row. */
function paramsOf({ amount, reference }: OperationRequest): Record<string, unknown> {
  return { ...(amount === null ? {} : { amount }), ...(reference === null ? {} : { reference }) };
}

function wantedOf(
  operation: RequestedOperation['operation'],
  params: Record<string, unknown>,
): RequestedOperation {
  const { amount, reference, is_new: isNew } = params;
  return {
    operation,
    amount: typeof amount === 'number' ? amount : null,
    reference: typeof reference === 'string' ? reference : null,
    isNew: isNew === true,
  };
}
