import { type Change } from '../core/change.js';
import { type Capabilities, type Instruction, type Operation } from '../psp/contract.js';
import { type StepResult } from '../request-storage/decisions/advance.js';
import { type Call, type OperationHistory } from '../request-storage/decisions/attempt.js';
import { type RuledOut } from '../request-storage/decisions/next-step.js';
import { type Route } from '../request-storage/route.entity.js';
import { type Payment } from './payment.entity.js';
import { type PaymentEvent } from './payment.lifecycle.js';
import { type PaymentState } from './payment-state.js';

/** Ids of events: created in the decision, so that a repeated decision writes one event in the end. */
export type NewId = () => string;

/** The result of a step of an operation, for its payment. */
export interface OperationStep {
  readonly payment: Payment;
  readonly request: Route;
  readonly history: OperationHistory;
  readonly step: StepResult['step'];
}

/**
 * The effect of one operation on its payment, in chronological order. Request storage decides what its calls prove;
 * this says what is sent, and what follows from the proof. Each is in the flow file of the operation.
 */
export interface PaymentOperation {
  readonly kinds: readonly Operation[];
  /** call: fields sent beside the common ones. */
  instruct(state: PaymentState, call: Call): Partial<Instruction>;
  /** settle: the event of the payment when the PSP did it. */
  done(decided: OperationStep, can: Capabilities): PaymentEvent;
  /** settle: the event of the payment when no PSP did it. */
  failed(evidence: RuledOut, decided: OperationStep): PaymentEvent;
  /** settle: the event of the payment when its customer has to act. */
  waits?(decided: OperationStep): PaymentEvent | null;
  /** settle: changes of the payment's row beside its status. */
  effect(event: PaymentEvent, decided: OperationStep): Partial<Payment>;
  /** The PSP had done it, and it failed later: the changes that take it back. null if what was done since rests on it. */
  reverse?(
    state: PaymentState,
    request: Route,
    evidence: RuledOut,
    newId: NewId,
    now: Date,
  ): readonly Change[] | null | Promise<readonly Change[]>;
  /** The row that a module keeps for the operation, if any. The payment passes it on without reading it. */
  findRecord?(merchantId: string, entityKey: string): Promise<unknown>;
  /** settle: the row of the operation after it, in the commit that decides it. */
  recordAfter?(record: unknown, decided: OperationStep, newId: NewId, now: Date): Recorded;
}

export interface Recorded {
  readonly record: unknown;
  readonly changes: readonly Change[];
}
