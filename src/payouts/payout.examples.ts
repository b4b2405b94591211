import { type RecipientView } from './recipient.view.js';
import { type PayoutView } from './payout.view.js';

/** Examples of payouts for the OpenAPI document. */

const id = '019aa5c0-9c31-7f02-a6d4-0e5d7b1c2f83';
const previous = '019a8f11-02aa-7b60-93c4-7d0f5e1b6a20';

export const payoutRequest = {
  reference: 'salary-2026-11',
  recipient: {
    reference: 'recipient-1',
    tokens: { stripe: 'ba_1QabcDEF', adyen: 'SE322JV223222F5GNXSR89TMW' },
  },
  amount: 1000,
  currency: 'EUR',
  previous,
  statement_descriptor: 'SHOP SALARY',
  metadata: {},
} as const;

export const firstPayoutRequest = {
  reference: 'salary-2026-10',
  recipient: { reference: 'recipient-1', tokens: { stripe: 'ba_1QabcDEF' } },
  amount: 1000,
  currency: 'EUR',
  previous: null,
} as const;

export const paid: PayoutView = {
  object: 'payout',
  id,
  test: false,
  reference: 'salary-2026-11',
  recipient: 'recipient-1',
  status: 'paid',
  amount: 1000,
  currency: 'EUR',
  psp: 'stripe',
  psp_reference: 'po_1QabcDEF',
  entity_key: `payout-${id}-send`,
  routes: [
    { route: 1, psp: 'adyen', verdict: 'ruled_out', outcome: 'not_sent' },
    { route: 2, psp: 'stripe', verdict: 'effective', outcome: 'succeeded' },
  ],
  failure: null,
  previous,
  metadata: {},
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.412Z',
};

export const payoutProcessing: PayoutView = {
  ...paid,
  status: 'processing',
  psp: null,
  psp_reference: null,
  routes: [{ route: 1, psp: 'stripe', verdict: 'open', outcome: 'unknown' }],
};

export const payoutFailed: PayoutView = {
  ...paid,
  status: 'failed',
  psp: null,
  psp_reference: null,
  routes: [{ route: 1, psp: 'stripe', verdict: 'ruled_out', outcome: 'declined' }],
  failure: {
    category: 'declined',
    code: 'declined',
    psp_code: 'account_closed',
    message: 'The bank account is closed.',
  },
};

export const recipientRequest = payoutRequest.recipient;

export const recipient: RecipientView = {
  object: 'recipient',
  id: '019aa5c3-41d0-7e11-8f6a-5b7c9d2e0f34',
  test: false,
  reference: 'recipient-1',
  status: 'active',
  version: 1,
  accounts: { stripe: 'cDEF', adyen: '9TMW' },
  registered_at: '2026-11-21T09:00:00.000Z',
  approved_at: '2026-11-21T09:12:30.000Z',
};

export const recipientWaiting: RecipientView = {
  ...recipient,
  status: 'waiting_for_approval',
  approved_at: null,
};

export const recipientRemoved: RecipientView = {
  ...recipient,
  status: 'removed',
  version: 2,
  approved_at: null,
};
