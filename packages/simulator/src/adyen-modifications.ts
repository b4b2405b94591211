import { about, type AdyenBooks } from './adyen-books.js';
import { type AdyenAmount, type AdyenEvent, type AdyenPayment } from './adyen-payments.js';
import { amountOf, invalid, type Json, noAccount } from './adyen-parameters.js';
import { json, type Reply, type Routed } from './wire.js';

const verbs = { captures: 'capture', refunds: 'refund', cancels: 'cancel', reversals: 'reverse' } as const;
type Does = (typeof verbs)[keyof typeof verbs];

/** One request to change a payment that is there. */
interface Order {
  /** Adyen's own reference of the request. */
  readonly own: string;
  readonly reference: string | undefined;
  readonly key: string | null;
}

/**
 * What can be asked about a payment afterwards. Received is received: whether it worked is only told
 * by the notification, as at Adyen.
 */
export class AdyenModifications {
  constructor(
    private readonly books: AdyenBooks,
    private readonly nextReference: () => string,
  ) {}

  /** `/payments/{parent}/{verb}`; undefined where there is no such verb. */
  route(verb: string, parent: string, body: Json, key: string | null): Routed | Reply | undefined {
    return isVerb(verb) ? this.modify(body, key, parent, verbs[verb]) : undefined;
  }

  /** By the merchant's own reference, for a payment whose answer was lost. */
  technicalCancel(body: Json, key: string | null): Routed | Reply {
    const { merchantAccount, paymentReference } = body;
    if (typeof merchantAccount !== 'string' || merchantAccount === '') return noAccount();
    if (typeof paymentReference !== 'string' || paymentReference === '') {
      return invalid('130', "Required field 'paymentReference' is not provided.");
    }
    const reference = typeof body['reference'] === 'string' ? body['reference'] : undefined;
    return {
      kind: 'cancel',
      references: [paymentReference, ...(reference === undefined ? [] : [reference])],
      key,
      run: () => {
        this.books.ensureRoom();
        const own = this.nextReference();
        for (const payment of this.books.payments.named(paymentReference)) {
          this.void(payment, { own, reference, key }, 'TECHNICAL_CANCEL');
        }
        const answer = { merchantAccount, paymentReference, reference, pspReference: own };
        return json(201, { ...answer, status: 'received' });
      },
    };
  }

  /** The scheme objects to what was received and done. */
  fail(own: string): boolean {
    const effect = this.books.undo(own);
    const payment = this.books.payments.get(effect?.parent_reference ?? '');
    if (effect === undefined || payment === undefined) return false;
    const capture = effect.operation === 'capture';
    const { captured, refunded } = payment;
    this.books.payments.replace({
      ...payment,
      captured: capture ? captured - effect.amount : captured,
      refunded: capture ? refunded : refunded - effect.amount,
    });
    const order = { own, reference: effect.reference ?? undefined, key: null };
    this.announce(capture ? 'CAPTURE_FAILED' : 'REFUND_FAILED', payment, order, {
      success: true,
      amount: { value: effect.amount, currency: effect.currency },
      reason: 'Rejected by the scheme',
    });
    return true;
  }

  private modify(body: Json, key: string | null, parent: string, does: Does): Routed | Reply {
    const merchantAccount = body['merchantAccount'];
    if (typeof merchantAccount !== 'string' || merchantAccount === '') return noAccount();
    const amount = does === 'capture' || does === 'refund' ? amountOf(body) : undefined;
    if (amount !== undefined && 'status' in amount) return amount;
    if (does === 'refund' && amount?.value === 0) return invalid('137', 'Invalid amount specified');
    const reference = typeof body['reference'] === 'string' ? body['reference'] : undefined;
    const before = this.books.payments.get(parent);
    return {
      kind: amount === undefined ? 'cancel' : 'execute',
      references: [reference, before?.merchantReference].filter((one) => one !== undefined),
      key,
      run: (decline) => {
        const payment = this.books.payments.get(parent);
        if (payment === undefined) {
          return invalid('167', 'Original pspReference required for this operation');
        }
        if (amount !== undefined && amount.currency !== payment.amount.currency) {
          return invalid('138', 'Currency differs from the authorised one');
        }
        this.books.ensureRoom();
        const order = { own: this.nextReference(), reference, key };
        if (amount === undefined) {
          if (does === 'reverse') this.reverse(payment, order);
          else this.void(payment, order, 'CANCELLATION');
        } else if (does === 'refund') this.refund(payment, order, amount, decline);
        else this.capture(payment, order, amount);
        return json(201, {
          merchantAccount,
          paymentPspReference: parent,
          reference,
          pspReference: order.own,
          status: 'received',
          ...(amount === undefined ? {} : { amount }),
        });
      },
    };
  }

  private capture(payment: AdyenPayment, order: Order, amount: AdyenAmount): void {
    const success = payment.manual && amount.value <= reservedOf(payment);
    if (success) {
      const after = { ...payment, captured: payment.captured + amount.value };
      this.book('capture', this.books.payments.replace(after), order, amount.value);
    }
    const why = 'Insufficient balance on payment';
    this.announce('CAPTURE', payment, order, { success, amount, ...(success ? {} : { reason: why }) });
  }

  /** Never more in all than was captured. */
  private refund(payment: AdyenPayment, order: Order, amount: AdyenAmount, decline?: string): void {
    const covered = amount.value <= payment.captured - payment.refunded;
    const success = covered && decline === undefined;
    if (success) {
      const after = { ...payment, refunded: payment.refunded + amount.value };
      this.book('refund', this.books.payments.replace(after), order, amount.value);
    }
    const why = covered ? `Refused by the issuer (${decline})` : 'Insufficient balance on payment';
    this.announce('REFUND', payment, order, { success, amount, ...(success ? {} : { reason: why }) });
  }

  /** Gives back what was taken and not given back yet, and releases what is still reserved. */
  private reverse(payment: AdyenPayment, order: Order): void {
    if (payment.captured === 0) {
      this.void(payment, order, 'CANCEL_OR_REFUND');
      return;
    }
    const taken = payment.captured - payment.refunded;
    const reserved = reservedOf(payment);
    const success = taken > 0 || reserved > 0;
    if (success) {
      this.books.payments.replace({ ...payment, status: 'cancelled', refunded: payment.captured });
      if (taken > 0) this.book('refund', payment, order, taken);
      if (reserved > 0) this.book('void', payment, order, reserved);
    }
    const why = 'Transaction is not in a state that can be reversed';
    this.announce('CANCEL_OR_REFUND', payment, order, { success, ...(success ? {} : { reason: why }) });
  }

  /** Releases what is still reserved; what was captured stays captured. */
  private void(payment: AdyenPayment, order: Order, eventCode: AdyenEvent['eventCode']): void {
    const reserved = reservedOf(payment);
    const waiting = payment.status === 'redirect' || payment.status === 'pending';
    const success = reserved > 0 || waiting;
    if (success) {
      this.books.payments.replace({ ...payment, status: payment.captured > 0 ? 'captured' : 'cancelled' });
    }
    if (reserved > 0) this.book('void', payment, order, reserved);
    const why = 'Transaction is not in a state that can be cancelled';
    this.announce(eventCode, payment, order, { success, ...(success ? {} : { reason: why }) });
  }

  private book(
    operation: 'capture' | 'refund' | 'void',
    payment: AdyenPayment,
    { own, reference, key }: Order,
    amount: number,
  ): void {
    const merchantReference = reference ?? payment.merchantReference;
    this.books.book(operation, { ...payment, merchantReference }, own, payment.pspReference, amount, key);
  }

  private announce(
    eventCode: AdyenEvent['eventCode'],
    payment: AdyenPayment,
    { own, reference = payment.merchantReference }: Order,
    how: Pick<AdyenEvent, 'success' | 'reason'> & { readonly amount?: AdyenAmount },
  ): void {
    this.books.announce({
      ...about(payment),
      eventCode,
      pspReference: own,
      originalReference: payment.pspReference,
      merchantReference: reference,
      ...how,
    });
  }
}

/** What captures may still take. */
function reservedOf({ status, amount, captured }: AdyenPayment): number {
  return status === 'authorised' ? amount.value - captured : 0;
}

function isVerb(verb: string): verb is keyof typeof verbs {
  return Object.hasOwn(verbs, verb);
}
