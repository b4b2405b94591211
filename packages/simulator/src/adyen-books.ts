import { createHmac } from 'node:crypto';
import {
  type AdyenEvent,
  type AdyenPayment,
  type AdyenPayments,
  renderEvent,
  signedFields,
} from './adyen-payments.js';
import { type Clock } from './clock.js';
import { type Ledger, type Operation } from './ledger.js';
import { type Webhooks } from './webhooks.js';

/** Where Adyen records what it did to payments, and sends its notifications from. */
export class AdyenBooks {
  constructor(
    readonly payments: AdyenPayments,
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly webhooks: Webhooks,
  ) {}

  get merchantAccount(): string {
    return this.ledger.account;
  }

  ensureRoom(): void {
    this.ledger.ensureRoom();
  }

  book(
    operation: Operation,
    payment: AdyenPayment,
    pspReference: string,
    parent: string | null,
    amount: number,
    key: string | null,
  ): void {
    this.ledger.account = payment.merchantAccount;
    this.ledger.add({
      operation,
      psp_reference: pspReference,
      parent_reference: parent,
      reference: payment.merchantReference,
      route: payment.route,
      amount,
      currency: payment.amount.currency,
      idempotency_key: key,
    });
  }

  dispute(payment: AdyenPayment, pspReference: string, amount: number): void {
    this.ledger.dispute({
      psp_reference: pspReference,
      parent_reference: payment.pspReference,
      amount,
      currency: payment.amount.currency,
    });
  }

  undo(pspReference: string): ReturnType<Ledger['undo']> {
    return this.ledger.undo(pspReference, ['capture', 'refund']);
  }

  announce(event: AdyenEvent): void {
    this.webhooks.send(([key = '']) => {
      const signature = createHmac('sha256', Buffer.from(key, 'hex'))
        .update(signedFields(event))
        .digest('base64');
      return { headers: {}, body: renderEvent(event, signature, this.clock) };
    });
  }
}

export function about({ merchantAccount, merchantReference, amount }: AdyenPayment) {
  return { merchantAccount, merchantReference, amount };
}
