import { type Table } from '../../src/core/table.js';
import { idempotencyKeys, FINISHED } from '../../src/idempotency/idempotency-key.table.js';
import { orders } from '../../src/payments/order.table.js';
import { payments } from '../../src/payments/payment.table.js';
import { payouts } from '../../src/payouts/payout.table.js';
import { refunds } from '../../src/refunds/refund.table.js';
import {
  nonExecutionProofs,
  orphanEffects,
  pspAttempts,
  pspRequests,
} from '../../src/request-storage/route.table.js';

type Row<T> = { readonly [K in keyof T]: T[K] };

/** The rules of the database that decisions rely on, as the in-memory store holds them. */
interface Rules<T> {
  /** No two rows for which `where` holds agree in `columns` (with no null among them). */
  readonly uniques?: readonly {
    readonly name: string;
    readonly columns: readonly (keyof T & string)[];
    readonly where?: (row: Row<T>) => boolean;
  }[];
  /** Foreign keys. Not checked where one of `columns` is null, as in SQL (MATCH SIMPLE). */
  readonly references?: readonly {
    readonly name: string;
    readonly columns: readonly (keyof T & string)[];
    readonly to: Table;
  }[];
  readonly checks?: readonly { readonly name: string; readonly holds: (row: Row<T>) => boolean }[];
}

type StoredRules = Rules<Record<string, unknown>>;

const rules = new Map<string, StoredRules>();

function holds<T>({ name }: Table<T>, own: Rules<T>): void {
  rules.set(name, own as unknown as StoredRules);
}

export function rulesOf({ name }: Table): StoredRules {
  return rules.get(name) ?? {};
}

holds(idempotencyKeys, {
  checks: [
    {
      name: 'idempotency_keys_finished',
      holds: ({ recoveryPoint, responseBody, finishedAt, lockToken, resumableAt }) =>
        recoveryPoint === FINISHED
          ? responseBody !== null && finishedAt !== null && lockToken === null && resumableAt === null
          : responseBody === null || finishedAt === null,
    },
  ],
});

holds(payments, {
  uniques: [
    {
      name: 'payments_one_holds_order',
      columns: ['merchantId', 'orderReference'],
      where: ({ holdsOrder }) => holdsOrder === true,
    },
  ],
  checks: [
    {
      // Captures never exceed the authorized amount, refunds never the captured amount.
      name: 'payments_balance',
      holds: ({ amount, amountCaptured, amountRefunded, captureReserved, refundReserved }) =>
        captureReserved >= 0 &&
        amountCaptured + captureReserved <= amount &&
        refundReserved >= 0 &&
        amountRefunded + refundReserved <= amountCaptured,
    },
  ],
});

holds(orders, {
  checks: [
    {
      // Live payments never add up to more than is due, but for what a PSP took back.
      name: 'orders_balance',
      holds: ({ amountDue, amountLive, amountPaid, amountOverpaid }) =>
        amountPaid >= 0 &&
        amountPaid <= amountLive &&
        amountLive <= amountDue + amountOverpaid &&
        amountOverpaid >= 0,
    },
  ],
});

holds(refunds, { uniques: [{ name: 'refunds_id', columns: ['merchantId', 'id'] }] });

// These rules make a sequence of a recipient's payouts. In Postgres the second and third are one index, for which null is a
// value like any other.
holds(payouts, {
  uniques: [
    {
      name: 'payouts_one_in_progress',
      columns: ['merchantId', 'recipient'],
      where: ({ status }) => status === 'processing',
    },
    {
      name: 'payouts_one_after_another',
      columns: ['merchantId', 'recipient'],
      where: ({ previous }) => previous === null,
    },
    { name: 'payouts_one_after_another', columns: ['merchantId', 'recipient', 'previous'] },
    { name: 'payouts_id', columns: ['merchantId', 'id'] },
  ],
  references: [{ name: 'payouts_follow_one', columns: ['merchantId', 'recipient', 'previous'], to: payouts }],
  checks: [
    { name: 'payouts_never_after_itself', holds: ({ previous, id }) => previous !== id },
    {
      name: 'payouts_sealed_until_ended',
      holds: ({ status, sealed }) => (status === 'processing') === (sealed !== null),
    },
  ],
});

holds(pspRequests, {
  uniques: [
    {
      // THE RULE: one route of an operation that may have an effect.
      name: 'psp_requests_one_live_route',
      columns: ['merchantId', 'entityKey'],
      where: ({ verdict }) => verdict !== 'ruled_out',
    },
    { name: 'psp_requests_psp_idempotency_key', columns: ['merchantId', 'pspIdempotencyKey'] },
  ],
  references: [
    {
      name: 'psp_requests_rests_on_proof',
      columns: ['merchantId', 'entityKey', 'restsOnRoute'],
      to: nonExecutionProofs,
    },
  ],
  checks: [
    {
      name: 'psp_requests_needs_proof',
      holds: ({ route, restsOnRoute }) => restsOnRoute === (route === 1 ? null : route - 1),
    },
    {
      name: 'psp_requests_one_subject',
      holds: ({ paymentId, payoutId }) => (paymentId === null) !== (payoutId === null),
    },
    {
      name: 'psp_requests_has_next_step',
      holds: ({ verdict, decidedAt, nextStepAt, stuckAt, leasedBy }) =>
        verdict === 'open'
          ? decidedAt === null && (nextStepAt === null) !== (stuckAt === null)
          : decidedAt !== null && nextStepAt === null && stuckAt === null && leasedBy === null,
    },
  ],
});

holds(pspAttempts, {
  references: [
    { name: 'psp_attempts_of_route', columns: ['merchantId', 'entityKey', 'route'], to: pspRequests },
  ],
});

holds(nonExecutionProofs, {
  references: [
    {
      name: 'non_execution_proofs_from_attempt',
      columns: ['merchantId', 'entityKey', 'route', 'attempt'],
      to: pspAttempts,
    },
  ],
});

holds(orphanEffects, {
  uniques: [
    {
      name: 'orphan_effects_each_object_once',
      columns: ['merchantId', 'entityKey', 'route', 'pspReference'],
    },
  ],
  references: [
    {
      name: 'orphan_effects_from_attempt',
      columns: ['merchantId', 'entityKey', 'route', 'attempt'],
      to: pspAttempts,
    },
  ],
});
