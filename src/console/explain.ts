import { formatMoney } from '../core/money.js';
import { type Payout } from '../payouts/payout.entity.js';
import { isCall, type OperationHistory } from '../request-storage/decisions/attempt.js';
import { type RouteHistory } from '../request-storage/decisions/assess-route.js';
import { statedBy } from '../request-storage/decisions/person-statement.js';
import { duration } from '../core/duration.js';
import { type OrderReport } from '../orders/order-report.js';
import { type Order } from '../payments/order.entity.js';
import { orderStatusOf, shareOf } from '../payments/order-rules.js';
import { type Payment } from '../payments/payment.entity.js';
import { isUndecided } from '../payments/payment.lifecycle.js';
import { type PaymentReport } from './payment-report.js';
import { stuckAdvice } from '../approvals/stuck-advice.js';
import { differenceOf, hasAgreed } from '../approvals/psp-word.js';

/** Says in a few sentences what happened to a payment and what happens next. Pure. */
export function explain({ payment, operations, refunds, orphans, order }: PaymentReport, now: Date): string {
  const { currency } = payment;
  const money = (amount: number) => formatMoney({ amount, currency });
  const open = operations.filter(({ routes }) => routes.at(-1)!.request.verdict === 'open');
  const waiting = orphans.filter(({ status }) => status !== 'compensated' && status !== 'closed');
  return [
    `The merchant asked for ${money(payment.amount)} ${duration(age(payment.createdAt, now))} ago.`,
    ...routesOfFirst(operations[0], now),
    ...standing(payment, money),
    ...open.map((operation) => nextOf(operation, now)),
    ...refunds
      .filter(({ status }) => status !== 'succeeded')
      .map((refund) => `A refund of ${formatMoney(refund)} is ${refund.status}.`),
    ...waiting.map(
      (orphan) =>
        `${orphan.psp} did ${formatMoney(orphan)} beside this payment (${orphan.pspReference ?? 'without an id'}): that orphan effect is ${orphan.status}.`,
    ),
    ...(order ? ofOrder(order, payment.id) : []),
    ...(open.length === 0 && waiting.length === 0 && !isUnfinished(order) ? ['Nothing is left to do.'] : []),
  ].join(' ');
}

/** The payment's place among those of its order. */
function ofOrder({ order, payments }: OrderReport, paymentId: string): string[] {
  const place = payments.findIndex(({ payment }) => payment.id === paymentId) + 1;
  const others = payments
    .filter(({ payment }) => payment.id !== paymentId && shareOf(payment).live > 0)
    .map(({ payment }) => `Payment ${payment.id} of it is ${inWords(payment)}.`);
  return [
    `It is number ${place} of ${payments.length} tried for order ${order.reference}, which is ${orderStatusOf(order)}.`,
    ...others.slice(0, NAMED),
  ];
}

/** More are only counted. */
const NAMED = 5;

function isUnfinished(report: OrderReport | null): boolean {
  if (!report) return false;
  const { order, payments } = report;
  return order.amountOverpaid > 0 || payments.some(({ payment }) => isUndecided(payment));
}

function inWords({ status }: Pick<Payment, 'status'>): string {
  if (status === 'processing') return 'not decided yet';
  return status === 'requires_action' ? 'waiting for the customer' : status.replaceAll('_', ' ');
}

/** Says in a few sentences what came of the tries to pay an order, and whether it takes another one. Pure. */
export function explainOrder({ order, payments, orphans }: OrderReport): string {
  const money = (amount: number) => formatMoney({ amount, currency: order.currency });
  const undecided = payments.filter(({ payment }) => isUndecided(payment)).length;
  const nothing = payments.filter(({ payment }) => shareOf(payment).live === 0).length;
  const taken = payments.length - nothing - undecided;
  const tries = [
    [nothing, 'left nothing'],
    [taken, `${taken === 1 ? 'holds' : 'hold'} ${money(order.amountLive - amountOf(payments))}`],
    [undecided, `may take ${money(amountOf(payments))}`],
  ] as const;
  return [
    `${money(order.amountDue)} is due${order.inParts ? ', in parts' : ''}.`,
    `Of ${payments.length} ${payments.length === 1 ? 'try' : 'tries'} ${tries.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ')}.`,
    ...orphans
      .filter(({ status }) => status !== 'compensated' && status !== 'closed')
      .map(
        (orphan) =>
          `${orphan.psp} did ${formatMoney(orphan)} of a payment that had lost it: that orphan effect is ${orphan.status}.`,
      ),
    orderEnds(order, undecided, money),
  ].join(' ');
}

/** The share of payments that are not decided, in minor units. */
function amountOf(payments: OrderReport['payments']): number {
  return payments
    .filter(({ payment }) => isUndecided(payment))
    .reduce((sum, { payment }) => sum + shareOf(payment).live, 0);
}

/** The outcome of one payment of an order. Pure. */
export function explainTry({ payment, charge }: OrderReport['payments'][number], now: Date): string {
  const money = (amount: number) => formatMoney({ amount, currency: payment.currency });
  const open = charge?.routes.at(-1)?.request.verdict === 'open' ? [nextOf(charge, now)] : [];
  return [...routesOfFirst(charge, now), ...standing(payment, money), ...open].join(' ');
}

function orderEnds(order: Order, undecided: number, money: (amount: number) => string): string {
  const left = order.amountDue - order.amountLive;
  if (order.amountOverpaid > 0) {
    return `${money(order.amountOverpaid)} more is live than is due: a PSP took back a refund or a release. Refund what is too much.`;
  }
  if (order.inParts && left > 0) return `${money(left)} is left to pay.`;
  if (undecided > 0) return 'No other payment is taken until it is known what became of that one.';
  if (order.amountLive === 0) return 'Nothing of it is live: the next payment is taken at once.';
  return order.amountPaid >= order.amountDue
    ? 'The order is paid.'
    : 'No other payment is taken beside what is live.';
}

/** The same of a payout. Pure. */
export function explainPayout(
  payout: Pick<Payout, 'amount' | 'currency' | 'status' | 'failure' | 'createdAt'>,
  operations: readonly OperationHistory[],
  now: Date,
): string {
  const { status, failure } = payout;
  const open = operations.filter(({ routes }) => routes.at(-1)!.request.verdict === 'open');
  return [
    `The merchant asked to pay out ${formatMoney(payout)} ${duration(age(payout.createdAt, now))} ago.`,
    ...routesOfFirst(operations[0], now),
    ...(status === 'failed'
      ? [`The payout failed${failure ? `: ${failure.message} (${failure.code})` : ''}.`]
      : []),
    ...open.map((operation) => nextOf(operation, now)),
    open.length === 0 ? 'Nothing is left to do.' : 'Until then the next payout to this recipient waits.',
  ].join(' ');
}

function age(since: Date, now: Date): number {
  return Math.max(0, now.getTime() - since.getTime());
}

/** The PSPs' answers to the payment itself, one route after the other. */
function routesOfFirst(first: OperationHistory | undefined, now: Date): string[] {
  if (!first) return [];
  return first.routes.flatMap((route) => {
    const { psp, verdict } = route.request;
    if (verdict === 'effective') return [`${psp} did it${howOf(route)}.`];
    if (verdict === 'ruled_out') return [`${psp} did nothing${whyNot(route)}.`];
    return [doubtAt(route, now)];
  });
}

function howOf({ attempts }: RouteHistory): string {
  const stated = attempts.findLast((a) => statedBy(a) !== null);
  if (stated) return `, as ${statedBy(stated)} found out`;
  const calls = attempts.filter(isCall).length;
  return calls > 1 ? `, which took ${calls} calls to find out` : '';
}

function whyNot({ attempts }: RouteHistory): string {
  const stated = attempts.findLast((a) => statedBy(a) !== null);
  if (stated) return `, as ${statedBy(stated)} found out`;
  const no = attempts.findLast(({ outcome }) => outcome !== null && outcome in reasons);
  return no ? ` (${reasons[no.outcome!]}${no.pspCode === null ? '' : `, ${no.pspCode}`})` : '';
}

const reasons: Readonly<Record<string, string>> = {
  declined: 'it declined',
  rejected: 'it refused the request',
  not_sent: 'it was not reached',
  not_found: 'it knows nothing of it',
  canceled: 'it was canceled',
  throttled: 'it was too busy',
};

function doubtAt(route: RouteHistory, now: Date): string {
  const difference = differenceOf(route);
  if (difference !== null) return difference;
  const { request, attempts } = route;
  const calls = attempts.filter(isCall);
  const last = calls.at(-1);
  const { psp } = request;
  switch (last?.outcome) {
    case 'requires_action':
      return `${psp} waits for the customer to act.`;
    case 'pending':
      return `${psp} has it and has not decided yet.`;
    default: {
      const since = duration(age(attempts[0]!.startedAt, now));
      const times = calls.length === 1 ? 'once' : `${calls.length} times`;
      return `It is not known whether ${psp} did it: asked ${times} in ${since}, last with the outcome ${last?.outcome ?? 'unanswered'}.`;
    }
  }
}

function standing(
  payment: Pick<Payment, 'status' | 'failure' | 'amountCaptured' | 'amountRefunded' | 'disputes'>,
  money: (amount: number) => string,
): string[] {
  const { status, failure, amountCaptured, amountRefunded, disputes } = payment;
  const refunded = amountRefunded > 0 ? `, ${money(amountRefunded)} of it refunded` : '';
  const disputed = (disputes ?? []).map(({ status: is }) => `A dispute is ${is}.`);
  if (status === 'failed') {
    return [`The payment failed${failure ? `: ${failure.message} (${failure.code})` : ''}.`, ...disputed];
  }
  if (amountCaptured > 0) return [`${money(amountCaptured)} is captured${refunded}.`, ...disputed];
  return status === 'authorized' || status === 'canceled'
    ? [`The payment is ${status}.`, ...disputed]
    : disputed;
}

/** The next steps of an operation that is not decided. */
function nextOf({ entityKey, routes }: OperationHistory, now: Date): string {
  const route = routes.at(-1)!;
  const { psp, stuckAt, firstStuckAt, stuckReason, nextStepAt, operation } = route.request;
  if (stuckAt !== null) {
    const since = duration(age(firstStuckAt ?? stuckAt, now));
    const { say } = stuckAdvice(stuckReason ?? null, psp, hasAgreed(route));
    return `The ${operation} has been stuck for ${since} (${stuckReason ?? 'why is not known'}), and goes to no other PSP until it is decided. ${say} Its entity key is ${entityKey}.`;
  }
  if (nextStepAt === null) return `The ${operation} is being worked on.`;
  const inMs = nextStepAt.getTime() - now.getTime();
  return inMs <= 0
    ? `The service asks ${psp} about the ${operation} again now.`
    : `The service asks ${psp} about the ${operation} again in ${duration(inMs)}.`;
}
