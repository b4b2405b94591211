import { type Change, type FromNow, fromNow, insert, type Store, update } from '../core/change.js';
import { type Table, tableOf } from '../core/table.js';
import { Problem } from '../core/problem.js';
import { type Encryption } from '../core/encryption.js';
import { type Operation } from '../idempotency/operation.js';
import { type DuplicateGuard } from './duplicate-guard.entity.js';
import { type PaymentState } from './payment-state.js';
import { type NewPayment } from './payments.js';

export const duplicateGuards: Table<DuplicateGuard> = tableOf('duplicate_guards', ['merchantId', 'digest']);

type CreateFlow = Operation<NewPayment, PaymentState>;

/**
 * The flow for a merchant with a window of `windowS` seconds: the same payment under another key
 * within it throws Problem `probable_duplicate`. Whether there is one is not read beforehand, for two
 * clicks may come at the same time: the commit that opens the payment inserts its guard, and breaks
 * the primary key where there is one. Only then the guard is read. For other merchants, and for
 * payments that name no customer, the flow is left as it is and costs nothing more.
 */
export function refusingDuplicates(
  flow: CreateFlow,
  { store, seal }: { readonly store: Store; readonly seal: Encryption },
  windowS: number,
): CreateFlow {
  if (windowS === 0) return flow;
  return {
    ...flow,
    async begin(ask, run, refused) {
      const { reference, email } = ask.customer;
      if (reference === null && email === null) return flow.begin(ask, run, refused);
      const { merchantId } = run;
      const digests = likenessesOf(seal, merchantId, ask);
      const guards = await Promise.all(
        digests.map(async (digest) => ({
          digest,
          standing: refused ? await standingGuard(store, merchantId, digest) : null,
        })),
      );
      const holding = guards.find(({ standing }) => standing?.holds)?.standing;
      if (holding && ask.allowDuplicate !== true) throw probableDuplicate(holding.guard);
      const begun = await flow.begin(ask, run, refused);
      const next = { paymentId: begun.subjectId, until: fromNow(windowS * 1_000) };
      const changes = guards.map(({ digest, standing }) =>
        standing ? replaced(standing, next) : insert(duplicateGuards, { merchantId, digest, ...next }),
      );
      const { decision } = begun;
      return { ...begun, decision: { ...decision, changes: [...decision.changes, ...changes] } };
    },
  };
}

interface Standing {
  readonly guard: DuplicateGuard;
  /** False when its time is over. */
  readonly holds: boolean;
}

/** What time it is, the store says: it wrote `until`, and clocks of processes differ. */
async function standingGuard(store: Store, merchantId: string, digest: string): Promise<Standing | null> {
  const [lapsed] = await store.findDue(duplicateGuards, { merchantId, digest }, 'until', 'now', 1);
  if (lapsed) return { guard: lapsed, holds: false };
  const [guard] = await store.find(duplicateGuards, { merchantId, digest }, 1);
  return guard ? { guard, holds: true } : null;
}

/**
 * The new payment takes the place of the one before. One whose time is over is taken over once, by
 * the first payment that comes. One that holds is passed only by those that are meant; any number of them may.
 */
function replaced(
  { guard: { merchantId, digest, paymentId }, holds }: Standing,
  next: { readonly paymentId: string; readonly until: FromNow },
): Change {
  return update(duplicateGuards, { merchantId, digest }, next, holds ? {} : { paymentId });
}

/**
 * Under the current seal key, and under the previous one while the key is changed: processes that write with
 * either find each other's guards.
 */
function likenessesOf(seal: Encryption, merchantId: string, ask: NewPayment): readonly string[] {
  const { customer, amount, currency, reference } = ask;
  const likeness = [merchantId, customer.reference, customer.email, amount, currency, reference];
  return seal.digests(`duplicate-guard\n${JSON.stringify(likeness)}`);
}

function probableDuplicate({ paymentId }: DuplicateGuard): Problem {
  return new Problem(
    'probable_duplicate',
    'A payment of this customer, amount, currency and reference was taken a moment ago, under another Idempotency-Key; payment_id names it. Read it first. If another one is meant, send it again with allow_duplicate.',
    { members: { payment_id: paymentId } },
  );
}
