import { adyenReason } from './cards.js';
import { type Clock } from './clock.js';
import { MOST_PAYMENTS } from './stripe-objects.js';
import { Full } from './wire.js';

export interface AdyenAmount {
  readonly value: number;
  readonly currency: string;
}

export type AdyenStatus =
  'authorised' | 'captured' | 'cancelled' | 'refused' | 'redirect' | 'pending' | 'error';

/** Never changed, only replaced. */
export interface AdyenPayment {
  readonly pspReference: string;
  readonly merchantAccount: string;
  readonly merchantReference: string;
  readonly amount: AdyenAmount;
  readonly status: AdyenStatus;
  /** True where money is reserved only and captures are asked for. */
  readonly manual: boolean;
  readonly captured: number;
  /** Of what was captured. */
  readonly refunded: number;
  readonly route: string | null;
  readonly returnUrl: string | null;
  readonly refusalCode: string | null;
}

/** All payments of one Adyen merchant account, by Adyen's reference and by the merchant's. */
export class AdyenPayments {
  private readonly byReference = new Map<string, AdyenPayment>();
  private readonly byMerchantReference = new Map<string, string[]>();

  constructor(private readonly cap = MOST_PAYMENTS) {}

  add(payment: AdyenPayment): AdyenPayment {
    if (this.byReference.size >= this.cap) throw new Full('payments', this.cap);
    this.byReference.set(payment.pspReference, payment);
    const named = this.byMerchantReference.get(payment.merchantReference);
    if (named === undefined) this.byMerchantReference.set(payment.merchantReference, [payment.pspReference]);
    else named.push(payment.pspReference);
    return payment;
  }

  replace(payment: AdyenPayment): AdyenPayment {
    this.byReference.set(payment.pspReference, payment);
    return payment;
  }

  get(pspReference: string): AdyenPayment | undefined {
    return this.byReference.get(pspReference);
  }

  named(merchantReference: string): AdyenPayment[] {
    return (this.byMerchantReference.get(merchantReference) ?? [])
      .map((pspReference) => this.byReference.get(pspReference))
      .filter((payment) => payment !== undefined);
  }

  reset(): void {
    this.byReference.clear();
    this.byMerchantReference.clear();
  }
}

const resultCodes = {
  authorised: 'Authorised',
  captured: 'Authorised',
  cancelled: 'Cancelled',
  refused: 'Refused',
  redirect: 'RedirectShopper',
  pending: 'Pending',
  error: 'Error',
} as const satisfies Record<AdyenStatus, string>;

/** The answer to a payment. `pages` is where shoppers are sent to authenticate. */
export function renderPayment(payment: AdyenPayment, pages: string, resultCode?: string): string {
  const { pspReference, refusalCode, amount, merchantReference, status } = payment;
  const refusal =
    refusalCode === null ? {} : { refusalReason: adyenReason(refusalCode), refusalReasonCode: refusalCode };
  const url = `${pages}/_customer/authenticate/${pspReference}`;
  const action = { paymentMethodType: 'scheme', url, method: 'GET', type: 'redirect' };
  return JSON.stringify({
    additionalData: { paymentMethod: 'visa', cardSummary: '1111' },
    pspReference,
    ...refusal,
    resultCode: resultCode ?? resultCodes[status],
    amount,
    merchantReference,
    paymentMethod: { brand: 'visa', type: 'scheme' },
    ...(status === 'redirect' ? { action } : {}),
  });
}

export interface AdyenEvent {
  readonly eventCode:
    | 'AUTHORISATION'
    | 'CAPTURE'
    | 'CAPTURE_FAILED'
    | 'REFUND'
    | 'REFUND_FAILED'
    | 'CANCELLATION'
    | 'TECHNICAL_CANCEL'
    | 'CANCEL_OR_REFUND';
  readonly success: boolean;
  readonly pspReference: string;
  readonly originalReference?: string;
  readonly merchantReference: string;
  readonly amount: AdyenAmount;
  readonly merchantAccount: string;
  readonly reason?: string;
  /** Of the payment, where the item is about that itself. */
  readonly route?: string | null;
}

/** What a notification is signed over: eight fields in this order. */
export function signedFields(event: AdyenEvent): string {
  return [
    event.pspReference,
    event.originalReference ?? '',
    event.merchantAccount,
    event.merchantReference,
    event.amount.value,
    event.amount.currency,
    event.eventCode,
    event.success,
  ].join(':');
}

export function renderEvent(event: AdyenEvent, hmacSignature: string, clock: Clock): string {
  const { merchantAccount, success, route = null, ...fields } = event;
  const metadata = route === null ? {} : { 'metadata.payonce_route': route };
  const item = {
    ...fields,
    additionalData: { ...metadata, hmacSignature },
    eventDate: new Date(clock.now()).toISOString(),
    merchantAccountCode: merchantAccount,
    operations: event.eventCode === 'AUTHORISATION' && success ? ['CANCEL', 'CAPTURE', 'REFUND'] : undefined,
    paymentMethod: 'visa',
    reason: event.reason ?? '',
    success: String(success),
  };
  return JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem: item }] });
}
