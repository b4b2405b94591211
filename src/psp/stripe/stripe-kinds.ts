import { type Stripe } from 'stripe';
import { type Answer, type Instruction } from '../contract.js';
import { stripePayoutFailure, stripeRefundFailure } from './decline-codes.js';
import { fromStripeAmount, toStripeAmount, toStripePayoutAmount } from './stripe-currencies.js';
import { type MarkedObject, type Page } from './stripe-listing.js';
import { descriptorOf, metadataOf } from './stripe.mapping.js';

type Options = Stripe.RequestOptions;

/**
 * Refunds and payouts at Stripe: objects of their own, made by one call, read by id, and found by the
 * names of ours that they carry.
 */
export interface StripeKind<T extends MarkedObject> {
  /** Null where Stripe cannot represent this amount exactly. */
  create(instruction: Instruction): ((options: Options) => Promise<Stripe.Response<T>>) | null;
  retrieve(id: string, options: Options): Promise<Stripe.Response<T>>;
  list(page: Page, instruction: Instruction, options: Options): Promise<Stripe.Response<Stripe.ApiList<T>>>;
  /** Whether it is listed by time, rather than by the payment that it belongs to. */
  readonly byTime: boolean;
  answer(object: T): Answer;
}

/** https://docs.stripe.com/api/refunds */
export function refundsOf({ refunds }: Stripe): StripeKind<Stripe.Refund> {
  return {
    byTime: false,
    create: (instruction) => {
      const params = refundParams(instruction);
      return params && ((options) => refunds.create(params, options));
    },
    retrieve: (id, options) => refunds.retrieve(id, {}, options),
    list: (page, { parentReference = '' }, options) =>
      refunds.list({ ...page, payment_intent: parentReference }, options),
    answer: answerOfRefund,
  };
}

/** https://docs.stripe.com/api/payouts */
export function payoutsOf({ payouts }: Stripe): StripeKind<Stripe.Payout> {
  return {
    byTime: true,
    create: (instruction) => {
      const params = payoutParams(instruction);
      return params && ((options) => payouts.create(params, options));
    },
    retrieve: (id, options) => payouts.retrieve(id, {}, options),
    list: (page, _, options) => payouts.list(page, options),
    answer: answerOfPayout,
  };
}

export function refundParams(instruction: Instruction): Stripe.RefundCreateParams | null {
  const amount = toStripeAmount(instruction.money);
  if (amount === null) return null;
  return { payment_intent: instruction.parentReference, amount, metadata: metadataOf(instruction) };
}

export function payoutParams(instruction: Instruction): Stripe.PayoutCreateParams | null {
  const { money, token, statementDescriptor } = instruction;
  const amount = toStripePayoutAmount(money);
  if (amount === null) return null;
  return {
    amount,
    currency: money.currency.toLowerCase(),
    destination: token,
    ...(statementDescriptor ? { statement_descriptor: descriptorOf(statementDescriptor) } : {}),
    metadata: metadataOf(instruction),
  };
}

/**
 * `pending` is a refund that Stripe has accepted and carries out; it counts as done (docs/adr/0008).
 * https://docs.stripe.com/api/refunds/object#refund_object-status
 */
export function answerOfRefund(refund: Stripe.Refund): Answer {
  const { id: pspReference, status, failure_reason: reason } = refund;
  switch (status) {
    case 'succeeded':
    case 'pending':
      return done(refund, status);
    case 'requires_action':
      // The customer has to say where the money is to go; it may come to nothing.
      return { pspReference, pspCode: status, outcome: 'pending' };
    case 'failed':
    case 'canceled':
      return {
        pspReference,
        pspCode: reason ?? status,
        outcome: 'declined',
        decline: stripeRefundFailure(reason),
      };
    default:
      return { pspReference, pspCode: status ?? 'no_status', outcome: 'unknown' };
  }
}

/**
 * A payout that Stripe has accepted counts as done; a bank that sends it back makes it `failed` days
 * later, which is reported by webhook. https://docs.stripe.com/api/payouts/object#payout_object-status
 */
export function answerOfPayout(payout: Stripe.Payout): Answer {
  const { id: pspReference, status, failure_code: code, failure_message: message } = payout;
  switch (status) {
    case 'pending':
    case 'in_transit':
    case 'paid':
      return done(payout, status);
    case 'failed':
    case 'canceled':
      return {
        pspReference,
        pspCode: code ?? status,
        outcome: 'declined',
        decline: stripePayoutFailure(code ?? undefined),
        ...(message ? { message } : {}),
      };
    default:
      return { pspReference, pspCode: status ?? 'no_status', outcome: 'unknown' };
  }
}

function done({ id, amount, currency }: Stripe.Refund | Stripe.Payout, status: string): Answer {
  const money = fromStripeAmount(amount, currency);
  return money
    ? { pspReference: id, pspCode: status, outcome: 'succeeded', money }
    : { pspReference: id, pspCode: 'money_unreadable', outcome: 'conflict' };
}
