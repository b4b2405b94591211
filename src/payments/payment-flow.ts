import {
  type Change,
  type Clock,
  type Ids,
  Problem,
  type Seal,
  type Store,
  update,
} from '../kernel/index.js';
import {
  type Decision,
  inside,
  moveTo,
  outside,
  pause,
  type Pause,
  type Phase,
  reply,
  type Run,
} from '../idempotency/index.js';
import {
  type Answered,
  drive,
  type Driven,
  type DrivenBy,
  type Driver,
  entityKey,
  evidenceOnly,
  open,
  type Opening,
  type OperationStory,
  reopen,
  type RequestStorage,
} from '../request-storage/index.js';
import { type Payment, payments } from './payment.entity.js';
import { type Refund, refunds } from '../refunds/index.js';
import { bodyOf, statusOf } from './answer.js';
import { amountOf, type Refusal, refusalOf, reserved } from './operation-rules.js';
import {
  firstEntityKey,
  instructionFor,
  openSecrets,
  openStory,
  type PaymentState,
  type Wanted,
  wantedKey,
  withStory,
} from './payment-state.js';
import { refundOpened, refundRefused } from './refund-changes.js';
import { settle } from './settle.js';

export interface PaymentFlowDeps {
  readonly store: Store;
  readonly storage: RequestStorage;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A payment that changes under every one of so many reads is driven by somebody else. */
const MOST_READS = 10;

/**
 * The one way to run a PSP operation of a payment. Every flow is this, begun differently:
 *
 *   started   (inside)   whatever is open is to be resolved first; then the operation is opened
 *   accepted  (outside)  one call to the PSP that the route is bound to, with nothing locked, then
 *                        the verdict: at rest, another call, another PSP by proof, or a pause
 *
 * Both may be entered again from the tables alone, by a retry, the completer or the resolver.
 */
export class PaymentFlow {
  readonly phases: Readonly<Record<string, Phase<PaymentState>>> = {
    started: inside((state, run) => this.next(state, run)),
    accepted: outside(
      (state: PaymentState, run) => this.perform(state, run),
      (state, answered, run) => this.after(state, answered, run),
      (state, answered) => evidenceOf(state, answered),
    ),
  };

  constructor(private readonly deps: PaymentFlowDeps) {}

  /**
   * Reads the payment and everything that was asked of PSPs for it. null when there is none. Both as
   * they stood at one moment: a payment read before its charge was settled, beside a route read
   * after it, would be answered as done and shown as not done.
   */
  async read(merchantId: string, paymentId: string, wanted: Wanted): Promise<PaymentState | null> {
    let payment = await this.readPayment(merchantId, paymentId);
    for (let tries = 0; payment; tries++) {
      const stories = await this.deps.storage.storiesOf(merchantId, paymentId);
      const refund = await this.readRefund(payment, wanted);
      const otherRefund = await this.readOtherRefund(payment, stories, refund);
      const after = await this.readPayment(merchantId, paymentId);
      // Whatever opens or decides an operation raises the payment's version.
      if (after?.version === payment.version) {
        const secrets = openSecrets(this.deps.seal, payment);
        return {
          wanted,
          payment,
          stories,
          secrets,
          call: null,
          opened: false,
          refund,
          refundIsStored: refund !== null,
          otherRefund,
        };
      }
      if (tries === MOST_READS)
        throw new Problem('overloaded', 'The payment changes too fast.', { retryAfterS: 1 });
      payment = after;
    }
    return null;
  }

  private async readPayment(merchantId: string, id: string): Promise<Payment | null> {
    const [payment] = await this.deps.store.find(payments, { merchantId, id }, 1);
    return payment ?? null;
  }

  private async readRefund({ merchantId, id }: Payment, wanted: Wanted): Promise<Refund | null> {
    if (wanted.operation !== 'refund') return null;
    const key = { merchantId, entityKey: entityKey.refund(id, wanted.reference) };
    const [refund] = await this.deps.store.find(refunds, key, 1);
    return refund ?? null;
  }

  /** The refund that is open: nobody who resolves it needs to have asked for it. */
  private async readOtherRefund(
    payment: Payment,
    stories: PaymentState['stories'],
    refund: Refund | null,
  ): Promise<Refund | null> {
    const open = openStory({ payment, stories });
    if (open?.routes[0]?.request.operation !== 'refund' || open.entityKey === refund?.entityKey) return null;
    const key = { merchantId: payment.merchantId, entityKey: open.entityKey };
    const [other] = await this.deps.store.find(refunds, key, 1);
    return other ?? null;
  }

  /** Decides from what is known, with no answer at hand: resolve what is open, else do what is wanted. */
  next(state: PaymentState, run: Run): Decision<PaymentState> {
    const undecided = openStory(state);
    if (undecided) return this.onward(state, this.drive(state, undecided, run));
    return this.begin(state, run);
  }

  /** Makes the call that the state has written down. */
  async perform(state: PaymentState, run: Pick<Run, 'lease'>): Promise<Answered> {
    const call = state.call!;
    return this.deps.storage.perform(call, instructionFor(state, call), run.lease);
  }

  private after(state: PaymentState, answered: Answered, run: Run): Decision<PaymentState> {
    const story = state.stories.get(answered.call.request.entityKey)!;
    return this.onward(state, this.drive(state, story, run, answered));
  }

  /** What comes next for one operation of the payment, given an answer or not. */
  drive(state: PaymentState, story: OperationStory, run: DrivenBy, answered?: Answered): Driven {
    const { storage, clock } = this.deps;
    const current = story.routes.at(-1)!.request;
    const isFirst = story.entityKey === firstEntityKey(state.payment);
    const facts = storage.facts({
      candidates: isFirst ? state.payment.candidates : [current.psp],
      deadline: run.asked ? run.deadline : storage.deadlineOf(story.routes[0]!.request),
      asked: run.asked,
      wish: isFirst && state.wanted.operation === 'void' ? 'cancel' : 'finish',
      fence: isFirst && state.payment.fence,
      now: clock.now(),
    });
    return drive(story, facts, driverOf(run), answered);
  }

  /** From what the drive came to, to what the flow does: call, answer, pause, or take up what is wanted. */
  private onward(from: PaymentState, driven: Driven): Decision<PaymentState> {
    const { state, changes } = this.settle(from, driven);
    if (driven.call) return moveTo('accepted', state, changes);
    const isMine = driven.story.entityKey === wantedKey(state);
    switch (driven.step.do) {
      case 'wait':
        return this.paused(state, driven.step.until, changes);
      case 'stuck':
        return this.paused(state, null, changes);
      default:
        return isMine || isMet(state)
          ? reply(statusOf(state), bodyOf(state), changes)
          : moveTo('started', { ...state, call: null }, changes);
    }
  }

  /** What an operation has come to, with all that it changes. */
  settle(state: PaymentState, driven: Driven): { state: PaymentState; changes: readonly Change[] } {
    const { clock, ids, storage } = this.deps;
    const { psp } = driven.story.routes.at(-1)!.request;
    return settle(state, driven, clock.now(), storage.capabilities(psp), () => ids.uuid());
  }

  /** Nothing is open: open what is wanted, or say why not. */
  private begin(state: PaymentState, run: Run): Decision<PaymentState> {
    const { payment, wanted } = state;
    if (wanted.operation === 'first') return reply(statusOf(state), bodyOf(state));
    const now = this.deps.clock.now();
    const key = wantedKey(state);
    const before = state.stories.get(key);
    // Opened by this very key, and decided while it was away (by the resolver).
    if ((state.opened && before) || isMet(state)) return reply(statusOf(state), bodyOf(state));
    const refusal = this.refusal(state);
    if (refusal)
      return this.refuse(
        refusal,
        refundRefused(state, refusal, () => this.deps.ids.uuid(), now),
      );
    const amount = amountOf(payment, wanted);
    const { merchantId, id, version, currency } = payment;
    const psp = payment.psp!;
    const opening: Opening = {
      merchantId,
      paymentId: id,
      payoutId: null,
      entityKey: key,
      operation: wanted.operation,
      amount,
      currency,
    };
    const driver = driverOf(run);
    const driven = before ? reopen(before, opening, psp, driver, now) : open(opening, psp, driver, now);
    // Two operations at once would both pass their checks: the version lets one of them through.
    const set = { ...reserved(payment, wanted, amount), version: version + 1, updatedAt: now };
    const claim = update(payments, { merchantId, id }, set, { version });
    const refund = refundOpened(state, { amount, psp }, now);
    const next = {
      ...withStory({ ...state, payment: { ...payment, ...set } }, driven.story),
      call: driven.call,
      opened: true,
      refund: refund?.row ?? null,
      refundIsStored: refund !== null,
    };
    return moveTo('accepted', next, [claim, ...driven.changes, ...(refund?.changes ?? [])]);
  }

  /** Why what is wanted cannot be begun on the payment as it stands; null where it can. */
  refusal(state: PaymentState): Refusal | null {
    const { psp } = state.payment;
    return refusalOf(state, psp === null ? null : this.deps.storage.capabilities(psp));
  }

  refuse({ code, detail, members }: Refusal, changes: readonly Change[] = []): Decision<PaymentState> {
    const problem = new Problem(code, detail, members ? { members } : {});
    return reply(problem.status, JSON.stringify(problem.document()), changes);
  }

  paused(state: PaymentState, until: Date | null, changes: readonly Change[] = []): Pause {
    const opened = state.wanted.operation === 'first' || state.opened;
    return pause(opened ? 'accepted' : 'started', 202, bodyOf(state), until, changes);
  }
}

/**
 * What was asked for is so already, whoever made it so: a cancel is met by whatever made the payment
 * canceled, a refund or a capture of a name by the one of that name.
 */
function isMet(state: PaymentState): boolean {
  const { payment, wanted, refund } = state;
  if (wanted.operation === 'void') {
    return payment.status === 'canceled' || verdictOf(state, wantedKey(state)) === 'effective';
  }
  if (wanted.operation === 'refund') return refund?.status === 'succeeded';
  return (
    wanted.operation === 'capture' &&
    wanted.reference !== null &&
    verdictOf(state, wantedKey(state)) === 'effective'
  );
}

function verdictOf({ stories }: PaymentState, key: string): string | undefined {
  return stories.get(key)?.routes.at(-1)?.request.verdict;
}

function driverOf(run: DrivenBy): Driver {
  return { token: run.lockToken, leaseMs: run.leaseMs, traceId: run.traceId };
}

/** The answer as evidence, for a run that has lost its lock: the first change is the gate. */
export function evidenceOf(state: PaymentState, answered: Answered): readonly Change[] {
  return evidenceOnly(state.stories.get(answered.call.request.entityKey)!, answered);
}
