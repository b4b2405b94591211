import { headingOf, readReport } from '../../../test/support/read-report.js';
import { squarePayouts } from './square.reports.js';

/** As Square's specification shows them (square/connect-api-specification, ListPayoutEntriesResponse). */
const refund = {
  id: 'poe_ZQWcw41d0SGJS6IWd4cSi8mKHk',
  payout_id: 'po_4d28e6c4-7dd5-4de4-8ec9-a059277646a6',
  effective_at: '2021-12-14T23:31:49Z',
  type: 'REFUND',
  gross_amount_money: { amount: -50, currency: 'USD' },
  fee_amount_money: { amount: -2, currency: 'USD' },
  net_amount_money: { amount: -48, currency: 'USD' },
  type_refund_details: { payment_id: 'HVdG62HeMlti8YYf94oxrN', refund_id: 'HVdG62HeMlti8YYf94oxrN_dR8N' },
};
const charge = {
  ...refund,
  id: 'poe_EibbY9Ob1d0SGJS6IWd4cSiSi6wkaPk',
  type: 'CHARGE',
  gross_amount_money: { amount: 100, currency: 'USD' },
  net_amount_money: { amount: 81, currency: 'USD' },
  type_charge_details: { payment_id: 'HVdG62H5K3291d0SGJS6IWd4cSi8YY' },
};
const payout = {
  id: 'po_4d28e6c4-7dd5-4de4-8ec9-a059277646a6',
  status: 'PAID',
  amount_money: { amount: 33, currency: 'USD' },
  created_at: '2021-12-15T03:00:00Z',
};

it('reads a payout as money that leaves, and its entries as what it consists of', async () => {
  const { lines, faults } = await readReport(squarePayouts, headingOf(squarePayouts), payout, refund, charge);
  expect(faults).toEqual([]);
  expect(lines).toMatchObject([
    { kind: 'settlement', key: payout.id, gross: -33, fee: 0, net: -33, batch: payout.id },
    {
      kind: 'refund',
      pspReference: 'HVdG62HeMlti8YYf94oxrN_dR8N',
      parentReference: 'HVdG62HeMlti8YYf94oxrN',
      gross: -50,
      fee: -2,
      net: -48,
      batch: payout.id,
    },
    { kind: 'payment', pspReference: 'HVdG62H5K3291d0SGJS6IWd4cSi8YY', gross: 100, fee: 19, net: 81 },
  ]);
  // What the entries leave is what is paid out.
  expect(lines.reduce((sum, { net }) => sum + net, 0)).toBe(0);
});

it('tells a dispute from its end by the sign, and fees from what is none of ours', async () => {
  const details = { payment_id: 'P', dispute_id: 'D' };
  const won = { amount: 50, currency: 'USD' };
  const { lines } = await readReport(
    squarePayouts,
    headingOf(squarePayouts),
    { ...refund, type: 'DISPUTE', type_dispute_details: details },
    {
      ...refund,
      type: 'DISPUTE',
      gross_amount_money: won,
      net_amount_money: won,
      type_dispute_details: details,
    },
    { ...refund, type: 'TAX_ON_FEE' },
    { ...refund, type: 'PROCESSING_FEE_REFUND' },
    { ...refund, type: 'RESERVE_HOLD' },
  );
  expect(lines.map(({ kind, pspReference }) => [kind, pspReference])).toEqual([
    ['dispute', 'D'],
    ['dispute_reversed', 'D'],
    ['fee', null],
    ['fee', null],
    ['other', null],
  ]);
});

it('says what is wrong by line', async () => {
  const { faults } = await readReport(
    squarePayouts,
    headingOf(squarePayouts),
    { ...charge, type: 'GIFT' },
    { ...charge, net_amount_money: { amount: 81, currency: 'CAD' } },
    { ...charge, effective_at: 'yesterday' },
    { id: 'po_1' },
    {},
  );
  expect(faults.map(({ message }) => message)).toEqual([
    'the type "GIFT" is not known',
    'gross_amount_money and net_amount_money are not both amounts of one currency',
    'effective_at is no time',
    'is no payout and no entry of one',
    'is no payout and no entry of one',
  ]);
});
