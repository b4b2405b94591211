import { insert, NoneOf, type Refusal, update } from '../core/change.js';
import { Problem } from '../core/problem.js';
import { type BeginResult, type KeyedRun } from '../idempotency/operation.js';
import { asOfOneMoment } from '../request-storage/stable-read.js';
import { ChargeFlow, type ChooseAccounts } from './charge.flow.js';
import { type Order } from './order.entity.js';
import { type OrderRequest, newOrder, type OrderRefusal, whatASecondPaymentGets } from './order-rules.js';
import { orders } from './order.table.js';
import { type Payment } from './payment.entity.js';
import { type PaymentOperations } from './payment-operations.js';
import { type PaymentState } from './payment-state.js';
import { payments } from './payment.table.js';
import { refuse } from './refusal.js';
import { type NewPayment } from './dto/create-payment.dto.js';

/** Payments of the order that are not proved to have taken nothing stand in the way; they are named. */
export class OrderInDoubt extends Problem {
  constructor(
    /** Ids of payments whose outcome is not known yet. */
    readonly undecided: readonly string[],
    /** Payments that their customer left, and that the request asks to cancel. */
    readonly replaced: readonly string[],
    paymentId: string | null,
  ) {
    super(
      'order_in_doubt',
      'A payment of this order is not decided yet; payment_id names it. Its PSP may have taken the money, or takes it when the customer comes back. Send the same request again: it goes ahead as soon as that payment is proved to have taken nothing. With order.replace a payment with status requires_action is canceled for it.',
      { members: { payment_id: paymentId }, retryAfterS: 2 },
    );
  }
}

/**
 * The charge of a payment that is for an order. The order is read first, and the commit that opens the payment holds it to
 * the version that was read: of several at once, one opens, and the others are judged again.
 */
export class OrderedChargeFlow extends ChargeFlow {
  constructor(
    operations: PaymentOperations,
    chooseAccounts: ChooseAccounts,
    private readonly asked: OrderRequest,
  ) {
    super(operations, chooseAccounts);
  }

  /** @throws OrderInDoubt, which is not stored: the same request may go ahead later. */
  override async begin(
    input: NewPayment,
    run: KeyedRun,
    refused: Refusal | null,
  ): Promise<BeginResult<PaymentState>> {
    const { asked } = this;
    const { clock, ids } = this.operations.tools;
    const { merchantId } = run;
    const stands = await this.read(merchantId);
    if (stands && stands.live.length >= MOST_LIVE) throw new OrderInDoubt([], [], stands.live[0]!.id);
    const now = clock.now();
    const verdict = stands
      ? whatASecondPaymentGets(stands.order, stands.live, input, asked, now)
      : newOrder({ merchantId, id: ids.uuid() }, asked, input, now);
    if (!verdict) {
      const errors = [{ pointer: '/order/amount', message: 'must be given for an order in parts' }];
      throw new Problem('validation_failed', 'The request is not valid.', { errors });
    }
    if (verdict.do === 'wait') throw new OrderInDoubt(verdict.undecided, verdict.replaced, verdict.paymentId);
    if (verdict.do === 'refuse') return refusal(verdict.why, verdict.paymentId, stands?.order ?? null);
    const { order } = verdict;
    const change = stands ? changed(stands.order, order) : insert(orders, order);
    return this.newPayment(input, run, refused, { order, changes: [change] });
  }

  /** The order with its live payments as of one moment; null: there is none. */
  private read(merchantId: string): Promise<{ readonly order: Order; readonly live: Payment[] } | null> {
    const { tools } = this.operations;
    const { reference } = this.asked;
    const readOrder = async () => (await tools.store.find(orders, { merchantId, reference }, 1))[0] ?? null;
    return asOfOneMoment(tools, readOrder, async (order) => {
      const status = new NoneOf(['failed', 'canceled', 'refunded']);
      const where = { merchantId, orderReference: reference, status };
      const live = order.amountLive === 0 ? [] : await tools.store.find(payments, where, MOST_LIVE);
      return { order, live };
    });
  }
}

function changed(
  { merchantId, reference, version }: Order,
  { version: next, currency, inParts, amountDue, amountLive, amountOverpaid, updatedAt }: Order,
) {
  const set = { version: next, currency, inParts, amountDue, amountLive, amountOverpaid, updatedAt };
  return update(orders, { merchantId, reference }, set, { version });
}

/** An order in so many parts takes no more of them before some have been given back. */
const MOST_LIVE = 1_000;

const DETAILS: Readonly<Record<OrderRefusal, string>> = {
  order_paid:
    'This order is paid, or authorized; payment_id names a payment of it. Nothing more is taken for it.',
  order_changed:
    'This order stands with another amount, currency or kind (parts), which the members of this problem name. To change what is due, give order.amount; the currency and parts stay while a payment of it is live.',
  amount_exceeds_order:
    'The payment is of more than is left to pay of this order. To change what is due, give order.amount.',
};

/** A paid order is the answer that is stored under the key; other refusals are not, since they may be put right. */
function refusal(
  why: OrderRefusal,
  paymentId: string | null,
  order: Order | null,
): BeginResult<PaymentState> {
  const members = {
    ...(paymentId === null ? {} : { payment_id: paymentId }),
    ...(order && {
      amount_due: order.amountDue,
      amount_live: order.amountLive,
      amount_paid: order.amountPaid,
      currency: order.currency,
    }),
  };
  if (why !== 'order_paid' || paymentId === null) throw new Problem(why, DETAILS[why], { members });
  return { subjectId: paymentId, params: {}, decision: refuse({ code: why, detail: DETAILS[why], members }) };
}
