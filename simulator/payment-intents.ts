import { randomBytes } from 'node:crypto';
import { type StripeDecline } from './cards.js';
import { Full } from './wire.js';

export const MOST_PAYMENTS = 500_000;

export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'requires_capture'
  | 'succeeded'
  | 'canceled';

/** Never changed, only replaced: an answer that was given renders to the same bytes for ever. */
export interface PaymentIntent {
  readonly id: string;
  /** Place in the order of creation. */
  readonly index: number;
  readonly amount: number;
  readonly amountCapturable: number;
  readonly amountReceived: number;
  /** Lower case. */
  readonly currency: string;
  readonly status: IntentStatus;
  readonly manual: boolean;
  readonly offSession: boolean;
  readonly paymentMethod: string | null;
  readonly customer: string | null;
  readonly description: string | null;
  readonly receiptEmail: string | null;
  readonly descriptorSuffix: string | null;
  readonly returnUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly charge: string | null;
  readonly lastError: StripeDecline | null;
  readonly createdMs: number;
  readonly canceledMs: number | null;
  readonly cancellationReason: string | null;
}

/** The metadata key by which the service names an operation, and the one for its route. */
export const ENTITY_KEY = 'payonce_entity_key';
export const ROUTE = 'payonce_route';

/** The names in this metadata, for aiming faults. */
export function entityKeys(metadata: Readonly<Record<string, string>>): string[] {
  const key = metadata[ENTITY_KEY];
  return key === undefined ? [] : [key];
}

/** All payments of one Stripe account, in order of creation and by entity key. */
export class PaymentIntents {
  private readonly inOrder: string[] = [];
  private readonly byId = new Map<string, PaymentIntent>();
  private readonly byEntityKey = new Map<string, string[]>();

  constructor(private readonly cap = MOST_PAYMENTS) {}

  /** The place of the next one; refuses loudly when there is none. */
  nextIndex(): number {
    if (this.inOrder.length >= this.cap) throw new Full('payments', this.cap);
    return this.inOrder.length;
  }

  add(intent: PaymentIntent): PaymentIntent {
    this.inOrder.push(intent.id);
    this.byId.set(intent.id, intent);
    this.indexEntityKey(intent);
    return intent;
  }

  replace(intent: PaymentIntent): PaymentIntent {
    const before = this.byId.get(intent.id);
    this.byId.set(intent.id, intent);
    if (before?.metadata[ENTITY_KEY] !== intent.metadata[ENTITY_KEY]) this.indexEntityKey(intent);
    return intent;
  }

  get(id: string): PaymentIntent | undefined {
    return this.byId.get(id);
  }

  /** Newest first, from before `startingAfter`, created from `since` on, as long as `wanted` says. */
  *newestFirst(sinceMs: number, startingAfter?: PaymentIntent): Generator<PaymentIntent> {
    for (let index = (startingAfter?.index ?? this.inOrder.length) - 1; index >= 0; index -= 1) {
      const intent = this.byId.get(this.inOrder[index] ?? '');
      if (intent === undefined || intent.createdMs < sinceMs) return;
      yield intent;
    }
  }

  /** Those that carry this entity key now, newest first. */
  withEntityKey(key: string): PaymentIntent[] {
    return (this.byEntityKey.get(key) ?? [])
      .map((id) => this.byId.get(id))
      .filter((intent) => intent !== undefined)
      .filter((intent) => intent.metadata[ENTITY_KEY] === key)
      .toSorted((a, b) => b.index - a.index);
  }

  reset(): void {
    this.inOrder.length = 0;
    this.byId.clear();
    this.byEntityKey.clear();
  }

  private indexEntityKey({ id, metadata }: PaymentIntent): void {
    const key = metadata[ENTITY_KEY];
    if (key === undefined) return;
    const ids = this.byEntityKey.get(key);
    if (ids === undefined) this.byEntityKey.set(key, [id]);
    else if (!ids.includes(id)) ids.push(id);
  }
}

/** Part of every client_secret; drawn once, so that one intent always renders to the same bytes. */
const SECRET = randomBytes(9).toString('hex');

/** The object as Stripe shows it. `pages` is where customers are sent to authenticate. */
export function renderIntent(intent: PaymentIntent, pages: string, expandCharge = false): object {
  const { id, amount, currency, status, lastError, charge } = intent;
  return {
    id,
    object: 'payment_intent',
    amount,
    amount_capturable: intent.amountCapturable,
    amount_details: { tip: {} },
    amount_received: intent.amountReceived,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: seconds(intent.canceledMs),
    cancellation_reason: intent.cancellationReason,
    capture_method: intent.manual ? 'manual' : 'automatic',
    client_secret: `${id}_secret_${SECRET}`,
    confirmation_method: 'automatic',
    created: seconds(intent.createdMs),
    currency,
    customer: intent.customer,
    description: intent.description,
    last_payment_error: lastError === null ? null : renderError(lastError, intent),
    latest_charge: expandCharge && charge !== null ? renderCharge(intent, charge) : charge,
    livemode: false,
    metadata: intent.metadata,
    next_action:
      status === 'requires_action'
        ? {
            type: 'redirect_to_url',
            redirect_to_url: { return_url: intent.returnUrl, url: `${pages}/_customer/authenticate/${id}` },
          }
        : null,
    on_behalf_of: null,
    payment_method: lastError === null ? intent.paymentMethod : null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    processing: null,
    receipt_email: intent.receiptEmail,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: intent.descriptorSuffix,
    status,
    transfer_data: null,
    transfer_group: null,
  };
}

export function renderError(error: StripeDecline, { charge, paymentMethod }: PaymentIntent): object {
  return {
    ...(charge === null ? {} : { charge }),
    code: error.code,
    ...(error.decline_code === undefined ? {} : { decline_code: error.decline_code }),
    doc_url: `https://docs.stripe.com/error-codes/${error.code.replaceAll('_', '-')}`,
    message: error.message,
    payment_method: { id: paymentMethod, object: 'payment_method', type: 'card' },
    type: 'card_error',
  };
}

function renderCharge(intent: PaymentIntent, id: string): object {
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amountReceived,
    amount_refunded: 0,
    captured: intent.status === 'succeeded',
    created: seconds(intent.createdMs),
    currency: intent.currency,
    failure_code: intent.lastError?.code ?? null,
    failure_message: intent.lastError?.message ?? null,
    livemode: false,
    metadata: intent.metadata,
    outcome:
      intent.lastError === null
        ? { network_status: 'approved_by_network', reason: null, type: 'authorized' }
        : {
            network_status: 'declined_by_network',
            reason: intent.lastError.decline_code ?? intent.lastError.code,
            type: 'issuer_declined',
          },
    paid: intent.lastError === null,
    payment_intent: intent.id,
    payment_method: intent.paymentMethod,
    status: intent.lastError === null ? 'succeeded' : 'failed',
  };
}

function seconds(ms: number): number;
function seconds(ms: number | null): number | null;
function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1000);
}
