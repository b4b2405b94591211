import { type Fact } from '../psp/index.js';
import { subjectOf } from './entity-key.js';
import { type FactTaker, type Taken } from './notice.js';
import { type Subject } from './operation-resolver.js';

/** How a room that owns operations finds its subjects and takes in what is told of them. */
export interface SubjectFacts {
  /** Whose the payment or payout is; null where there is none. */
  merchantOf(id: string): Promise<string | null>;
  take(of: Subject, psp: string, fact: Fact, traceId: string): Promise<Taken>;
}

/** Hands each fact to the room that owns the operation that it speaks of. */
export class Facts implements FactTaker {
  constructor(
    private readonly payments: SubjectFacts,
    private readonly payouts: SubjectFacts,
  ) {}

  async take(psp: string, fact: Fact, traceId: string): Promise<Taken> {
    const name = fact.entityKey ?? fact.ofPayment;
    const subject = name === null ? null : subjectOf(name);
    // What was not asked for by us carries no name of ours: made by hand at the PSP, or by somebody else.
    if (!subject) return 'unknown';
    const { kind, id } = subject;
    const room = kind === 'payment' ? this.payments : this.payouts;
    const merchantId = await room.merchantOf(id);
    if (merchantId === null) return 'unknown';
    const of = {
      merchantId,
      paymentId: kind === 'payment' ? id : null,
      payoutId: kind === 'payout' ? id : null,
    };
    return room.take(of, psp, fact, traceId);
  }
}
