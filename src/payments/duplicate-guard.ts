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
import { type Payment } from './payment.entity.js';
import { type PaymentStatus } from './payment.lifecycle.js';
import { type PaymentOperations } from './payment-operations.js';
import { type PaymentState } from './payment-state.js';
import { payments } from './payment.table.js';
import { type NewPayment } from './dto/create-payment.dto.js';

export const duplicateGuards: Table<DuplicateGuard> = tableOf('duplicate_guards', ['merchantId', 'digest']);

/**
 * The charge for a merchant with a window of `windowS` seconds: the same payment under another key within it throws
 * Problem `probable_duplicate`. Nothing is read first, since two clicks may come at the same time: the commit that
 * opens the payment inserts its guard, and breaks the primary key if there is one. Only then the guard is read.
 * Guests, of whom no customer is named, are alike by amount, currency and reference.
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
    const standing = guards.map((each) => each.standing).filter((each) => each !== null);
    const inDoubt = standing.find(({ payment }) => IN_DOUBT.has(payment?.status ?? ''));
    if (inDoubt) throw undecidedDuplicate(inDoubt.guard);
    const holding = standing.find((each) => each.holds);
    if (holding && input.allowDuplicate !== true) throw probableDuplicate(holding.guard);
    const begun = await super.begin(input, run, refused);
    const next = { paymentId: begun.subjectId, until: fromNow(this.windowS * 1_000) };
    const changes = guards.map(({ digest, standing }) =>
      standing ? replaced(standing, next) : insert(duplicateGuards, { merchantId, digest, ...next }),
    );
    const { decision } = begun;
    return { ...begun, decision: { ...decision, changes: [...decision.changes, ...changes] } };
  }
}

interface Standing {
  readonly guard: DuplicateGuard;
  /** The payment that it names. */
  readonly payment: Payment | undefined;
  /** False when its time is over, or it is proved that this payment took nothing. */
  readonly holds: boolean;
}

const TOOK_NOTHING: ReadonlySet<string> = new Set<PaymentStatus>(['failed', 'canceled']);
/** Its PSP may have taken the money, or may yet, when the customer comes back. */
const IN_DOUBT: ReadonlySet<string> = new Set<PaymentStatus>(['processing', 'requires_action']);

/** By the store's clock: it wrote `until`, and clocks of processes differ. */
async function standingGuard(store: Store, merchantId: string, digest: string): Promise<Standing | null> {
  const [lapsed] = await store.findDue(duplicateGuards, { merchantId, digest }, 'until', 'now', 1);
  const guard = lapsed ?? (await store.find(duplicateGuards, { merchantId, digest }, 1))[0];
  if (!guard) return null;
  const [payment] = await store.find(payments, { merchantId, id: guard.paymentId }, 1);
  return { guard, payment, holds: !lapsed && !TOOK_NOTHING.has(payment?.status ?? '') };
}

/**
 * The new payment replaces the previous one in the guard. The first payment after the window takes over the guard,
 * once, and so does the first one after a payment that took nothing. Inside the window only payments with
 * `allow_duplicate` pass, any number of them, and none while the one before is in doubt.
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
function likenessesOf(seal: Encryption, merchantId: string, payment: NewPayment): readonly string[] {
  const { customer, amount, currency, reference } = payment;
  const likeness = [merchantId, customer.reference, customer.email, amount, currency, reference];
  return seal.digests(`duplicate-guard\n${JSON.stringify(likeness)}`);
}

function undecidedDuplicate({ paymentId }: DuplicateGuard): Problem {
  return new Problem(
    'probable_duplicate',
    'A payment of this customer, amount, currency and reference is not decided yet; payment_id names it. Its PSP may have taken the money, or may yet take it, so no other one is taken beside it, also not with allow_duplicate. Wait for its outcome, or cancel it.',
    { members: { payment_id: paymentId } },
  );
}

function probableDuplicate({ paymentId }: DuplicateGuard): Problem {
  return new Problem(
    'probable_duplicate',
    'A payment of this customer, amount, currency and reference was taken a moment ago, under another Idempotency-Key; payment_id names it. Read it first. If another one is meant, send it again with allow_duplicate.',
    { members: { payment_id: paymentId } },
  );
}
