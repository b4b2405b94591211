import { headingOf, readReport } from '../../../test/support/read-report.js';
import { gocardlessPayouts } from './gocardless.reports.js';

/** As GoCardless's reference shows them (payouts, payout items). */
const payout = {
  id: 'PO123',
  amount: 660,
  deducted_fees: 40,
  currency: 'GBP',
  created_at: '2014-06-20T13:23:34.000Z',
};
const itemOf = (type: string, amount: string, links: object) => ({ payout, item: { type, amount, links } });

it('reads the items of a payout, whose fees are told as their whole sum', async () => {
  const { lines, faults } = await readReport(
    gocardlessPayouts,
    headingOf(gocardlessPayouts),
    { payout },
    itemOf('deducted_fees', '-40', {}),
    itemOf('payment_paid_out', '1000.0', { payment: 'PM1', mandate: 'MD1' }),
    itemOf('gocardless_fee', '-39.6', { payment: 'PM1' }),
    itemOf('payment_refunded', '-300.0', { payment: 'PM1', refund: 'RF1' }),
  );
  expect(faults).toEqual([]);
  expect(lines.map(({ kind, pspReference, gross }) => [kind, pspReference, gross])).toEqual([
    ['settlement', 'PO123', -660],
    ['fee', null, -40],
    ['payment', 'PM1', 1_000],
    ['refund', 'RF1', -300],
  ]);
  expect(lines.reduce((sum, { net }) => sum + net, 0)).toBe(0);
  expect(new Set(lines.map(({ key }) => key)).size).toBe(4);
});

it('names a chargeback as its notification does', async () => {
  const { lines } = await readReport(
    gocardlessPayouts,
    headingOf(gocardlessPayouts),
    itemOf('payment_charged_back', '-1000.0', { payment: 'PM1' }),
    itemOf('refund_funds_returned', '300.0', { payment: 'PM1', refund: 'RF1' }),
  );
  expect(lines.map(({ kind, pspReference }) => [kind, pspReference])).toEqual([
    ['dispute', 'chargeback-PM1'],
    ['refund_reversed', 'RF1'],
  ]);
});

it('says what is wrong by line', async () => {
  const { faults } = await readReport(
    gocardlessPayouts,
    headingOf(gocardlessPayouts),
    itemOf('gift', '1.0', {}),
    itemOf('payment_paid_out', '1.5', {}),
    { payout: { ...payout, created_at: 'yesterday' } },
    { payout: { ...payout, amount: '660' } },
  );
  expect(faults.map(({ message }) => message)).toEqual([
    'the type "gift" is not known',
    'the amount is no whole minor unit of the currency',
    'created_at is no time',
    'is no payout and no item of one',
  ]);
});
