import { Injectable } from '@nestjs/common';
import { type Change, type Store } from '../core/change.js';
import { audit } from '../database/audit.js';
import { type Decision, type KeyedRun } from '../idempotency/operation.js';
import { type Run } from '../idempotency/operation-run.js';
import { type Operation } from '../psp/contract.js';
import { type MethodName } from '../psp/payment-method.js';
import { advance } from '../request-storage/decisions/advance.js';
import { type AnsweredCall, type Call, type OperationHistory } from '../request-storage/decisions/attempt.js';
import { isOfOrphan } from '../request-storage/entity-key.js';
import { type RuledOut, type StepFacts } from '../request-storage/decisions/next-step.js';
import { type ClientOperations } from '../request-storage/operation-flow.js';
import { type RouteDecision, type Subject } from '../request-storage/route-worker.js';
import { type OrphanEffect, type Route } from '../request-storage/route.entity.js';
import { orphanEffects } from '../request-storage/route.table.js';
import { OperationTools } from '../request-storage/operation-tools.js';
import { asOfOneMoment } from '../request-storage/stable-read.js';
import { instructionOfCompensation, reverseCompensation } from './orphan.js';
import { orderOverpaidEvent } from './order-events.js';
import { orders } from './order.table.js';
import { type Order } from './order.entity.js';
import { type PaymentOperation } from './payment-operation.js';
import {
  decryptSecrets,
  firstEntityKey,
  firstRequested,
  type PaymentState,
  type RequestedOperation,
  requestedKeyOf,
  type StoredPayment,
  undecidedOperation,
} from './payment-state.js';
import { notFound } from './refusal.js';
import { type Payment } from './payment.entity.js';
import { payments } from './payment.table.js';
import { decidePayment } from './decide-payment.js';
import { paymentJson } from './payment.view.js';

/**
 * The operations of payments: read, decided and called in the same way by a client's request and by the resolver.
 * The module with its flow registers each operation.
 */
@Injectable()
export class PaymentOperations implements ClientOperations<PaymentState> {
  private readonly operations = new Map<Operation, PaymentOperation>();

  constructor(readonly tools: OperationTools) {}

  register(...operations: readonly PaymentOperation[]): void {
    for (const one of operations) for (const name of one.kinds) this.operations.set(name, one);
  }

  /** @throws RangeError where no module registered such operations */
  operation(name: Operation): PaymentOperation {
    const operation = this.operations.get(name);
    if (!operation) throw new RangeError(`no module registered the operation ${name}`);
    return operation;
  }

  async read({ merchantId, paymentId }: Subject): Promise<PaymentState> {
    if (paymentId === null) throw new TypeError('no payment is named');
    return this.readFor(merchantId, paymentId, firstRequested);
  }

  /** Reads as `find` does, and decrypts the secrets that calls may need. @throws Problem `not_found` */
  async readFor(merchantId: string, paymentId: string, wanted: RequestedOperation): Promise<PaymentState> {
    const found = await this.find(merchantId, paymentId, wanted);
    if (!found) throw notFound();
    return { ...found, secrets: decryptSecrets(this.tools.seal, found.payment) };
  }

  /** The payment and all calls to PSPs for it, as of one moment. Decrypts nothing. null if there is none. */
  find(merchantId: string, paymentId: string, wanted: RequestedOperation): Promise<StoredPayment | null> {
    const { store, storage } = this.tools;
    const readPayment = async () => (await store.find(payments, { merchantId, id: paymentId }, 1))[0] ?? null;
    return asOfOneMoment(this.tools, readPayment, async (payment) => {
      const histories = await storage.historiesOf(merchantId, paymentId);
      const requestedKey = requestedKeyOf(payment, wanted);
      const order = await orderOf(store, payment);
      const found = { wanted, requestedKey, payment, order, histories, call: null, opened: false };
      return { ...found, records: await this.recordsOf(found) };
    });
  }

  /** The rows of the requested operation and of an undecided one, which another client may have requested. */
  private async recordsOf(state: Omit<StoredPayment, 'records'>): Promise<ReadonlyMap<string, unknown>> {
    const { wanted, requestedKey, payment } = state;
    const undecided = undecidedOperation(state);
    const names = new Map<string, Operation>();
    if (undecided) names.set(undecided.entityKey, undecided.routes[0]!.request.operation);
    if (wanted.operation === 'refund') names.set(requestedKey, wanted.operation);
    const records = new Map<string, unknown>();
    for (const [name, operation] of names) {
      const record = await this.operation(operation).findRecord?.(payment.merchantId, name);
      if (record) records.set(name, record);
    }
    return records;
  }

  historiesOf({ histories }: PaymentState): ReadonlyMap<string, OperationHistory> {
    return histories;
  }

  undecided(state: PaymentState): OperationHistory | null {
    return undecidedOperation(state);
  }

  requestedKey({ requestedKey }: PaymentState): string {
    return requestedKey;
  }

  bodyOf({ payment, histories }: PaymentState): string {
    return paymentJson(payment, histories.get(firstEntityKey(payment))).text;
  }

  withCall(state: PaymentState, call: Call | null): PaymentState {
    return { ...state, call };
  }

  /** The next step of one operation of the payment, with or without an answer, and all its changes. */
  decide(
    state: PaymentState,
    history: OperationHistory,
    run: Run,
    answered?: AnsweredCall,
  ): RouteDecision<PaymentState> {
    const { storage, clock, ids } = this.tools;
    const now = clock.now();
    const current = history.routes.at(-1)!.request;
    const isFirst = history.entityKey === firstEntityKey(state.payment);
    const given = {
      candidates: isFirst ? state.payment.candidates : [current.psp],
      intent: isFirst && state.wanted.operation === 'void' ? 'cancel' : 'finish',
      cancelBeforeFailover: isFirst && state.payment.cancelBeforeFailover,
      now,
    } as const;
    const known = storage.factsFor(history, given, run);
    const { method } = state.payment;
    const facts = isFirst && method ? withTermOf(method, known) : known;
    const stepResult = advance(history, facts, run, answered);
    const decided = decidePayment(
      state,
      stepResult,
      facts,
      (name) => this.operation(name),
      () => ids.uuid(),
    );
    return state.order ? { ...decided, changes: this.withOrphanEvents(state, decided.changes) } : decided;
  }

  /** An orphan effect of a payment is more than is due of its order until it is given back. */
  withOrphanEvents({ payment, order }: PaymentState, changes: readonly Change[]): readonly Change[] {
    if (!order) return changes;
    const { ids, clock } = this.tools;
    const news = changes.flatMap((change) => {
      if (change.op !== 'insert' || change.table !== orphanEffects) return [];
      const orphan = change.row as unknown as OrphanEffect;
      if (!TAKES_MONEY.has(orphan.operation) || isOfOrphan(payment.id, orphan.entityKey)) return [];
      return [orderOverpaidEvent(order, payment, orphan, ids.uuid(), clock.now())];
    });
    return [...changes, ...news];
  }

  /** The first decision about an existing payment, with the author of the request. */
  audited(
    decision: Decision<PaymentState>,
    paymentId: string,
    asked: { readonly action: string; readonly detail: Record<string, unknown> },
    { merchantId, actor }: KeyedRun,
  ): Decision<PaymentState> {
    const { clock, ids } = this.tools;
    const subject = `payment:${paymentId}`;
    const record = audit({ merchantId, id: ids.uuid(), at: clock.now(), actor, subject, ...asked });
    return { ...decision, changes: [...decision.changes, record] };
  }

  /** Makes the call that the state has committed. */
  call(state: PaymentState, run: Pick<Run, 'lease'>): Promise<AnsweredCall> {
    const call = state.call!;
    const { operation, entityKey: name } = call.request;
    const own = isOfOrphan(state.payment.id, name)
      ? instructionOfCompensation(state, call.request)
      : this.operation(operation).instruct(state, call);
    return this.tools.storage.perform(call, { reference: state.payment.reference, ...own }, run.lease);
  }

  /**
   * An operation that the PSP had done failed later: a capture, a refund, or the compensation of an orphan effect. null if
   * what was done since rests on it.
   */
  async reverse(state: PaymentState, request: Route, evidence: RuledOut): Promise<readonly Change[] | null> {
    const { payment } = state;
    if (isOfOrphan(payment.id, request.entityKey)) return [reverseCompensation(payment, request.entityKey)];
    const { clock, ids } = this.tools;
    const operation = this.operation(request.operation);
    return operation.reverse?.(state, request, evidence, () => ids.uuid(), clock.now()) ?? null;
  }
}

/** By the others money came back. */
const TAKES_MONEY: ReadonlySet<Operation> = new Set(['charge', 'authorize', 'capture']);

/** The order of the payment; a commit that changes both is held to its version. */
async function orderOf(store: Store, { merchantId, orderReference }: Payment): Promise<Order | null> {
  if (!orderReference) return null;
  return (await store.find(orders, { merchantId, reference: orderReference }, 1))[0] ?? null;
}

/** A payment by some methods is pending for weeks, where others are stuck after days. */
function withTermOf(method: MethodName, facts: StepFacts): StepFacts {
  const capabilities = (psp: string) => {
    const can = facts.capabilities(psp);
    const answersWithinMs = can.methods[method]?.answersWithinMs;
    return answersWithinMs === undefined ? can : { ...can, answersWithinMs };
  };
  return { ...facts, capabilities };
}
