import { Problem } from '../core/problem.js';
import { type PayoutStatus } from './payout.lifecycle.js';
import { type NewPayout } from './dto/create-payout.dto.js';

/** The payout of a recipient that no other has followed yet. */
export interface Tail {
  readonly id: string;
  readonly status: PayoutStatus;
}

/** The sequences of recipients, for reading. */
export interface Sequences {
  /** null where the recipient was never paid. There is at most one: the database lets none fork. */
  tailOf(merchantId: string, recipient: string): Promise<Tail | null>;
}

/**
 * Says why a payout was out of turn, from the sequence as it is now. Returns where it is in turn after
 * all, because the sequence has moved in the meantime; then it may be tried again.
 */
export async function refuseOutOfTurn(
  sequences: Sequences,
  merchantId: string,
  { recipient, previous }: NewPayout,
): Promise<void> {
  const tail = await sequences.tailOf(merchantId, recipient.reference);
  const members = { payout_id: tail?.id ?? null };
  if (tail?.status === 'processing') {
    throw new Problem(
      'payout_in_progress',
      'A payout to this recipient has not ended yet; payout_id names it. Once it has, read it, and those before it back to the one you named; to send another one, name it as previous.',
      { members },
    );
  }
  if (members.payout_id === previous) return;
  throw new Problem(
    'payout_sequence_stale',
    tail
      ? 'The last payout to this recipient that ended is not the one named as previous; payout_id names it. Read it first, and those before it back to the one you named: one of them may be the payout that you want to send.'
      : 'This recipient was never paid: previous is null for the first payout.',
    { members },
  );
}
