import {
  type BreakView,
  type BreakWithNotesView,
  type RunResultView,
} from '../reconciliation/reconciliation.view.js';

/** Examples of the OpenAPI document. A test sends the requests and holds the answers to the schemas. */

export const result: RunResultView = {
  run: {
    id: '019aa5d1-3c0e-7a51-8d2f-6b0c9e4f7a18',
    psp: 'stripe',
    format: 'stripe-itemised',
    file_name: 'payout_reconciliation.csv',
    period_from: '2026-11-21T00:00:00.000Z',
    period_to: '2026-11-22T00:00:00.000Z',
    lines: 1_204,
    new_lines: 1_204,
    imported_by: 'cli:ada',
    imported_at: '2026-11-22T06:00:04.311Z',
  },
  matched: 1_202,
  unmatched: 1,
  totals: [
    { currency: 'EUR', opening: 0, in: 250_000, out: 5_000, fees: 4_150, settled: 240_850, closing: 0 },
  ],
  breaks: [{ category: 'missing_here', currency: 'EUR', open: 1, closed: 0, difference: 1_999 }],
};

export const reportBreak: BreakView = {
  psp: 'stripe',
  id: '0b8f1f0e-6f57-4b6f-9c1c-0d3c0f6f1a11',
  category: 'missing_here',
  state: 'open',
  run_id: result.run.id,
  line: 311,
  event_id: null,
  merchant_id: null,
  entity_key: null,
  psp_reference: 'pi_3QabcDEF',
  currency: 'EUR',
  expected: 0,
  reported: 1_999,
  owner: null,
  occurred_at: '2026-11-21T09:41:07.000Z',
  since: '2026-11-22T06:00:04.311Z',
  resolved_at: null,
  resolved_by: null,
  resolution: null,
};

export const breakWithNotes: BreakWithNotesView = {
  found: reportBreak,
  notes: [
    {
      id: '019aa5d1-3c0e-7a51-8d2f-6b0c9e4f7a19',
      at: '2026-11-22T08:12:40.118Z',
      by: 'operator:ada',
      note: 'Asked the PSP.',
    },
  ],
};
