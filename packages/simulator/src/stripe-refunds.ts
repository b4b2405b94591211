import { stripeRefundToken } from './cards.js';
import { type Clock } from './clock.js';
import { type Form, parseForm, text } from './form.js';
import { idSource } from './ids.js';
import { type Ledger } from './ledger.js';
import {
  ENTITY_KEY,
  entityKeys,
  type PaymentIntent,
  type PaymentIntents,
  renderCharge,
  ROUTE,
} from './payment-intents.js';
import { type StripeEvents } from './stripe-events.js';
import { type Created, Objects } from './objects.js';
import { listed, lookup, seconds } from './stripe-objects.js';
import { checkAmount, checkForm, metadataOf, noSuch, stripeError } from './stripe-parameters.js';
import { type Call, json, keyOf, type Reply, type Routed } from './wire.js';

const REFUNDS = '/v1/refunds';
const REASONS = ['duplicate', 'fraudulent', 'requested_by_customer'];
/** How long a refund of a `…pendingRefund` card is pending. */
const PENDING_MS = 3_600_000;

/** Never changed, only replaced. */
interface Refund extends Created {
  readonly amount: number;
  /** Lower case. */
  readonly currency: string;
  readonly paymentIntent: string;
  readonly charge: string | null;
  readonly paymentMethod: string | null;
  readonly reason: string | null;
  /** null where money goes back. */
  readonly failureReason: string | null;
  readonly pendingUntilMs: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Stripe's refunds of PaymentIntents: never more in all than was received. */
export class StripeRefunds {
  private readonly refunds = new Objects<Refund>('refunds');
  private readonly nextRefund = idSource('re_3', 23);

  constructor(
    private readonly intents: PaymentIntents,
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly events: StripeEvents,
  ) {}

  /** undefined: there is no such call. */
  route(call: Call, id: string | undefined): Routed | Reply | undefined {
    if (call.method === 'POST' && id === undefined) return this.create(call, parseForm(call.body));
    if (call.method !== 'GET') return undefined;
    return id === undefined ? this.list(parseForm(call.query)) : this.retrieve(id);
  }

  reset(): void {
    this.refunds.reset();
  }

  private create(call: Call, form: Form): Routed | Reply {
    const refused = checkForm(form, 'refund') ?? checkRefund(form);
    if (refused !== undefined) return refused;
    const id = text(form, 'payment_intent') ?? '';
    const metadata = metadataOf(form);
    const key = keyOf(call);
    return {
      kind: 'execute',
      references: [...entityKeys(metadata), ...entityKeys(this.intents.get(id)?.metadata ?? {})],
      key,
      run: (decline) => {
        const intent = this.intents.get(id);
        if (intent === undefined) return noSuch('payment_intent', id, 'payment_intent');
        return refusal(intent, form) ?? this.refund(intent, form, key, decline);
      },
    };
  }

  private refund(intent: PaymentIntent, form: Form, key: string | null, decline?: string): Reply {
    this.ledger.ensureRoom();
    const createdMs = this.clock.now();
    const asked = stripeRefundToken(intent.paymentMethod ?? '');
    const failureReason = decline ?? (asked === 'failed' ? 'unknown' : null);
    const refund = this.refunds.add({
      id: this.nextRefund(),
      index: this.refunds.nextIndex(),
      createdMs,
      amount: amountOf(intent, form),
      currency: intent.currency,
      paymentIntent: intent.id,
      charge: intent.charge,
      paymentMethod: intent.paymentMethod,
      reason: text(form, 'reason') ?? null,
      failureReason,
      pendingUntilMs: asked === 'pending' ? createdMs + PENDING_MS : createdMs,
      metadata: metadataOf(form),
    });
    const shown = (nowMs: number) => () => render(refund, nowMs);
    this.events.announce('refund.created', shown(createdMs), key);
    if (failureReason === null) this.giveBack(intent, refund, key);
    else this.events.announce('refund.failed', shown(createdMs), key);
    if (failureReason === null && asked === 'pending') {
      const still = () => this.refunds.get(refund.id)?.failureReason === null;
      this.events.later(PENDING_MS, 'refund.updated', shown(createdMs + PENDING_MS), still);
    }
    return json(200, render(refund, createdMs));
  }

  private giveBack(intent: PaymentIntent, refund: Refund, key: string | null): void {
    const { id, amount, currency, metadata } = refund;
    const after = this.intents.replace({ ...intent, amountRefunded: intent.amountRefunded + amount });
    this.ledger.add({
      operation: 'refund',
      psp_reference: id,
      parent_reference: intent.id,
      reference: metadata[ENTITY_KEY] ?? null,
      route: metadata[ROUTE] ?? null,
      amount,
      currency: currency.toUpperCase(),
      idempotency_key: key,
    });
    this.events.announce('charge.refunded', () => renderCharge(after, after.charge ?? ''), key);
  }

  /** The card's bank sends it back. */
  fail(id: string): boolean {
    const refund = this.refunds.get(id);
    const intent = this.intents.get(refund?.paymentIntent ?? '');
    if (refund === undefined || intent === undefined) return false;
    if (this.ledger.undo(id, ['refund']) === undefined) return false;
    const failed = this.refunds.replace({ ...refund, failureReason: 'expired_or_canceled_card' });
    this.intents.replace({ ...intent, amountRefunded: intent.amountRefunded - refund.amount });
    const now = this.clock.now();
    this.events.announce('refund.failed', () => render(failed, now), null);
    return true;
  }

  private retrieve(id: string): Routed {
    return lookup(entityKeys(this.refunds.get(id)?.metadata ?? {}), () => {
      const refund = this.refunds.get(id);
      return refund === undefined
        ? noSuch('refund', id, 'refund')
        : json(200, render(refund, this.clock.now()));
    });
  }

  private list(query: Form): Routed | Reply {
    const of = text(query, 'payment_intent');
    return listed(query, {
      objects: this.refunds,
      thing: 'refund',
      url: REFUNDS,
      fits: ({ paymentIntent }) => of === undefined || of === paymentIntent,
      render: (refund) => render(refund, this.clock.now()),
    });
  }
}

function checkRefund(form: Form): Reply | undefined {
  if (text(form, 'payment_intent') === undefined) {
    return stripeError(400, {
      code: 'parameter_missing',
      message: 'One of the following params should be provided for this request: payment_intent.',
    });
  }
  const reason = text(form, 'reason');
  if (reason !== undefined && !REASONS.includes(reason)) {
    return stripeError(400, {
      message: `Invalid reason: must be one of ${REASONS.join(', ')}`,
      param: 'reason',
    });
  }
  const amount = text(form, 'amount');
  return amount === undefined ? undefined : checkAmount(amount, 'amount', 1);
}

/** https://docs.stripe.com/error-codes: charge_already_refunded, amount_too_large. */
function refusal(intent: PaymentIntent, form: Form): Reply | undefined {
  if (intent.status !== 'succeeded') {
    return stripeError(400, {
      message: `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      param: 'payment_intent',
    });
  }
  const left = leftOf(intent);
  if (left === 0) {
    return stripeError(400, {
      code: 'charge_already_refunded',
      message: `Charge ${intent.charge} has already been refunded.`,
    });
  }
  if (amountOf(intent, form) <= left) return undefined;
  return stripeError(400, {
    code: 'amount_too_large',
    message: `Refund amount (${amountOf(intent, form)}) is greater than unrefunded amount on charge (${left}).`,
    param: 'amount',
  });
}

function leftOf(intent: PaymentIntent): number {
  return intent.amountReceived - intent.amountRefunded;
}

/** Without an amount it is all that is left. */
function amountOf(intent: PaymentIntent, form: Form): number {
  return Number(text(form, 'amount') ?? leftOf(intent));
}

function render(refund: Refund, nowMs: number): object {
  const { id, amount, charge, currency, failureReason, reason, metadata, pendingUntilMs } = refund;
  const pending = failureReason === null && nowMs < pendingUntilMs;
  return {
    id,
    object: 'refund',
    amount,
    balance_transaction: null,
    charge,
    created: seconds(refund.createdMs),
    currency,
    destination_details: { card: { type: 'refund' }, type: 'card' },
    ...(failureReason === null ? {} : { failure_reason: failureReason }),
    metadata,
    payment_intent: refund.paymentIntent,
    payment_method: refund.paymentMethod,
    ...(pending ? { pending_reason: 'processing' } : {}),
    reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: failureReason !== null ? 'failed' : pending ? 'pending' : 'succeeded',
    transfer_reversal: null,
  };
}
