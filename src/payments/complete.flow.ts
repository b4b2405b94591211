import { isDeepStrictEqual } from 'node:util';
import { type BeginResult, type Decision, type KeyedRun, makeCall } from '../idempotency/operation.js';
import { handIn, type StepResult } from '../request-storage/decisions/advance.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { OperationFlow } from '../request-storage/operation-flow.js';
import { type RouteDecision } from '../request-storage/route-worker.js';
import { type Payment } from './payment.entity.js';
import { paymentLifecycle } from './payment.lifecycle.js';
import {
  encryptSecrets,
  firstEntityKey,
  type PaymentState,
  type RequestedOperation,
  type Secrets,
  withHistory,
} from './payment-state.js';
import { type NewCompletion } from './dto/complete-payment.dto.js';
import { type PaymentOperations } from './payment-operations.js';
import { type Refusal, refuse } from './refusal.js';
import { moveOn } from './decide-payment.js';

const completion: RequestedOperation = { operation: 'complete', amount: null, reference: null, isNew: false };

type Completion = NewCompletion & { readonly paymentId: string };

/**
 * Completes a payment that waits for its customer, by one more call of its charge, which settles like the others.
 * The details are encrypted with the payment's tokens until it is decided, so that a call whose answer is lost can
 * be repeated without the customer.
 */
export class CompleteFlow extends OperationFlow<Completion, PaymentState> {
  readonly name = 'POST /v1/payments/:id/complete';
  readonly readsFirst = true;

  constructor(protected override readonly operations: PaymentOperations) {
    super(operations, operations.tools.clock);
  }

  /** begin: the call with the details; the payment no longer waits for its customer. */
  async begin({ paymentId, details }: Completion, run: KeyedRun): Promise<BeginResult<PaymentState>> {
    const decision = this.handIn(await this.load(paymentId, {}, '', run), details, run);
    const asked = { action: 'payment.complete_asked', detail: {} };
    return {
      subjectId: paymentId,
      params: {},
      decision: this.operations.audited(decision, paymentId, asked, run),
    };
  }

  async load(paymentId: string, _params: unknown, _point: string, run: KeyedRun): Promise<PaymentState> {
    return { ...(await this.operations.readFor(run.merchantId, paymentId, completion)), opened: true };
  }

  /** A decided payment is the answer, and so is one whose details were sent before and that is not decided yet. */
  private handIn(
    state: PaymentState,
    details: Secrets['details'] & object,
    run: KeyedRun,
  ): Decision<PaymentState> {
    const { payment, secrets } = state;
    const { storage, clock, seal, ids } = this.operations.tools;
    const newId = () => ids.uuid();
    const undecided = this.undecided(state);
    const isKnown = payment.status === 'processing' && isDeepStrictEqual(secrets?.details, details);
    if (!undecided || isKnown) return this.next(state, run);
    const now = clock.now();
    const { operation } = undecided.routes.at(-1)!.request;
    const capabilities = (psp: string) => storage.promisesOf({ psp, operation });
    const facts = { capabilities, leaseMs: storage.leaseMs, now };
    const stepResult = payment.status === 'requires_action' ? handIn(undecided, facts, run) : null;
    if (!stepResult?.call || !secrets) return refuse(notCompletable(payment));
    const handed = { ...withHistory(state, stepResult.history), call: stepResult.call };
    // The PSP knows by itself what the customer did: a lookup.
    if (stepResult.call.attempt.kind !== 'complete') return makeCall(handed, stepResult.changes);
    const { merchantId, id, status } = payment;
    const set = {
      status: paymentLifecycle.after(status, 'action_completed'),
      nextAction: null,
      sealed: encryptSecrets(seal, merchantId, id, { ...secrets, details }),
      updatedAt: now,
    };
    const { entityKey } = undecided;
    const moved = moveOn(state, set, { event: 'action_completed', actor: run.actor, entityKey }, newId, now);
    const next = { ...handed, payment: moved.payment, secrets: { ...secrets, details } };
    return makeCall(next, [...moved.changes, ...stepResult.changes]);
  }

  /** The charge, while it is undecided. Other open operations of the payment do not concern the customer. */
  protected override undecided({ payment, histories }: PaymentState): OperationHistory | null {
    const history = histories.get(firstEntityKey(payment));
    return history?.routes.at(-1)?.request.verdict === 'open' ? history : null;
  }

  /** settle: as the charge does, unless the PSP refused the details and still waits for its customer. */
  protected override follow(settled: RouteDecision<PaymentState>): Decision<PaymentState> {
    const { stepResult, changes } = settled;
    if (!stepResult.call && wereRefused(stepResult)) return refuse(detailsRefused(stepResult), changes);
    return super.follow(settled);
  }
}

function wereRefused({ history, step }: StepResult): boolean {
  const last = history.routes.at(-1)!.attempts.findLast(({ kind }) => kind === 'complete');
  return step.do === 'wait' && step.why === 'requires_action' && last?.outcome === 'rejected';
}

function detailsRefused({ history }: StepResult): Refusal {
  const { request, attempts } = history.routes.at(-1)!;
  const said = attempts.findLast(({ kind }) => kind === 'complete')?.response?.['message'];
  const words = typeof said === 'string' ? `: ${said}` : '.';
  return { code: 'details_refused', detail: `${request.psp} did not take these details${words}` };
}

function notCompletable({ status }: Payment): Refusal {
  return {
    code: 'invalid_state',
    detail:
      status === 'requires_action'
        ? 'This payment is being canceled, or its PSP takes nothing more for it.'
        : `A payment that is ${status} waits for nothing of its customer.`,
  };
}
