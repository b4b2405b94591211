import { type Change, update } from '../core/change.js';
import {
  type BeginResult,
  type Decision,
  type KeyedRun,
  makeCall,
  type RecoveryPoint,
} from '../idempotency/operation.js';
import { type Capabilities, type Instruction, type Operation } from '../psp/contract.js';
import { startOperation } from '../request-storage/decisions/advance.js';
import { OperationFlow } from '../request-storage/operation-flow.js';
import { type OperationTools } from '../request-storage/operation-tools.js';
import { type RuledOut } from '../request-storage/decisions/next-step.js';
import { type Payment } from './payment.entity.js';
import { type PaymentEvent } from './payment.lifecycle.js';
import { type OperationStep, type PaymentOperation } from './payment-operation.js';
import { keyAtPspOf, type PaymentState, recordedBy, withHistory } from './payment-state.js';
import { type PaymentOperations } from './payment-operations.js';
import { payments } from './payment.table.js';
import { type Refusal, refuse } from './refusal.js';

/** A requested operation on an existing payment. */
export interface ModifyPayment {
  readonly paymentId: string;
  /** capture, refund: minor units, null = the rest. */
  readonly amount: number | null;
  /** capture, refund: its name among several; null for the only one. */
  readonly reference: string | null;
  /** capture: the rest is released. Absent: where it has no reference. */
  readonly final?: boolean;
  /** refund: stored with it, and sent to no PSP. */
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The most captures, refunds or voids of a payment, each kind counted separately. */
const MAX_OPERATIONS = 1_000;

/** An operation on a captured or authorized amount: a capture, a void or a refund. */
export abstract class ModificationFlow
  extends OperationFlow<ModifyPayment, PaymentState>
  implements PaymentOperation
{
  readonly readsFirst = true;
  abstract readonly operation: 'capture' | 'void' | 'refund';
  protected readonly tools: OperationTools;

  constructor(protected override readonly operations: PaymentOperations) {
    super(operations, operations.tools.clock);
    this.tools = operations.tools;
  }

  get kinds(): readonly Operation[] {
    return [this.operation];
  }

  /** begin: null if the operation may be opened. `can`: the capabilities of the payment's PSP. */
  protected abstract refusal(state: PaymentState, can: Capabilities): Refusal | null;
  /** begin: the amount of the operation. */
  protected abstract amountOf(state: PaymentState): number;
  /** begin: the amount reserved in the commit that opens it. */
  protected abstract reserve(payment: Payment, amount: number): Partial<Payment>;
  /** begin: facts of the operation that its settlement needs, kept with its first attempt. */
  protected marks(_state: PaymentState): Readonly<Record<string, unknown>> {
    return {};
  }
  /** begin: other changes in that commit. */
  protected opened(
    _state: PaymentState,
    _at: { readonly amount: number; readonly psp: string },
    _now: Date,
  ): { readonly records?: PaymentState['records']; readonly changes: readonly Change[] } {
    return { changes: [] };
  }
  /** begin: the changes if resolving an earlier operation has shown that there is nothing to do. */
  protected refused(_state: PaymentState, _refusal: Refusal, _now: Date): readonly Change[] {
    return [];
  }

  abstract done(decided: OperationStep, can: Capabilities): PaymentEvent;
  abstract failed(evidence: RuledOut, decided: OperationStep): PaymentEvent;
  abstract effect(event: PaymentEvent, decided: OperationStep): Partial<Payment>;

  async begin(input: ModifyPayment, run: KeyedRun): Promise<BeginResult<PaymentState>> {
    const { paymentId } = input;
    const asked = paramsOf(input);
    const state = await this.load(paymentId, asked, 'started', run);
    const { params, decision } = this.beginWith(state, input, run);
    const action = `payment.${this.operation}_asked`;
    return {
      subjectId: paymentId,
      params: { ...asked, ...params },
      decision: this.operations.audited(decision, paymentId, { action, detail: asked }, run),
    };
  }

  protected beginWith(
    state: PaymentState,
    _input: ModifyPayment,
    run: KeyedRun,
  ): { readonly params?: Record<string, unknown>; readonly decision: Decision<PaymentState> } {
    return { decision: this.next(state, run) };
  }

  async load(
    paymentId: string,
    { amount, reference, final, is_new: isNew }: Record<string, unknown>,
    point: string,
    run: KeyedRun,
  ): Promise<PaymentState> {
    const wanted = {
      operation: this.operation,
      amount: typeof amount === 'number' ? amount : null,
      reference: typeof reference === 'string' ? reference : null,
      isNew: isNew === true,
      isFinal: typeof final === 'boolean' ? final : typeof reference !== 'string',
    };
    return {
      ...(await this.operations.readFor(run.merchantId, paymentId, wanted)),
      opened: point === 'accepted',
    };
  }

  /** Opens the operation (its route with the first attempt, and its reserved amount), or says why not. */
  protected override open(state: PaymentState, run: KeyedRun): Decision<PaymentState> {
    const { payment, requestedKey: key } = state;
    const { storage, clock } = this.tools;
    const now = clock.now();
    const before = state.histories.get(key);
    // Opened by this key, and decided by the resolver meanwhile.
    if ((state.opened && before) || this.isAlreadySatisfied(state)) return this.answered(state);
    const refusal = this.refusalOf(state);
    if (refusal) return refuse(refusal, this.refused(state, refusal, now));
    const amount = this.amountOf(state);
    const { merchantId, id, version, currency } = payment;
    const psp = payment.psp!;
    const opening = {
      merchantId,
      paymentId: id,
      payoutId: null,
      entityKey: key,
      operation: this.operation,
      amount,
      currency,
      pspIdempotencyKey: keyAtPspOf(state, key),
      marks: this.marks(state),
    };
    const at = storage.accountAt(psp, this.operation);
    const { history, changes, call } = startOperation(opening, at, run, now, before);
    // Two operations at once would both pass their checks: the version lets one of them through.
    const set = { ...this.reserve(payment, amount), version: version + 1, updatedAt: now };
    const claim = update(payments, { merchantId, id }, set, { version });
    const own = this.opened(state, { amount, psp }, now);
    const next = {
      ...withHistory({ ...state, payment: { ...payment, ...set } }, history),
      call,
      opened: true,
      records: own.records ?? state.records,
    };
    return makeCall(next, [claim, ...changes, ...own.changes]);
  }

  protected override resumesAt({ opened }: PaymentState): RecoveryPoint {
    return opened ? 'accepted' : 'started';
  }

  private refusalOf(state: PaymentState): Refusal | null {
    const { storage } = this.tools;
    const { psp } = state.payment;
    const can = storage.capabilities(psp ?? '');
    const refusal = this.refusal(state, can) ?? countRefusal(state, this.operation);
    const taken = refusal ? null : recordedBy(state);
    if (!taken || !storage.isOtherAccount(taken)) return refusal;
    return {
      code: 'psp_account_changed',
      detail: `The account that is configured as ${taken.psp} is not the one that holds this payment.`,
    };
  }

  /** call: the object that it acts upon. */
  instruct({ payment }: PaymentState): Partial<Instruction> {
    return { parentReference: payment.pspReference ?? '' };
  }
}

/**
 * Every decision about a payment reads all of its routes, so their number is bounded. Routes count, not
 * names: a refund that failed may be tried again under the same name.
 */
function countRefusal({ histories }: PaymentState, operation: string): Refusal | null {
  const routes = [...histories.values()].flatMap((history) => history.routes);
  if (routes.filter(({ request }) => request.operation === operation).length < MAX_OPERATIONS) return null;
  return {
    code: 'too_many_operations',
    detail: `A payment takes at most ${MAX_OPERATIONS} operations of one kind (${operation}), those that failed included.`,
  };
}

/** The part of the request that a resumed run needs; refunds keep the rest in their row. */
function paramsOf({ amount, reference, final }: ModifyPayment): Record<string, unknown> {
  return {
    ...(amount === null ? {} : { amount }),
    ...(reference === null ? {} : { reference }),
    ...(final === undefined ? {} : { final }),
  };
}

/** The verdict of the requested operation; undefined if it was never opened. */
export function requestedVerdict({ histories, requestedKey }: PaymentState): string | undefined {
  return histories.get(requestedKey)?.routes.at(-1)?.request.verdict;
}
