import { type CheckoutPayment } from './checkout-payments.js';
import { type Clock } from './clock.js';
import { idSource } from './ids.js';
import { type Ledger } from './ledger.js';
import { type DisputeStep } from './wire.js';

interface Dispute {
  readonly id: string;
  readonly amount: number;
  readonly at: number;
}

/** A bank usually gives a week or more. */
const ANSWERED_WITHIN_MS = 7 * 24 * 3_600_000;

/**
 * Disputes of payments, one of each: the amount is taken at once.
 * https://www.checkout.com/docs/business-operations/manage-disputes/how-disputes-work
 */
export class CheckoutDisputes {
  private readonly disputes = new Map<string, Dispute>();
  private readonly nextDispute = idSource('dsp_', 20);

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly announce: (type: string, data: object) => void,
  ) {}

  /** Takes it one step on, and returns its id; undefined where there is nothing to dispute or to decide. */
  step(payment: CheckoutPayment, step: DisputeStep, amount = payment.captured): string | undefined {
    const before = this.disputes.get(payment.id);
    if (step === 'open') {
      if (before !== undefined || payment.captured === 0) return undefined;
      const opened = { id: this.nextDispute(), amount, at: this.clock.now() };
      this.disputes.set(payment.id, opened);
      this.move(payment, opened, -amount);
      return this.tell(payment, opened, ['dispute_received', 'dispute_evidence_required']);
    }
    if (before === undefined) return undefined;
    if (step === 'lose') return this.tell(payment, before, ['dispute_lost']);
    this.move(payment, before, before.amount);
    return this.tell(payment, before, ['dispute_won']);
  }

  reset(): void {
    this.disputes.clear();
  }

  private move({ id, currency }: CheckoutPayment, dispute: Dispute, amount: number): void {
    this.ledger.dispute({ psp_reference: dispute.id, parent_reference: id, amount, currency });
  }

  private tell(payment: CheckoutPayment, { id, amount, at }: Dispute, types: readonly string[]): string {
    const due = new Date(at + ANSWERED_WITHIN_MS).toISOString();
    for (const type of types) {
      this.announce(type, {
        id,
        date: new Date(this.clock.now()).toISOString(),
        category: 'fraudulent',
        amount,
        currency: payment.currency,
        reason_code: '10.4',
        payment_id: payment.id,
        ...(payment.reference === null ? {} : { payment_reference: payment.reference }),
        payment_method: 'VISA',
        ...(type === 'dispute_evidence_required' ? { evidence_required_by: due } : {}),
      });
    }
    return id;
  }
}
