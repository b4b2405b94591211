import { adyenReason, type AdyenAction } from './cards.js';
import { type Clock } from './clock.js';
import { MAX_PAYMENTS } from './objects.js';
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
  readonly methodType: string;
  readonly returnUrl: string | null;
  readonly refusalCode: string | null;
  /** What the shopper has to do, while the status is `redirect`. */
  readonly action: AdyenAction;
  /** What the issuer says once it is asked; null: yes. */
  readonly refusal: string | null;
}

/** What a shopper brought back: handed in once, and soon. */
export interface ShopperReturn {
  readonly pspReference: string;
  readonly action: AdyenAction;
  readonly succeeded: boolean;
  readonly at: number;
  used: boolean;
}

/** All payments of one Adyen merchant account, by Adyen's reference and by the merchant's. */
export class AdyenPayments {
  private readonly byReference = new Map<string, AdyenPayment>();
  private readonly byMerchantReference = new Map<string, string[]>();
  readonly returns = new Map<string, ShopperReturn>();

  constructor(private readonly cap = MAX_PAYMENTS) {}

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
    this.returns.clear();
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
  const isCard = payment.methodType === 'scheme';
  const refusal =
    refusalCode === null ? {} : { refusalReason: adyenReason(refusalCode), refusalReasonCode: refusalCode };
  const acts = { fingerprint: 'IdentifyShopper', challenge: 'ChallengeShopper' };
  const { action } = payment;
  const asked = action === 'fingerprint' || action === 'challenge' ? acts[action] : resultCodes.redirect;
  return JSON.stringify({
    ...(isCard ? { additionalData: { paymentMethod: 'visa', cardSummary: '1111' } } : {}),
    pspReference,
    ...refusal,
    resultCode: resultCode ?? (status === 'redirect' ? asked : resultCodes[status]),
    amount,
    merchantReference,
    paymentMethod: isCard ? { brand: 'visa', type: 'scheme' } : { type: payment.methodType },
    ...(status === 'redirect' ? { action: renderAction(payment, pages) } : {}),
  });
}

const LONG_URL = 9_000;

function renderAction({ pspReference, action, methodType }: AdyenPayment, pages: string): object {
  const url = `${pages}/_customer/authenticate/${pspReference}`;
  const redirect = { paymentMethodType: methodType, type: 'redirect' };
  switch (action) {
    case 'redirect':
      return { ...redirect, url, method: 'GET' };
    case 'redirect_long':
      return { ...redirect, url: `${url}?p=${'x'.repeat(LONG_URL)}`, method: 'GET' };
    case 'redirect_post':
      return {
        ...redirect,
        url,
        method: 'POST',
        data: { MD: pspReference, PaReq: 'eNpVUttygjAQ', TermUrl: url },
      };
    case 'fingerprint':
    case 'challenge':
      return {
        paymentMethodType: 'scheme',
        type: 'threeDS2',
        subtype: action,
        token: `eyJ0aHJlZURTIjoi${pspReference}`,
        authorisationToken: `Ab02b4c0!BQABAgB${pspReference}`,
        paymentData: `Ab02b4c0!BQABAgC${pspReference}`,
      };
  }
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
    | 'CANCEL_OR_REFUND'
    | 'NOTIFICATION_OF_CHARGEBACK'
    | 'CHARGEBACK'
    | 'CHARGEBACK_REVERSED'
    | 'SECOND_CHARGEBACK'
    | 'REPORT_AVAILABLE';
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
