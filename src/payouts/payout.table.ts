import { type Table, tableOf } from '../core/table.js';
import { type Payout, type PayoutTransition } from './payout.entity.js';

const sequence = ['merchantId', 'recipient'] as const;

/**
 * The rules that make a sequence of a recipient's payouts, as the in-memory store holds them. In
 * Postgres the second and third are one index, for which null is a value like any other.
 */
export const payouts: Table<Payout> = tableOf('payouts', ['merchantId', 'recipient', 'id'], {
  defaults: { isTest: null },
  uniques: [
    {
      name: 'payouts_one_in_progress',
      columns: sequence,
      where: ({ status }) => status === 'processing',
    },
    { name: 'payouts_one_after_another', columns: sequence, where: ({ previous }) => previous === null },
    { name: 'payouts_one_after_another', columns: [...sequence, 'previous'] },
    { name: 'payouts_id', columns: ['merchantId', 'id'] },
  ],
  references: [{ name: 'payouts_follow_one', columns: [...sequence, 'previous'], to: () => payouts }],
  checks: [
    { name: 'payouts_never_after_itself', holds: ({ previous, id }) => previous !== id },
    {
      name: 'payouts_sealed_until_ended',
      holds: ({ status, sealed }) => (status === 'processing') === (sealed !== null),
    },
  ],
});

export const payoutTransitions: Table<PayoutTransition> = tableOf('payout_transitions', [
  'merchantId',
  'payoutId',
  'version',
]);
