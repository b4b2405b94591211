import { audit, type Change, type Ids, insert, Problem } from '../kernel/index.js';
import { type Begun, type Flow, moveTo, type Run } from '../idempotency/index.js';
import { entityKey, open } from '../request-storage/index.js';
import { type Payment, payments, paymentTransitions } from './payment.entity.js';
import { PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import { firstOperation, firstWanted, type PaymentState, sealSecrets } from './payment-state.js';
import { type PaymentAsk } from './payments.js';

export const CREATE_PAYMENT = 'POST /v1/payments';

/** The PSP accounts that may be asked, best first, and whether their rule allows a fence. */
export interface Routing {
  readonly candidates: readonly string[];
  readonly fence: boolean;
}

export type Route = (ask: PaymentAsk, paymentId: string) => Routing;

/** Takes a payment from asked-for to charged or authorized. Two commits and one call, when all is well. */
export function createPaymentFlow(
  deps: PaymentFlowDeps & { readonly ids: Ids; readonly route: Route },
): Flow<PaymentAsk, PaymentState> {
  const flow = new PaymentFlow(deps);
  return {
    operation: CREATE_PAYMENT,
    readsFirst: false,
    begin: (ask, run) => begin(deps, ask, run),
    load: async (subjectId, _params, _point, run) =>
      (await flow.read(run.merchantId, subjectId, firstWanted))!,
    resume: (state, run) => flow.next(state, run),
    busy: (state) => flow.paused(state, deps.clock.now()),
    phases: flow.phases,
  };
}

/** Opens the payment and route 1 with its first attempt: nothing is read, one statement writes it all. */
function begin(
  { seal, clock, ids, route }: PaymentFlowDeps & { ids: Ids; route: Route },
  ask: PaymentAsk,
  run: Run,
): Begun<PaymentState> {
  const now = clock.now();
  const id = ids.uuid();
  const { merchantId, actor } = run;
  const { candidates, fence } = route(ask, id);
  const [first] = candidates;
  if (first === undefined) {
    throw new Problem(
      'no_route',
      'No PSP account has a token in payment_method.tokens and takes this currency.',
    );
  }
  const secrets = { tokens: ask.paymentMethod.tokens, customer: ask.customer };
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
    sealed: sealSecrets(seal, merchantId, id, secrets),
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
  };
  const driven = open(
    opening,
    first,
    { token: run.lockToken, leaseMs: run.leaseMs, traceId: run.traceId },
    now,
  );
  const changes: Change[] = [
    insert(payments, payment),
    ...driven.changes,
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
  const stories = new Map([[key, driven.story]]);
  const state: PaymentState = {
    wanted: firstWanted,
    payment,
    stories,
    secrets,
    call: driven.call,
    opened: true,
    refund: null,
    refundIsStored: false,
    otherRefund: null,
  };
  return { subjectId: id, params: {}, decision: moveTo('accepted', state, changes) };
}
