import { Full } from './wire.js';
import { MAX_PAYMENTS } from './objects.js';

export type CheckoutStatus =
  | 'Pending'
  | 'Authorized'
  | 'Captured'
  | 'Partially Captured'
  | 'Declined'
  | 'Voided'
  | 'Refunded'
  | 'Partially Refunded';

export interface CheckoutAction {
  readonly id: string;
  readonly type: 'Authorization' | 'Capture' | 'Void' | 'Refund';
  readonly amount: number;
  readonly approved: boolean;
  readonly responseCode: string;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** Never changed, only replaced. */
export interface CheckoutPayment {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | null;
  readonly status: CheckoutStatus;
  /** Captured at once. */
  readonly atOnce: boolean;
  readonly captured: number;
  readonly refunded: number;
  readonly returnUrl: string | null;
  readonly redirects: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly actions: readonly CheckoutAction[];
  readonly at: number;
}

/** All payments of one account, by Checkout.com's id and by the merchant's reference. */
export class CheckoutPayments {
  private readonly byId = new Map<string, CheckoutPayment>();
  private readonly byReference = new Map<string, string[]>();

  constructor(private readonly cap = MAX_PAYMENTS) {}

  add(payment: CheckoutPayment): CheckoutPayment {
    if (this.byId.size >= this.cap) throw new Full('payments', this.cap);
    this.byId.set(payment.id, payment);
    const { reference } = payment;
    if (reference !== null) this.byReference.set(reference, [...this.idsOf(reference), payment.id]);
    return payment;
  }

  replace(payment: CheckoutPayment): CheckoutPayment {
    this.byId.set(payment.id, payment);
    return payment;
  }

  get(id: string): CheckoutPayment | undefined {
    return this.byId.get(id);
  }

  /** Newest first. */
  named(reference: string): CheckoutPayment[] {
    return this.idsOf(reference)
      .map((id) => this.byId.get(id))
      .filter((payment) => payment !== undefined)
      .toReversed();
  }

  reset(): void {
    this.byId.clear();
    this.byReference.clear();
  }

  private idsOf(reference: string): readonly string[] {
    return this.byReference.get(reference) ?? [];
  }
}

const APPROVED = '10000';

export function renderAction(action: CheckoutAction): object {
  const { id, type, amount, approved, responseCode, reference, metadata, at } = action;
  return {
    id,
    type,
    processed_on: new Date(at).toISOString(),
    amount,
    approved,
    response_code: responseCode,
    response_summary: approved ? 'Approved' : 'Declined',
    ...(reference === null ? {} : { reference }),
    metadata,
  };
}

/** A payment as it is answered and read. `pages`: where customers are sent to authenticate. */
export function renderPayment(payment: CheckoutPayment, pages: string): object {
  const { id, amount, currency, reference, status, metadata, actions, at, redirects } = payment;
  const last = actions.findLast(({ type }) => type === 'Authorization');
  const self = `${pages}/payments/${id}`;
  const redirect =
    status === 'Pending' && redirects ? { redirect: { href: `${pages}/_customer/authenticate/${id}` } } : {};
  return {
    id,
    ...(last ? { action_id: last.id } : {}),
    requested_on: new Date(at).toISOString(),
    amount,
    currency,
    ...(last ? { approved: last.approved } : {}),
    status,
    ...(last
      ? { response_code: last.responseCode, response_summary: last.approved ? 'Approved' : 'Declined' }
      : {}),
    ...(reference === null ? {} : { reference }),
    source: { type: 'card', scheme: 'Visa', last4: '4242' },
    metadata,
    _links: { self: { href: self }, actions: { href: `${self}/actions` }, ...redirect },
  };
}

export { APPROVED };
