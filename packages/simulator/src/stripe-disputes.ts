import { type Clock } from './clock.js';
import { idSource } from './ids.js';
import { type PaymentIntent } from './payment-intents.js';
import { type Ledger } from './ledger.js';
import { type StripeEvents } from './stripe-events.js';
import { seconds } from './stripe-objects.js';
import { type DisputeStep } from './wire.js';

/** Never changed, only replaced. */
interface Dispute {
  readonly id: string;
  readonly createdMs: number;
  readonly amount: number;
  readonly status: 'needs_response' | 'won' | 'lost';
}

/** Disputes of charges, one of each. https://docs.stripe.com/disputes/how-disputes-work */
export class StripeDisputes {
  private readonly disputes = new Map<string, Dispute>();
  private readonly nextDispute = idSource('dp_1', 23);

  constructor(
    private readonly clock: Clock,
    private readonly events: StripeEvents,
    private readonly ledger: Ledger,
  ) {}

  /** Takes it one step on, and returns its id; undefined where there is nothing to dispute or to decide. */
  step(intent: PaymentIntent, step: DisputeStep, amount = intent.amountReceived): string | undefined {
    const before = this.disputes.get(intent.id);
    if (step === 'open') {
      if (before !== undefined || intent.amountReceived === 0) return undefined;
      const opened = {
        id: this.nextDispute(),
        createdMs: this.clock.now(),
        amount,
        status: 'needs_response',
      } as const;
      this.move(intent, opened, -amount);
      return this.tell(intent, opened, ['charge.dispute.created', 'charge.dispute.funds_withdrawn']);
    }
    if (before === undefined) return undefined;
    if (step === 'win') this.move(intent, before, before.amount);
    return step === 'win'
      ? this.tell(intent, { ...before, status: 'won' }, [
          'charge.dispute.closed',
          'charge.dispute.funds_reinstated',
        ])
      : this.tell(intent, { ...before, status: 'lost' }, ['charge.dispute.closed']);
  }

  reset(): void {
    this.disputes.clear();
  }

  private move({ id, currency }: PaymentIntent, dispute: Pick<Dispute, 'id'>, amount: number): void {
    this.ledger.dispute({
      psp_reference: dispute.id,
      parent_reference: id,
      amount,
      currency: currency.toUpperCase(),
    });
  }

  private tell(intent: PaymentIntent, dispute: Dispute, types: readonly string[]): string {
    this.disputes.set(intent.id, dispute);
    for (const type of types) this.events.announce(type, () => render(intent, dispute), null);
    return dispute.id;
  }
}

/** A bank usually gives a week or more. */
const ANSWERED_WITHIN_MS = 7 * 24 * 3_600_000;

function render(intent: PaymentIntent, { id, createdMs, amount, status }: Dispute): object {
  return {
    id,
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: intent.charge,
    created: seconds(createdMs),
    currency: intent.currency,
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: {
      due_by: seconds(createdMs + ANSWERED_WITHIN_MS),
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: intent.id,
    reason: 'fraudulent',
    status,
  };
}
