import { type Clock } from './clock.js';
import { type Ledger } from './ledger.js';
import { type DisputeStep } from './wire.js';

export interface Dispute {
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly at: number;
}

interface Disputed {
  readonly id: string;
  readonly currency: string;
  /** The amount that can be disputed, in minor units. */
  readonly captured: number;
}

/** Disputes of payments, one of each. The amount is taken when one is opened, and given back when it is won. */
export class Disputes<P extends Disputed> {
  private readonly disputes = new Map<string, Dispute>();

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly nextId: () => string,
    /** Notifies of a step that was taken. */
    private readonly tell: (payment: P, dispute: Dispute, step: DisputeStep) => void,
  ) {}

  /** Takes it one step on, and returns its id; undefined where there is nothing to dispute or to decide. */
  step(payment: P, step: DisputeStep, amount = payment.captured): string | undefined {
    const before = this.disputes.get(payment.id);
    if (step === 'open' ? before !== undefined || payment.captured === 0 : before === undefined)
      return undefined;
    const dispute = before ?? { id: this.nextId(), amount, at: this.clock.now() };
    this.disputes.set(payment.id, dispute);
    if (step !== 'lose') this.move(payment, dispute, step === 'open' ? -dispute.amount : dispute.amount);
    this.tell(payment, dispute, step);
    return dispute.id;
  }

  reset(): void {
    this.disputes.clear();
  }

  private move({ id, currency }: P, dispute: Dispute, amount: number): void {
    this.ledger.dispute({ psp_reference: dispute.id, parent_reference: id, amount, currency });
  }
}
