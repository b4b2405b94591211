import { EntitySchema } from 'typeorm';
import {
  type Change,
  type FromNow,
  fromNow,
  insert,
  Problem,
  type Seal,
  type Store,
  type Table,
  tableOf,
  update,
} from '../kernel/index.js';
import { type Flow } from '../idempotency/index.js';
import { type PaymentState } from './payment-state.js';
import { type PaymentAsk } from './payments.js';

/** The last payment of a likeness, and until when another one like it is held to be a mistake. */
export interface DuplicateGuard {
  readonly merchantId: string;
  /** Of customer, amount, currency and reference; keyed, so that nobody can be guessed from it. */
  readonly digest: string;
  readonly paymentId: string;
  /** By the store's clock, which all processes share. */
  readonly until: Date;
}

export const DuplicateGuardEntity = new EntitySchema<DuplicateGuard>({
  name: 'DuplicateGuard',
  tableName: 'duplicate_guards',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    digest: { type: 'text', primary: true },
    paymentId: { type: 'uuid', name: 'payment_id' },
    until: { type: 'timestamptz' },
  },
});

export const duplicateGuards: Table<DuplicateGuard> = tableOf(DuplicateGuardEntity);

type CreateFlow = Flow<PaymentAsk, PaymentState>;

/**
 * The flow for a merchant with a window of `windowS` seconds: the same payment under another key
 * within it throws Problem `probable_duplicate`. Whether there is one is not read beforehand, for two
 * clicks may come at the same time: the commit that opens the payment inserts its guard, and breaks
 * the primary key where there is one. Only then the guard is read. For other merchants, and for
 * payments that name no customer, the flow is left as it is and costs nothing more.
 */
export function refusingDuplicates(
  flow: CreateFlow,
  { store, seal }: { readonly store: Store; readonly seal: Seal },
  windowS: number,
): CreateFlow {
  if (windowS === 0) return flow;
  return {
    ...flow,
    async begin(ask, run, refused) {
      const { reference, email } = ask.customer;
      if (reference === null && email === null) return flow.begin(ask, run, refused);
      const { merchantId } = run;
      const digest = likenessOf(seal, merchantId, ask);
      const standing = refused > 0 ? await standingGuard(store, merchantId, digest) : null;
      if (standing?.holds && ask.allowDuplicate !== true) throw probableDuplicate(standing.guard);
      const begun = await flow.begin(ask, run, refused);
      const next = { paymentId: begun.subjectId, until: fromNow(windowS * 1_000) };
      const change = standing
        ? replaced(standing, next)
        : insert(duplicateGuards, { merchantId, digest, ...next });
      const { decision } = begun;
      return { ...begun, decision: { ...decision, changes: [...decision.changes, change] } };
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
 * whoever comes first. One that holds is passed only by those that are meant; any number of them may.
 */
function replaced(
  { guard: { merchantId, digest, paymentId }, holds }: Standing,
  next: { readonly paymentId: string; readonly until: FromNow },
): Change {
  return update(duplicateGuards, { merchantId, digest }, next, holds ? {} : { paymentId });
}

function likenessOf(seal: Seal, merchantId: string, ask: PaymentAsk): string {
  const { customer, amount, currency, reference } = ask;
  const likeness = [merchantId, customer.reference, customer.email, amount, currency, reference];
  return seal.digest(`duplicate-guard\n${JSON.stringify(likeness)}`);
}

function probableDuplicate({ paymentId }: DuplicateGuard): Problem {
  return new Problem(
    'probable_duplicate',
    'A payment of this customer, amount, currency and reference was taken a moment ago, under another Idempotency-Key; payment_id names it. Read it first. If another one is meant, send it again with allow_duplicate.',
    { members: { payment_id: paymentId } },
  );
}
