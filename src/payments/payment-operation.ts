import { type Change } from '../core/change.js';
import { type Capabilities, type Instruction, type Operation } from '../psp/contract.js';
import { type StepResult } from '../request-storage/advance.js';
import { type Call, type OperationHistory } from '../request-storage/attempt.js';
import { type RuledOut } from '../request-storage/next-step.js';
import { type PspRequest } from '../request-storage/psp-request.entity.js';
import { type Payment } from './payment.entity.js';
import { type PaymentEvent } from './payment.lifecycle.js';
import { type PaymentState } from './payment-state.js';

/** Ids of events: drawn in the decision, so that one that is made again writes one event in the end. */
export type NewId = () => string;

/** What a step says of an operation, for its payment. */
export interface Decided {
  readonly payment: Payment;
  readonly request: PspRequest;
  readonly history: OperationHistory;
  readonly step: StepResult['step'];
}

/**
 * What one operation is to its payment, in the order of time. Request storage decides what its calls prove; this says
 * what is sent, and what is made of the proof. Each stands in the flow file of the operation.
 */
export interface PaymentOperation {
  readonly operations: readonly Operation[];
  /** call: what is sent beside what every operation sends. */
  instruct(state: PaymentState, call: Call): Partial<Instruction>;
  /** settle: what it is to the payment that the PSP did it. */
  done(decided: Decided, can: Capabilities): PaymentEvent;
  /** settle: what it is to the payment that no PSP did it. */
  failed(evidence: RuledOut): PaymentEvent;
  /** settle: what it is to the payment that its customer has to act. */
  waits?(decided: Decided): PaymentEvent | null;
  /** settle: what the event changes in the payment's row, beside its status. */
  effect(event: PaymentEvent, decided: Decided): Partial<Payment>;
  /** The row that a module keeps of the operation, where it keeps one. */
  readonly record?: OperationRecord;
}

/** A row beside the payment's that stands for one operation. The payment hands it on and does not look into it. */
export interface OperationRecord {
  find(merchantId: string, entityKey: string): Promise<unknown>;
  /** What the operation has come to, in the commit that decides it. */
  settle(record: unknown, decided: Decided, newId: NewId, now: Date): Recorded;
  /** The PSP had done it, and now it has come to nothing. */
  reverse(
    payment: Payment,
    entityKey: string,
    evidence: RuledOut,
    newId: NewId,
    now: Date,
  ): Promise<readonly Change[]>;
}

export interface Recorded {
  readonly record: unknown;
  readonly changes: readonly Change[];
}
