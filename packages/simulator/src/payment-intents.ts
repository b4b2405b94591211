import { randomBytes } from 'node:crypto';
import { type StripeDecline } from './cards.js';
import { type Created, Objects } from './objects.js';
import { seconds } from './stripe-objects.js';

export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'requires_capture'
  | 'succeeded'
  | 'canceled';

/** Never changed, only replaced: an answer that was given renders to the same bytes for ever. */
export interface PaymentIntent extends Created {
  readonly amount: number;
  readonly amountCapturable: number;
  readonly amountReceived: number;
  /** What refunds have given back of it, or will. */
  readonly amountRefunded: number;
  /** Lower case. */
  readonly currency: string;
  readonly status: IntentStatus;
  readonly manual: boolean;
  /** Of payment methods: `card`, or the one that the request named. */
  readonly methodType: string;
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
export class PaymentIntents extends Objects<PaymentIntent> {
  private readonly byEntityKey = new Map<string, string[]>();

  constructor(cap?: number) {
    super('payments', cap);
  }

  override add(intent: PaymentIntent): PaymentIntent {
    this.indexEntityKey(intent);
    return super.add(intent);
  }

  override replace(intent: PaymentIntent): PaymentIntent {
    const before = this.get(intent.id);
    if (before?.metadata[ENTITY_KEY] !== intent.metadata[ENTITY_KEY]) this.indexEntityKey(intent);
    return super.replace(intent);
  }

  /** Those that carry this entity key now, newest first. */
  withEntityKey(key: string): PaymentIntent[] {
    return (this.byEntityKey.get(key) ?? [])
      .map((id) => this.get(id))
      .filter((intent) => intent !== undefined)
      .filter((intent) => intent.metadata[ENTITY_KEY] === key)
      .toSorted((a, b) => b.index - a.index);
  }

  override reset(): void {
    super.reset();
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
    payment_method_options:
      intent.methodType === 'card' ? { card: { request_three_d_secure: 'automatic' } } : {},
    payment_method_types: [intent.methodType],
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

export function renderError(
  error: StripeDecline,
  { charge, paymentMethod, methodType }: PaymentIntent,
): object {
  return {
    ...(charge === null ? {} : { charge }),
    code: error.code,
    ...(error.decline_code === undefined ? {} : { decline_code: error.decline_code }),
    doc_url: `https://docs.stripe.com/error-codes/${error.code.replaceAll('_', '-')}`,
    message: error.message,
    payment_method: { id: paymentMethod, object: 'payment_method', type: methodType },
    type: 'card_error',
  };
}

/** The charge of a PaymentIntent, by its id. */
export function renderCharge(intent: PaymentIntent, id: string): object {
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amountReceived,
    amount_refunded: intent.amountRefunded,
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
    refunded: intent.amountReceived > 0 && intent.amountRefunded === intent.amountReceived,
    status: intent.lastError === null ? 'succeeded' : 'failed',
  };
}
