import { isDeepStrictEqual } from 'node:util';
import { type Clock } from '../core/clock.js';
import { type Change, type Store, update } from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type Encryption } from '../core/encryption.js';
import { decideAgain, REFUSED } from '../core/decide-again.js';
import {
  decideNext,
  type Decision,
  type KeyedRun,
  makeCall,
  pause,
  type Pause,
  reply,
} from '../idempotency/operation.js';
import { type Run } from '../idempotency/operation-run.js';
import { type Answered, type OperationHistory } from '../request-storage/attempt.js';
import {
  advance,
  type StepResult,
  evidenceOnly,
  handIn,
  startOperation,
  type NewOperation,
  restartOperation,
} from '../request-storage/advance.js';
import { entityKey, isOfOrphan } from '../request-storage/entity-key.js';
import { type RuledOut } from '../request-storage/next-step.js';
import { type PspRequest } from '../request-storage/psp-request.entity.js';
import { type RequestStorage } from '../request-storage/request-storage.js';
import { type Payment } from './payment.entity.js';
import { payments } from './payment.table.js';
import { type Refund } from '../refunds/refund.entity.js';
import { refunds } from '../refunds/refund.table.js';
import { bodyOf, statusOf } from './answer.js';
import { paymentLifecycle } from './payment.lifecycle.js';
import { amountOf, type Refusal, refusalOf, reserved } from './operation-rules.js';
import {
  firstEntityKey,
  instructionFor,
  keyAtPspOf,
  decryptSecrets,
  undecidedOperation,
  type PaymentState,
  encryptSecrets,
  type Secrets,
  type StoredPayment,
  recordedBy,
  type RequestedOperation,
  requestedKey,
  withStory,
} from './payment-state.js';
import { refundOpened, refundRefused } from './refund-changes.js';
import { reverseCompensation, reverseRefund } from './refund-reversal.js';
import { moveOn, settle } from './settle.js';

export interface PaymentFlowDeps {
  readonly store: Store;
  readonly storage: RequestStorage;
  readonly seal: Encryption;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * The one way to run a PSP operation of a payment. Every flow is this, begun differently: whatever is open is
 * resolved first, then the operation is opened; one call to the PSP that the route is bound to, with nothing
 * locked; then the verdict: at rest, another call, another PSP by proof, or a pause. It is gone on with from the
 * tables alone, by a retry, the completer or the resolver.
 */
export class PaymentFlow {
  constructor(private readonly deps: PaymentFlowDeps) {}

  /** What `find` finds, with the secrets that its calls may need. */
  async read(
    merchantId: string,
    paymentId: string,
    wanted: RequestedOperation,
  ): Promise<PaymentState | null> {
    const found = await this.find(merchantId, paymentId, wanted);
    return found && { ...found, secrets: decryptSecrets(this.deps.seal, found.payment) };
  }

  /**
   * Reads the payment and everything that was asked of PSPs for it, and decrypts nothing. null when there is
   * none. Both as they stood at one moment: a payment read before its charge was settled, beside a route read
   * after it, would be answered as done and shown as not done.
   */
  async find(
    merchantId: string,
    paymentId: string,
    wanted: RequestedOperation,
  ): Promise<StoredPayment | null> {
    return decideAgain<StoredPayment | null>(this.deps, async () => {
      const payment = await this.readPayment(merchantId, paymentId);
      if (!payment) return null;
      const histories = await this.deps.storage.storiesOf(merchantId, paymentId);
      const refund = await this.readRefund(payment, wanted);
      const otherRefund = await this.readOtherRefund(payment, histories, refund);
      const after = await this.readPayment(merchantId, paymentId);
      // Whatever opens or decides an operation raises the payment's version.
      if (after?.version !== payment.version) return REFUSED;
      return {
        wanted,
        payment,
        histories,
        call: null,
        opened: false,
        refund,
        refundIsStored: refund !== null,
        otherRefund,
      };
    });
  }

  private async readPayment(merchantId: string, id: string): Promise<Payment | null> {
    const [payment] = await this.deps.store.find(payments, { merchantId, id }, 1);
    return payment ?? null;
  }

  private async readRefund({ merchantId, id }: Payment, wanted: RequestedOperation): Promise<Refund | null> {
    if (wanted.operation !== 'refund') return null;
    const key = { merchantId, entityKey: entityKey.refund(id, wanted.reference) };
    const [refund] = await this.deps.store.find(refunds, key, 1);
    return refund ?? null;
  }

  /** The refund that is open: the client that resolves it need not have asked for it. */
  private async readOtherRefund(
    payment: Payment,
    histories: PaymentState['histories'],
    refund: Refund | null,
  ): Promise<Refund | null> {
    const open = undecidedOperation({ payment, histories });
    if (open?.routes[0]?.request.operation !== 'refund' || open.entityKey === refund?.entityKey) return null;
    const key = { merchantId: payment.merchantId, entityKey: open.entityKey };
    const [other] = await this.deps.store.find(refunds, key, 1);
    return other ?? null;
  }

  /** Decides from what is known, with no answer at hand: resolve what is open, else do what is wanted. */
  next(state: PaymentState, run: KeyedRun): Decision<PaymentState> {
    const undecided = state.wanted.operation === 'complete' ? openFirst(state) : undecidedOperation(state);
    if (undecided) return this.applyStep(state, this.drive(state, undecided, run));
    return this.begin(state, run);
  }

  /** Makes the call that the state has written down. */
  async call(state: PaymentState, run: Pick<Run, 'lease'>): Promise<Answered> {
    const call = state.call!;
    return this.deps.storage.perform(call, instructionFor(state, call), run.lease);
  }

  /**
   * The customer has acted: hands in what came of it. What is decided answers as it stands, and so does what
   * was handed in before and is not decided yet.
   */
  complete(state: PaymentState, details: Secrets['details'] & object, run: KeyedRun): Decision<PaymentState> {
    const { payment, secrets } = state;
    const { storage, clock } = this.deps;
    const undecided = openFirst(state);
    const isKnown = payment.status === 'processing' && isDeepStrictEqual(secrets?.details, details);
    if (!undecided || isKnown) return this.next({ ...state, opened: true }, run);
    const now = clock.now();
    const facts = { capabilities: (psp: string) => storage.capabilities(psp), leaseMs: storage.leaseMs, now };
    const stepResult = payment.status === 'requires_action' ? handIn(undecided, facts, run) : null;
    if (!stepResult?.call || !secrets) return this.refuse(notCompletable(payment));
    const handed = { ...withStory(state, stepResult.history), call: stepResult.call, opened: true };
    if (stepResult.call.attempt.kind !== 'complete') return makeCall(handed, stepResult.changes);
    const set = {
      status: paymentLifecycle.after(payment.status, 'action_completed'),
      nextAction: null,
      sealed: encryptSecrets(this.deps.seal, payment.merchantId, payment.id, { ...secrets, details }),
      updatedAt: now,
    };
    const transition = {
      event: 'action_completed' as const,
      actor: run.actor,
      entityKey: undecided.entityKey,
    };
    const moved = moveOn(payment, set, transition, now);
    const next = { ...handed, payment: moved.payment, secrets: { ...secrets, details } };
    return makeCall(next, [...moved.changes, ...stepResult.changes]);
  }

  /** Takes in what the call came back with. */
  settle(state: PaymentState, answered: Answered, run: Run): Decision<PaymentState> {
    const history = state.histories.get(answered.call.request.entityKey)!;
    return this.applyStep(state, this.drive(state, history, run, answered));
  }

  /** What comes next for one operation of the payment, given an answer or not. */
  drive(state: PaymentState, history: OperationHistory, run: Run, answered?: Answered): StepResult {
    const { storage, clock } = this.deps;
    const current = history.routes.at(-1)!.request;
    const isFirst = history.entityKey === firstEntityKey(state.payment);
    const facts = storage.facts({
      candidates: isFirst ? state.payment.candidates : [current.psp],
      deadline: run.clientWaiting ? run.deadline : storage.deadlineOf(history.routes[0]!.request),
      clientWaiting: run.clientWaiting,
      operatorAskedAfter: run.operatorAskedAfter,
      intent: isFirst && state.wanted.operation === 'void' ? 'cancel' : 'finish',
      fence: isFirst && state.payment.fence,
      now: clock.now(),
    });
    return advance(history, facts, run, answered);
  }

  /** From what the drive came to, to what the flow does: call, answer, pause, or take up what is wanted. */
  private applyStep(from: PaymentState, stepResult: StepResult): Decision<PaymentState> {
    const { state, changes } = this.settled(from, stepResult);
    if (stepResult.call) return makeCall(state, changes);
    const isMine = stepResult.history.entityKey === requestedKey(state);
    switch (stepResult.step.do) {
      case 'wait':
        if (state.wanted.operation === 'complete' && wereRefused(stepResult)) {
          return this.refuse(detailsRefused(stepResult), changes);
        }
        return this.paused(state, stepResult.step.until, changes);
      case 'stuck':
        return this.paused(state, null, changes);
      default:
        return isMine || isAlreadySatisfied(state)
          ? reply(statusOf(state), bodyOf(state), changes)
          : decideNext({ ...state, call: null }, changes);
    }
  }

  /** What an operation has come to, with all that it changes. */
  settled(state: PaymentState, stepResult: StepResult): { state: PaymentState; changes: readonly Change[] } {
    const { clock, ids, storage } = this.deps;
    const { psp } = stepResult.history.routes.at(-1)!.request;
    return settle(state, stepResult, clock.now(), storage.capabilities(psp), () => ids.uuid());
  }

  /** A refund that the PSP had done has come to nothing. */
  async reverse(state: PaymentState, request: PspRequest, evidence: RuledOut): Promise<readonly Change[]> {
    const { store, clock, ids } = this.deps;
    const { merchantId, entityKey: name } = request;
    if (isOfOrphan(state.payment.id, name)) return [reverseCompensation(state, request)];
    const [refund] = await store.find(refunds, { merchantId, entityKey: name }, 1);
    if (!refund) throw new RangeError(`a refund without its row: ${name}`);
    return reverseRefund(state, refund, evidence, () => ids.uuid(), clock.now());
  }

  /** Nothing is open: open what is wanted, or say why not. */
  private begin(state: PaymentState, run: KeyedRun): Decision<PaymentState> {
    const { payment, wanted } = state;
    if (wanted.operation === 'first' || wanted.operation === 'complete')
      return reply(statusOf(state), bodyOf(state));
    const now = this.deps.clock.now();
    const key = requestedKey(state);
    const before = state.histories.get(key);
    // Opened by this very key, and decided while it was away (by the resolver).
    if ((state.opened && before) || isAlreadySatisfied(state)) return reply(statusOf(state), bodyOf(state));
    const refusal = this.refusal(state);
    if (refusal)
      return this.refuse(
        refusal,
        refundRefused(state, refusal, () => this.deps.ids.uuid(), now),
      );
    const amount = amountOf(payment, wanted);
    const { merchantId, id, version, currency } = payment;
    const psp = payment.psp!;
    const opening: NewOperation = {
      merchantId,
      paymentId: id,
      payoutId: null,
      entityKey: key,
      operation: wanted.operation,
      amount,
      currency,
      pspIdempotencyKey: keyAtPspOf(state, key),
    };
    const at = this.deps.storage.accountAt(psp);
    const stepResult = before
      ? restartOperation(before, opening, at, run, now)
      : startOperation(opening, at, run, now);
    // Two operations at once would both pass their checks: the version lets one of them through.
    const set = { ...reserved(payment, wanted, amount), version: version + 1, updatedAt: now };
    const claim = update(payments, { merchantId, id }, set, { version });
    const refund = refundOpened(state, { amount, psp }, now);
    const next = {
      ...withStory({ ...state, payment: { ...payment, ...set } }, stepResult.history),
      call: stepResult.call,
      opened: true,
      refund: refund?.row ?? null,
      refundIsStored: refund !== null,
    };
    return makeCall(next, [claim, ...stepResult.changes, ...(refund?.changes ?? [])]);
  }

  /** Why what is wanted cannot be begun on the payment as it stands; null where it can. */
  refusal(state: PaymentState): Refusal | null {
    const { psp } = state.payment;
    const refusal = refusalOf(state, psp === null ? null : this.deps.storage.capabilities(psp));
    const taken = refusal ? null : recordedBy(state);
    if (!taken || !this.deps.storage.isOtherAccount(taken)) return refusal;
    return {
      code: 'psp_account_changed',
      detail: `The account that is configured as ${taken.psp} is not the one that holds this payment.`,
    };
  }

  refuse({ code, detail, members }: Refusal, changes: readonly Change[] = []): Decision<PaymentState> {
    const problem = new Problem(code, detail, members ? { members } : {});
    return reply(problem.status, JSON.stringify(problem.document()), changes);
  }

  evidence(state: PaymentState, answered: Answered): readonly Change[] {
    return evidenceOnly(state.histories.get(answered.call.request.entityKey)!, answered);
  }

  busy(state: PaymentState): Pause {
    return this.paused(state, this.deps.clock.now());
  }

  /** What every flow of a payment does after it has begun. */
  get steps() {
    return {
      next: (state: PaymentState, run: KeyedRun) => this.next(state, run),
      call: (state: PaymentState, run: KeyedRun) => this.call(state, run),
      settle: (state: PaymentState, answered: Answered, run: KeyedRun) => this.settle(state, answered, run),
      evidence: (state: PaymentState, answered: Answered) => this.evidence(state, answered),
      busy: (state: PaymentState) => this.busy(state),
    };
  }

  paused(state: PaymentState, until: Date | null, changes: readonly Change[] = []): Pause {
    const opened = state.wanted.operation === 'first' || state.opened;
    return pause(opened ? 'accepted' : 'started', 202, bodyOf(state), until, changes);
  }
}

/**
 * The requested operation is already done: a cancel is met by whatever made the payment
 * canceled, a refund or a capture of a name by the one of that name.
 */
function isAlreadySatisfied(state: PaymentState): boolean {
  const { payment, wanted, refund } = state;
  if (wanted.operation === 'void') {
    return payment.status === 'canceled' || verdictOf(state, requestedKey(state)) === 'effective';
  }
  if (wanted.operation === 'refund') return refund?.status === 'succeeded';
  return (
    wanted.operation === 'capture' &&
    wanted.reference !== null &&
    verdictOf(state, requestedKey(state)) === 'effective'
  );
}

/** The operation that made the payment, while it is not decided. */
function openFirst(state: PaymentState): OperationHistory | null {
  const history = state.histories.get(firstEntityKey(state.payment));
  return history?.routes.at(-1)?.request.verdict === 'open' ? history : null;
}

/** The PSP did not take the details, and waits for its customer as before. */
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

function verdictOf({ histories }: PaymentState, key: string): string | undefined {
  return histories.get(key)?.routes.at(-1)?.request.verdict;
}
