import { type Order } from './order.entity.js';
import { type Payment } from './payment.entity.js';
import { isUndecided } from './payment.lifecycle.js';

/** The order that a payment is for, as its request names it. */
export interface OrderRequest {
  readonly reference: string;
  /** Minor units; null: as it stands, or for a new order the payment's amount. */
  readonly amountDue: number | null;
  /** Null: as it stands; for a new order false. */
  readonly inParts: boolean | null;
  /** A payment that its customer has left at a `requires_action` makes way for this one. */
  readonly replaces: boolean;
}

type PaymentAmount = Pick<Payment, 'amount' | 'currency'>;
type LivePayment = Pick<Payment, 'id' | 'status' | 'amount' | 'amountCaptured' | 'amountRefunded'>;

/** Why an order takes no payment at all as it is asked for; each a code of a Problem. */
export type OrderRefusal = 'order_paid' | 'order_changed' | 'amount_exceeds_order';

/** `open`: with the order as the commit that opens the payment writes it. */
export type OrderVerdict =
  | { readonly do: 'open'; readonly order: Order }
  | { readonly do: 'refuse'; readonly why: OrderRefusal; readonly paymentId: string | null }
  /** May be taken once these are proved to have taken nothing; the request asks to cancel those of `replaced`. */
  | {
      readonly do: 'wait';
      readonly undecided: readonly string[];
      readonly replaced: readonly string[];
      /** One of those in the way; null: none of them is found. */
      readonly paymentId: string | null;
    };

/** The share of a payment in its order, in minor units. */
interface Share {
  /** Taken by a PSP or about to be, and not given back. */
  readonly live: number;
  /** Captured, and not given back. */
  readonly paid: number;
}

export function shareOf({
  status,
  amount,
  amountCaptured,
  amountRefunded,
}: Pick<Payment, 'status' | 'amount' | 'amountCaptured' | 'amountRefunded'>): Share {
  const paid = amountCaptured - amountRefunded;
  switch (status) {
    case 'failed':
    case 'canceled':
      return { live: 0, paid: 0 };
    case 'processing':
    case 'requires_action':
    case 'authorized':
      return { live: amount - amountRefunded, paid };
    case 'captured':
    case 'partially_refunded':
    case 'refunded':
      return { live: paid, paid };
  }
}

/** The order of its first payment. Null: it is to be paid in parts, and nobody says of how much. */
export function newOrder(
  { merchantId, id }: Pick<Order, 'merchantId' | 'id'>,
  { reference, amountDue, inParts }: OrderRequest,
  { amount, currency }: PaymentAmount,
  now: Date,
): OrderVerdict | null {
  if (inParts === true && amountDue === null) return null;
  const due = amountDue ?? amount;
  if (amount > due) return { do: 'refuse', why: 'amount_exceeds_order', paymentId: null };
  const order = {
    merchantId,
    reference,
    id,
    version: 1,
    currency,
    inParts: inParts === true,
    amountDue: due,
    amountLive: amount,
    amountPaid: 0,
    amountOverpaid: 0,
    createdAt: now,
    updatedAt: now,
  };
  return { do: 'open', order };
}

/**
 * The rule of orders: the live payments never add up to more than is due, and of an order that is not paid in parts one
 * is live. Proof that a payment took nothing has made room in its own commit; what is undecided is waited for, and what is
 * decided stands. `live`: the payments whose share is above zero.
 */
export function whatASecondPaymentGets(
  order: Order,
  live: readonly LivePayment[],
  { amount, currency }: PaymentAmount,
  asked: OrderRequest,
  now: Date,
): OrderVerdict {
  const isFree = order.amountLive === 0;
  const inParts = isFree ? (asked.inParts ?? order.inParts) : order.inParts;
  const amountDue = asked.amountDue ?? order.amountDue;
  const mayHaveCurrency = currency === order.currency || (isFree && asked.amountDue !== null);
  const open = live.filter(isUndecided);
  const decided = live.find((payment) => !open.includes(payment));
  const amountDecided = order.amountLive - open.reduce((sum, payment) => sum + shareOf(payment).live, 0);
  const refuse = (why: OrderRefusal) => ({ do: 'refuse', why, paymentId: decided?.id ?? null }) as const;

  if (!mayHaveCurrency || (asked.inParts ?? inParts) !== inParts) return refuse('order_changed');
  if (inParts ? amountDecided >= amountDue : amountDecided > 0) {
    // Nothing says that a live payment which is not found took anything.
    if (!decided) return { do: 'wait', undecided: [], replaced: [], paymentId: null };
    return refuse(amountDue === order.amountDue ? 'order_paid' : 'order_changed');
  }
  if (amount > amountDue - amountDecided) return refuse('amount_exceeds_order');
  if (!inParts && asked.amountDue === null && amount !== amountDue) return refuse('order_changed');
  if (open.length > 0 && (!inParts || amount > amountDue - order.amountLive)) {
    const left = open.filter(({ status }) => status === 'requires_action').map(({ id }) => id);
    const undecided = open.filter(({ status }) => status === 'processing').map(({ id }) => id);
    return { do: 'wait', undecided, replaced: asked.replaces ? left : [], paymentId: open[0]!.id };
  }
  const amountLive = order.amountLive + amount;
  const amountOverpaid = Math.max(0, amountLive - amountDue);
  const next = { currency, inParts, amountDue, amountLive, amountOverpaid, updatedAt: now };
  return { do: 'open', order: { ...order, ...next, version: order.version + 1 } };
}

/** The order after a change of one of its payments: money that comes back is counted, also where it is too much. */
export function orderAfter(order: Order, was: Share, is: Share, now: Date): Order {
  const amountLive = order.amountLive + is.live - was.live;
  return {
    ...order,
    version: order.version + 1,
    amountLive,
    amountPaid: order.amountPaid + is.paid - was.paid,
    amountOverpaid: Math.max(0, amountLive - order.amountDue),
    updatedAt: now,
  };
}

export const orderStatuses = ['open', 'pending', 'paid', 'overpaid'] as const;
/** `open`: nothing of it is live; `pending`: part of it is, or all of it and not captured yet. */
export type OrderStatus = (typeof orderStatuses)[number];

export function orderStatusOf({
  amountDue,
  amountLive,
  amountPaid,
  amountOverpaid,
}: Pick<Order, 'amountDue' | 'amountLive' | 'amountPaid' | 'amountOverpaid'>): OrderStatus {
  if (amountOverpaid > 0) return 'overpaid';
  if (amountPaid >= amountDue) return 'paid';
  return amountLive > 0 ? 'pending' : 'open';
}

/** The event of an order whose sums change; null: none. */
export function orderEventOf(was: Order, is: Order): `order.${'paid' | 'overpaid' | 'released'}` | null {
  if (is.amountOverpaid > was.amountOverpaid) return 'order.overpaid';
  if (was.amountPaid < was.amountDue && is.amountPaid >= is.amountDue) return 'order.paid';
  return was.amountLive > 0 && is.amountLive === 0 ? 'order.released' : null;
}
