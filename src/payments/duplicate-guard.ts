import {
  type Change,
  type FromNow,
  fromNow,
  insert,
  type Refusal,
  type Store,
  update,
} from '../core/change.js';
import { type Encryption } from '../core/encryption.js';
import { Problem } from '../core/problem.js';
import { type Table, tableOf } from '../core/table.js';
import { type BeginResult, type KeyedRun } from '../idempotency/operation.js';
import { ChargeFlow, type ChooseAccounts } from './charge.flow.js';
import { type DuplicateGuard } from './duplicate-guard.entity.js';
import { type DuplicateRefusal, duplicateRefusal, type LikePayment } from './duplicate-rules.js';
import { type PaymentOperations } from './payment-operations.js';
import { type PaymentState } from './payment-state.js';
import { payments } from './payment.table.js';
import { type NewPayment } from './dto/create-payment.dto.js';

export const duplicateGuards: Table<DuplicateGuard> = tableOf('duplicate_guards', ['merchantId', 'digest']);

/**
 * The charge for a merchant with a window of `windowS` seconds: the same payment under another key within it throws
 * Problem `probable_duplicate`. Nothing is read first, since two clicks may come at the same time: the commit that
 * opens the payment inserts its guard, and breaks the primary key if there is one. Only then the guard is read.
 * Guests, of whom no customer is named, are alike by amount, currency and reference. Who is refused is decided by
 * duplicateRefusal().
 */
export class GuardedChargeFlow extends ChargeFlow {
  constructor(
    operations: PaymentOperations,
    chooseAccounts: ChooseAccounts,
    private readonly windowS: number,
  ) {
    super(operations, chooseAccounts);
  }

  override async begin(
    input: NewPayment,
    run: KeyedRun,
    refused: Refusal | null,
  ): Promise<BeginResult<PaymentState>> {
    const { merchantId } = run;
    const { store, seal } = this.operations.tools;
    const digests = likenessesOf(seal, merchantId, input);
    const guards = await Promise.all(
      digests.map(async (digest) => ({
        digest,
        standing: refused ? await standingGuard(store, merchantId, digest) : null,
      })),
    );
    const { reference, email } = input.customer;
    const asked = {
      isGuest: reference === null && email === null,
      allowDuplicate: input.allowDuplicate === true,
    };
    const refusals = guards.flatMap(({ standing }) => {
      const why = standing && duplicateRefusal(standing, asked);
      return why ? [{ why, paymentId: standing.guard.paymentId }] : [];
    });
    // Two, where the guards were written under two seal keys.
    const refusal = refusals.find(({ why }) => why === 'undecided') ?? refusals[0];
    if (refusal) throw probableDuplicate(refusal);
    const begun = this.newPayment(input, run, refused);
    const next = { paymentId: begun.subjectId, until: fromNow(this.windowS * 1_000) };
    const changes = guards.map(({ digest, standing }) =>
      standing ? replaced(standing, next) : insert(duplicateGuards, { merchantId, digest, ...next }),
    );
    const { decision } = begun;
    return { ...begun, decision: { ...decision, changes: [...decision.changes, ...changes] } };
  }
}

interface Standing extends LikePayment {
  readonly guard: DuplicateGuard;
}

/** By the store's clock: it wrote `until`, and clocks of processes differ. */
async function standingGuard(store: Store, merchantId: string, digest: string): Promise<Standing | null> {
  const [lapsed] = await store.findDue(duplicateGuards, { merchantId, digest }, 'until', 'now', 1);
  const guard = lapsed ?? (await store.find(duplicateGuards, { merchantId, digest }, 1))[0];
  if (!guard) return null;
  const [payment] = await store.find(payments, { merchantId, id: guard.paymentId }, 1);
  return { guard, status: payment?.status, isLapsed: lapsed !== undefined };
}

/** The new payment takes the place of the one that was judged, and of no other: of two at once, one is judged again. */
function replaced(
  { guard: { merchantId, digest, paymentId } }: Standing,
  next: { readonly paymentId: string; readonly until: FromNow },
): Change {
  return update(duplicateGuards, { merchantId, digest }, next, { paymentId });
}

/**
 * Under the current seal key, and under the previous one while the key is changed: processes that write with
 * either find each other's guards.
 */
function likenessesOf(seal: Encryption, merchantId: string, payment: NewPayment): readonly string[] {
  const { customer, amount, currency, reference } = payment;
  const likeness = [merchantId, customer.reference, customer.email, amount, currency, reference];
  return seal.digests(`duplicate-guard\n${JSON.stringify(likeness)}`);
}

const LIKE_IT = 'just like this one, with its customer (or none), amount, currency and reference,';

function probableDuplicate({ why, paymentId }: { why: DuplicateRefusal; paymentId: string }): Problem {
  const detail =
    why === 'undecided'
      ? `A payment ${LIKE_IT} is not decided yet; payment_id names it. Its PSP may have taken the money, or may yet take it, so no other one is taken beside it, also not with allow_duplicate. Wait for its outcome, or cancel it.`
      : `A payment ${LIKE_IT} was taken a moment ago, under another Idempotency-Key; payment_id names it. Read it first. If another one is meant, send it again with allow_duplicate.`;
  return new Problem('probable_duplicate', detail, { members: { payment_id: paymentId } });
}
