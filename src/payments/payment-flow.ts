import { type Change } from '../core/change.js';
import { Problem, type ProblemCode } from '../core/problem.js';
import { audit } from '../database/audit.js';
import { type Decision, type KeyedRun, type RecoveryPoint, reply } from '../idempotency/operation.js';
import { type StepResult } from '../request-storage/advance.js';
import { type OperationHistory } from '../request-storage/attempt.js';
import { OperationFlow } from '../request-storage/operation-flow.js';
import { type OperationTools } from '../request-storage/operation-tools.js';
import { type PaymentOwner } from './payment-owner.js';
import {
  firstEntityKey,
  type PaymentState,
  type RequestedOperation,
  undecidedOperation,
} from './payment-state.js';
import { paymentJson } from './payment.view.js';

/** Why an operation cannot begin in the present state of a payment. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly detail: string;
  /** The obstacle, for the problem document. */
  readonly members?: Readonly<Record<string, string>>;
}

/** A request about a payment, answered with the payment. */
export abstract class PaymentFlow<Input> extends OperationFlow<Input, PaymentState> {
  protected readonly tools: OperationTools;

  constructor(protected override readonly owner: PaymentOwner) {
    super(owner, owner.tools.clock);
    this.tools = owner.tools;
  }

  protected undecided(state: PaymentState): OperationHistory | null {
    return undecidedOperation(state);
  }

  protected isAnswered(state: PaymentState, { history }: StepResult): boolean {
    return history.entityKey === state.requestedKey || this.isAlreadySatisfied(state);
  }

  /** The requested operation is already done. */
  protected isAlreadySatisfied(_state: PaymentState): boolean {
    return false;
  }

  /** 201 if the request made it, 200 if it existed. */
  protected statusOf(_state: PaymentState): number {
    return 200;
  }

  protected bodyOf({ payment, histories }: PaymentState): string {
    return paymentJson(payment, histories.get(firstEntityKey(payment))).text;
  }

  protected override resumesAt({ opened }: PaymentState): RecoveryPoint {
    return opened ? 'accepted' : 'started';
  }

  /** @throws Problem `not_found` */
  protected async read(
    merchantId: string,
    paymentId: string,
    wanted: RequestedOperation,
  ): Promise<PaymentState> {
    const state = await this.owner.readFor(merchantId, paymentId, wanted);
    if (!state) throw new Problem('not_found', 'No such payment.');
    return state;
  }

  protected refuse(
    { code, detail, members }: Refusal,
    changes: readonly Change[] = [],
  ): Decision<PaymentState> {
    const problem = new Problem(code, detail, members ? { members } : {});
    return reply(problem.status, JSON.stringify(problem.document()), changes);
  }

  /** The first decision about an existing payment, with the author of the request. */
  protected begun(
    paymentId: string,
    params: Record<string, unknown>,
    decision: Decision<PaymentState>,
    asked: { readonly action: string; readonly detail: Record<string, unknown> },
    { merchantId, actor }: KeyedRun,
  ) {
    const { clock, ids } = this.tools;
    const subject = `payment:${paymentId}`;
    const record = audit({ merchantId, id: ids.uuid(), at: clock.now(), actor, subject, ...asked });
    return {
      subjectId: paymentId,
      params,
      decision: { ...decision, changes: [...decision.changes, record] },
    };
  }
}
