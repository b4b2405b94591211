import { type Change, insert, type Refusal } from '../core/change.js';
import { invalidFields, Problem } from '../core/problem.js';
import { type BeginResult, type KeyedRun, makeCall } from '../idempotency/operation.js';
import { type Instruction, type NextAction } from '../psp/contract.js';
import { faultsOfMethod } from '../psp/payment-method.js';
import { type PspRouter } from '../psp/router.js';
import { startOperation } from '../request-storage/decisions/advance.js';
import { OperationFlow } from '../request-storage/operation-flow.js';
import { isFailoverCancel } from '../request-storage/decisions/assess-route.js';
import { wasSkipped } from '../request-storage/decisions/skipped-call.js';
import { type Call, type OperationHistory } from '../request-storage/decisions/attempt.js';
import { entityKey, pspIdempotencyKey, refuseForgottenKey } from '../request-storage/entity-key.js';
import { type RuledOut } from '../request-storage/decisions/next-step.js';
import { keptOfCustomer } from './customer-of-payment.js';
import { failureOf } from '../request-storage/decisions/route-failure.js';
import { type Order } from './order.entity.js';
import { type Payment } from './payment.entity.js';
import { type PaymentEvent } from './payment.lifecycle.js';
import { type OperationStep, type PaymentOperation } from './payment-operation.js';
import { type PaymentOperations } from './payment-operations.js';
import { encryptSecrets, firstOperation, firstRequested, type PaymentState } from './payment-state.js';
import { payments, paymentTransitions } from './payment.table.js';
import { type NewPayment } from './dto/create-payment.dto.js';

const CREATE_PAYMENT = 'POST /v1/payments';

/** The PSP accounts that may get the charge, best first, and whether their rule allows a cancel before a failover. */
export interface ChosenAccounts {
  readonly candidates: readonly string[];
  readonly cancelBeforeFailover: boolean;
  /** The payment is of test mode. Absent: it is not. */
  readonly isTest?: boolean;
}

/**
 * `drawnFrom`: the seed of the weights; the same for the same request, also after the database lost it. Throws
 * Problem `psp_account_refused` if the merchant may not use an account that it names, and `validation_failed` for one
 * that there is not, or that takes no token without its customer.
 */
export type ChooseAccounts = (payment: NewPayment, drawnFrom: string, merchantId: string) => ChosenAccounts;

/** Routes a payment by the routing rules. `isTest`: to accounts of test mode. */
export function chooserOf(router: PspRouter, isTest: boolean): ChooseAccounts {
  return (payment, drawnFrom, merchantId) => {
    const { card, tokens, customers, name = 'card', mandate, initiator } = payment.paymentMethod;
    const { currency, capture, captureParts: capturesInParts = false, returnUrl } = payment;
    const hasToken = Object.keys(tokens).length > 0;
    const faults = faultsOfMethod({
      name,
      currency,
      capture,
      capturesInParts,
      hasToken,
      returnUrl,
      initiator,
    });
    if (faults.length > 0) throw invalidFields(faults);
    const facts = {
      operation: capture === 'automatic' ? 'charge' : 'authorize',
      amount: payment.amount,
      currency,
      cardBrand: card.brand ?? undefined,
      cardCountry: card.country ?? undefined,
      method: name,
      capturesInParts,
      tokens: Object.keys(tokens),
    } as const;
    const named = {
      at: '/payment_method',
      tokens,
      customers,
      customerReference: payment.customer.reference,
      hasMandate: mandate !== undefined,
    };
    return {
      candidates: router.candidatesFor(named, facts, drawnFrom, { merchantId, isTest }),
      cancelBeforeFailover: router.mayCancelBeforeFailover(facts, merchantId),
      isTest,
    };
  };
}

/** Charges or authorizes a payment. Usually two commits and one call. */
export class ChargeFlow extends OperationFlow<NewPayment, PaymentState> implements PaymentOperation {
  readonly name = CREATE_PAYMENT;
  readonly kinds = ['charge', 'authorize'] as const;

  /** Only if a request may be refused that was carried out before. */
  get readsFirst(): boolean {
    return this.operations.tools.storage.isHeld;
  }

  constructor(
    protected override readonly operations: PaymentOperations,
    private readonly chooseAccounts: ChooseAccounts,
  ) {
    super(operations, operations.tools.clock);
  }

  begin(
    input: NewPayment,
    run: KeyedRun,
    refused: Refusal | null,
  ): BeginResult<PaymentState> | Promise<BeginResult<PaymentState>> {
    return this.newPayment(input, run, refused);
  }

  /** begin: the payment and route 1 with its first attempt. Nothing is read, one commit writes it all. */
  protected newPayment(
    input: NewPayment,
    run: KeyedRun,
    refused: Refusal | null,
    taken: { readonly order: Order; readonly changes: readonly Change[] } | null = null,
  ): BeginResult<PaymentState> {
    refuseForgottenKey(refused);
    const { seal, clock, ids, storage } = this.operations.tools;
    const { merchantId, actor } = run;
    const now = clock.now();
    const id = ids.uuid();
    const keyAtPsp = pspIdempotencyKey.ofRequest(merchantId, this.name, run.key);
    const { candidates, cancelBeforeFailover, isTest } = this.chooseAccounts(input, keyAtPsp, merchantId);
    const [first] = candidates;
    if (first === undefined) {
      throw new Problem(
        'no_route',
        'No PSP account takes this payment method and currency, with the tokens that were given.',
      );
    }
    storage.refuseWhileHeld(candidates);
    const { tokens, customers, initiator, name: method, mandate } = input.paymentMethod;
    const secrets = {
      tokens,
      customer: input.customer,
      ...(customers ? { customers } : {}),
      ...(initiator ? { initiator } : {}),
      ...(mandate ? { mandate } : {}),
    };
    const payment: Payment = {
      merchantId,
      id,
      version: 1,
      reference: input.reference,
      status: 'processing',
      captureMode: input.capture,
      amount: input.amount,
      amountCaptured: 0,
      amountRefunded: 0,
      captureReserved: 0,
      refundReserved: 0,
      currency: input.currency,
      cardBrand: input.paymentMethod.card.brand,
      cardCountry: input.paymentMethod.card.country,
      returnUrl: input.returnUrl,
      statementDescriptor: input.statementDescriptor,
      metadata: { ...input.metadata },
      candidates: [...candidates],
      cancelBeforeFailover,
      sealed: encryptSecrets(seal, merchantId, id, secrets),
      psp: null,
      pspReference: null,
      failure: null,
      nextAction: null,
      ...(method ? { method } : {}),
      ...keptOfCustomer(seal, input.customer),
      ...(taken ? placeIn(taken.order) : {}),
      ...(isTest ? { isTest } : {}),
      createdAt: now,
      updatedAt: now,
    };
    const operation = firstOperation(payment);
    const key = entityKey[operation](id);
    const opening = {
      merchantId,
      paymentId: id,
      payoutId: null,
      entityKey: key,
      operation,
      amount: input.amount,
      currency: input.currency,
      pspIdempotencyKey: keyAtPsp,
    };
    const { history, changes, call } = startOperation(
      opening,
      storage.accountAt(first, opening.operation),
      run,
      now,
    );
    const transition = {
      merchantId,
      paymentId: id,
      version: 1,
      event: 'opened' as const,
      fromStatus: null,
      toStatus: payment.status,
      actor,
      entityKey: key,
      at: now,
    };
    const state: PaymentState = {
      wanted: firstRequested,
      requestedKey: key,
      payment,
      order: taken?.order ?? null,
      histories: new Map([[key, history]]),
      secrets,
      call,
      opened: true,
      records: new Map(),
    };
    const written = [
      ...(taken?.changes ?? []),
      insert(payments, payment),
      ...changes,
      insert(paymentTransitions, transition),
    ];
    return { subjectId: id, params: {}, decision: makeCall(state, written) };
  }

  async load(paymentId: string, _params: unknown, _point: string, run: KeyedRun): Promise<PaymentState> {
    return { ...(await this.operations.readFor(run.merchantId, paymentId, firstRequested)), opened: true };
  }

  /** call: the token of the PSP that the route is bound to, and what that PSP shows to the customer. */
  instruct({ payment, secrets }: PaymentState, { request, attempt }: Call): Partial<Instruction> {
    const { reference, email } = secrets?.customer ?? { reference: null, email: null };
    const token = secrets?.tokens[request.psp];
    const pspCustomer = secrets?.customers?.[request.psp];
    return {
      ...(attempt.kind === 'complete' && secrets?.details ? { details: secrets.details } : {}),
      ...(token === undefined ? {} : { token }),
      ...(pspCustomer === undefined ? {} : { pspCustomer }),
      ...(secrets?.initiator ? { initiator: secrets.initiator } : {}),
      ...(payment.method ? { method: payment.method } : {}),
      ...(secrets?.mandate ? { mandate: secrets.mandate } : {}),
      ...(payment.statementDescriptor === null ? {} : { statementDescriptor: payment.statementDescriptor }),
      ...(payment.returnUrl === null ? {} : { returnUrl: payment.returnUrl }),
      customer: { ...(reference === null ? {} : { reference }), ...(email === null ? {} : { email }) },
    };
  }

  /** settle: the PSP took the money, or authorized it. */
  done({ request }: OperationStep): PaymentEvent {
    return request.operation === 'charge' ? 'charged' : 'authorized';
  }

  /**
   * settle: no PSP did it. After a cancel before a failover the reason is that no PSP was left, not the merchant's
   * cancel. What our lock kept back, and was never sent, is given up for the merchant's cancel alone.
   */
  failed({ kind, by }: RuledOut): PaymentEvent {
    const isCalledOff = kind === 'cancel_acknowledged' ? !isFailoverCancel(by) : wasSkipped(by);
    return isCalledOff ? 'voided' : 'failed';
  }

  /** settle: once for every action, since the next one may be another PSP's, or a challenge after a fingerprint. */
  waits({ payment, request: { psp, pspReference } }: OperationStep): PaymentEvent | null {
    const isNew =
      payment.status === 'processing' || payment.psp !== psp || payment.pspReference !== pspReference;
    return isNew ? 'action_required' : null;
  }

  /** settle: the changes of the payment's row. */
  effect(event: PaymentEvent, { payment, request, history, step }: OperationStep): Partial<Payment> {
    const { psp, pspReference, operation } = request;
    const takenBy = { psp, pspReference, sealed: null, nextAction: null, failure: null };
    switch (event) {
      case 'charged':
        return { ...takenBy, amountCaptured: payment.amount };
      case 'authorized':
        return takenBy;
      case 'action_required':
        return { psp, pspReference, nextAction: actionOf(history) };
      case 'voided':
        // A charge that was reversed before its success was known is shown at its PSP.
        return payment.psp === null ? takenBy : { sealed: null, nextAction: null, failure: null };
      default:
        return { sealed: null, nextAction: null, failure: failureOf(step, operation) };
    }
  }

  protected override statusOf(): number {
    return 201;
  }
}

/** The columns that put it in its order. Unless an order is paid in parts, the database lets one payment hold it. */
function placeIn({ reference, inParts }: Order): Pick<Payment, 'orderReference' | 'holdsOrder'> {
  return { orderReference: reference, ...(inParts ? {} : { holdsOrder: true }) };
}

/** The PSP's last action, if it can be passed on; an action for a PSP's library names the PSP account. */
function actionOf(history: OperationHistory): Payment['nextAction'] {
  const { request, attempts } = history.routes.at(-1)!;
  const asked = attempts.findLast(({ outcome }) => outcome === 'requires_action');
  const action = asked?.response?.['next_action'] as NextAction | undefined;
  if (!action) return null;
  return action.type === 'psp_sdk' ? { ...action, psp: request.psp } : action;
}
