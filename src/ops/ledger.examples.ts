import { type BalancesView, type EntryView } from '../ledger/ledger.view.js';

/** Examples of the OpenAPI document. A test sends the requests and holds the answers to the schemas. */

export const balances: BalancesView = {
  from: '2026-11-22',
  to: '2026-11-22',
  as_of: '2026-11-22T10:15:02.113Z',
  psps: [
    {
      psp: 'stripe',
      currency: 'EUR',
      taken: 250_000,
      refunded: 5_000,
      disputed: 0,
      paid_out: 0,
      fees: 4_150,
      settled: 100_000,
      held: 140_850,
    },
  ],
  trial: [
    { account: 'bank', currency: 'EUR', debit: 100_000, credit: 0 },
    { account: 'fees', currency: 'EUR', debit: 4_150, credit: 0 },
    { account: 'merchant_payable', currency: 'EUR', debit: 0, credit: 250_000 },
    { account: 'psp_clearing', currency: 'EUR', debit: 250_000, credit: 109_150 },
    { account: 'refunds', currency: 'EUR', debit: 5_000, credit: 0 },
  ],
};

export const entry: EntryView = {
  occurred_at: '2026-11-22T09:41:07.250Z',
  merchant_id: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43',
  source: 'payment-019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42-charge#1',
  line: 1,
  kind: 'charge',
  account: 'psp_clearing',
  psp: 'stripe',
  currency: 'EUR',
  amount: 1_999,
  payment_id: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42',
  payout_id: null,
  reference: 'order-1234',
  order: null,
};
