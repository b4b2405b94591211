import { about, type AdyenBooks } from './adyen-books.js';
import { type AdyenEvent, type AdyenPayment } from './adyen-payments.js';
import { type DisputeStep } from './wire.js';

/** Never changed, only replaced. */
interface Dispute {
  readonly pspReference: string;
  readonly amount: number;
  readonly last: AdyenEvent['eventCode'];
}

/** Which of its steps move money: taken, and given back. */
const MOVES: Readonly<Partial<Record<AdyenEvent['eventCode'], number>>> = {
  CHARGEBACK: -1,
  CHARGEBACK_REVERSED: 1,
  SECOND_CHARGEBACK: -1,
};

/** Disputes of payments, one of each. https://docs.adyen.com/risk-management/understanding-disputes/dispute-flow */
export class AdyenDisputes {
  private readonly disputes = new Map<string, Dispute>();

  constructor(
    private readonly books: AdyenBooks,
    private readonly nextReference: () => string,
  ) {}

  /** Takes it one step on, and returns its reference; undefined where there is nothing to dispute or to decide. */
  step(payment: AdyenPayment, step: DisputeStep, amount = payment.captured): string | undefined {
    const before = this.disputes.get(payment.pspReference);
    if (step === 'open') {
      if (before !== undefined || payment.captured === 0) return undefined;
      const opened = { pspReference: this.nextReference(), amount };
      return this.tell(payment, opened, 'NOTIFICATION_OF_CHARGEBACK');
    }
    if (before === undefined) return undefined;
    const isNotified = before.last === 'NOTIFICATION_OF_CHARGEBACK';
    if (step === 'lose') return this.tell(payment, before, isNotified ? 'CHARGEBACK' : 'SECOND_CHARGEBACK');
    if (isNotified) this.tell(payment, before, 'CHARGEBACK');
    return this.tell(payment, before, 'CHARGEBACK_REVERSED');
  }

  reset(): void {
    this.disputes.clear();
  }

  private tell(
    payment: AdyenPayment,
    { pspReference, amount }: Omit<Dispute, 'last'>,
    eventCode: AdyenEvent['eventCode'],
  ): string {
    this.disputes.set(payment.pspReference, { pspReference, amount, last: eventCode });
    const sign = MOVES[eventCode];
    if (sign !== undefined) this.books.dispute(payment, pspReference, sign * amount);
    this.books.announce({
      ...about(payment),
      amount: { value: amount, currency: payment.amount.currency },
      eventCode,
      success: true,
      pspReference,
      originalReference: payment.pspReference,
      reason: 'Fraudulent Processing of Transactions',
    });
    return pspReference;
  }
}
