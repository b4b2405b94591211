import { type Table, tableOf } from '../core/table.js';
import { type Payout, type PayoutTransition } from './payout.entity.js';

export const payouts: Table<Payout> = tableOf('payouts', ['merchantId', 'recipient', 'id'], {
  defaults: { isTest: null },
});

export const payoutTransitions: Table<PayoutTransition> = tableOf('payout_transitions', [
  'merchantId',
  'payoutId',
  'version',
]);
