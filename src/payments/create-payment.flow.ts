import { type Answered } from '../request-storage/attempt.js';
import { audit } from '../database/audit.js';
import { type Change, insert, type Refusal } from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type Begun, type KeyedRun, makeCall, type Operation } from '../idempotency/operation.js';
import { type PspRouter } from '../psp/router.js';
import { startOperation } from '../request-storage/advance.js';
import { entityKey, pspIdempotencyKey, refuseForgottenKey } from '../request-storage/entity-key.js';
import { type Payment } from './payment.entity.js';
import { payments, paymentTransitions } from './payment.table.js';
import { PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import { firstOperation, firstRequested, type PaymentState, encryptSecrets } from './payment-state.js';
import { type NewPayment } from './payments.js';

export const CREATE_PAYMENT = 'POST /v1/payments';

/** The PSP accounts that may be asked, best first, and whether their rule allows a fence. */
export interface Routing {
  readonly candidates: readonly string[];
  readonly fence: boolean;
}

/** `drawnFrom`: what a weight is drawn from; the same for the same request, also after the database lost it. */
export type Route = (ask: NewPayment, drawnFrom: string) => Routing;

/** Routes a payment by the routing rules. */
export function routeOf(router: PspRouter): Route {
  return (ask, drawnFrom) => {
    const { card, tokens } = ask.paymentMethod;
    const facts = {
      operation: ask.capture === 'automatic' ? 'charge' : 'authorize',
      amount: ask.amount,
      currency: ask.currency,
      cardBrand: card.brand ?? undefined,
      cardCountry: card.country ?? undefined,
      tokens: Object.keys(tokens),
    } as const;
    return {
      candidates: router.candidates(facts, drawnFrom),
      fence: router.mayCancelBeforeFailover(facts),
    };
  };
}

/** Takes a payment from asked-for to charged or authorized. Two commits and one call, when all is well. */
export function createPaymentFlow(
  deps: PaymentFlowDeps & { readonly ids: Ids; readonly route: Route },
): Operation<NewPayment, PaymentState, Answered> {
  const flow = new PaymentFlow(deps);
  return {
    name: CREATE_PAYMENT,
    readsFirst: false,
    begin: (ask, run, refused) => begin(deps, ask, run, refused),
    load: async (subjectId, _params, _point, run) =>
      (await flow.read(run.merchantId, subjectId, firstRequested))!,
    ...flow.steps,
  };
}

/** Opens the payment and route 1 with its first attempt: nothing is read, one statement writes it all. */
function begin(
  { seal, clock, ids, route, storage }: PaymentFlowDeps & { ids: Ids; route: Route },
  ask: NewPayment,
  run: KeyedRun,
  refused: Refusal | null,
): Begun<PaymentState> {
  refuseForgottenKey(refused);
  const now = clock.now();
  const id = ids.uuid();
  const { merchantId, actor } = run;
  const keyAtPsp = pspIdempotencyKey.ofRequest(merchantId, CREATE_PAYMENT, run.key);
  const { candidates, fence } = route(ask, keyAtPsp);
  const [first] = candidates;
  if (first === undefined) {
    throw new Problem(
      'no_route',
      'No PSP account has a token in payment_method.tokens and takes this currency.',
    );
  }
  const { tokens, customers, initiator } = ask.paymentMethod;
  const secrets = {
    tokens,
    customer: ask.customer,
    ...(customers ? { customers } : {}),
    ...(initiator ? { initiator } : {}),
  };
  const payment: Payment = {
    merchantId,
    id,
    version: 1,
    reference: ask.reference,
    status: 'processing',
    captureMode: ask.capture,
    amount: ask.amount,
    amountCaptured: 0,
    amountRefunded: 0,
    captureReserved: 0,
    refundReserved: 0,
    currency: ask.currency,
    cardBrand: ask.paymentMethod.card.brand,
    cardCountry: ask.paymentMethod.card.country,
    returnUrl: ask.returnUrl,
    statementDescriptor: ask.statementDescriptor,
    metadata: { ...ask.metadata },
    candidates: [...candidates],
    fence,
    sealed: encryptSecrets(seal, merchantId, id, secrets),
    psp: null,
    pspReference: null,
    failure: null,
    nextAction: null,
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
    amount: ask.amount,
    currency: ask.currency,
    pspIdempotencyKey: keyAtPsp,
  };
  const stepResult = startOperation(opening, storage.accountAt(first), run, now);
  const changes: Change[] = [
    insert(payments, payment),
    ...stepResult.changes,
    insert(paymentTransitions, {
      merchantId,
      paymentId: id,
      version: 1,
      event: 'opened',
      fromStatus: null,
      toStatus: payment.status,
      actor,
      entityKey: key,
      at: now,
    }),
    audit({
      merchantId,
      id: ids.uuid(),
      at: now,
      actor,
      action: 'payment.opened',
      subject: `payment:${id}`,
      detail: { amount: ask.amount, currency: ask.currency, psp: first },
    }),
  ];
  const histories = new Map([[key, stepResult.history]]);
  const state: PaymentState = {
    wanted: firstRequested,
    payment,
    histories,
    secrets,
    call: stepResult.call,
    opened: true,
    refund: null,
    refundIsStored: false,
    otherRefund: null,
  };
  return { subjectId: id, params: {}, decision: makeCall(state, changes) };
}
