import { headingOf, readReport } from '../../../test/support/read-report.js';
import { mollieBalance } from './mollie.reports.js';

/** As Mollie's specification shows them (mollie/openapi, `list-balance-transactions-200-1`). */
const refund = {
  resource: 'balance-transaction',
  id: 'baltr_QM24QwzUWR4ev4Xfgyt29A',
  type: 'refund',
  resultAmount: { currency: 'EUR', value: '-10.25' },
  initialAmount: { currency: 'EUR', value: '-10.00' },
  deductions: { currency: 'EUR', value: '-0.25' },
  createdAt: '2022-12-16T11:23:25+00:00',
  context: { paymentId: 'tr_5B8cwPMGnU6qLbRvo7qEZo', refundId: 're_4qqhO89gsT' },
};
const payment = {
  ...refund,
  id: 'baltr_WhmDwNYR87FPDbiwBhUXCh',
  type: 'payment',
  resultAmount: { currency: 'EUR', value: '9.71' },
  initialAmount: { currency: 'EUR', value: '10.00' },
  deductions: { currency: 'EUR', value: '-0.29' },
  context: { paymentId: 'tr_5B8cwPMGnU6qLbRvo7qEZo' },
};

it('reads what moved the balance, with what was kept of it as a fee', async () => {
  const { lines, faults } = await readReport(mollieBalance, headingOf(mollieBalance), refund, payment);
  expect(faults).toEqual([]);
  expect(lines).toMatchObject([
    {
      key: 'baltr_QM24QwzUWR4ev4Xfgyt29A',
      kind: 'refund',
      pspReference: 're_4qqhO89gsT',
      parentReference: 'tr_5B8cwPMGnU6qLbRvo7qEZo',
      currency: 'EUR',
      gross: -1_000,
      fee: 25,
      net: -1_025,
      occurredAt: new Date('2022-12-16T11:23:25Z'),
    },
    { kind: 'payment', pspReference: 'tr_5B8cwPMGnU6qLbRvo7qEZo', gross: 1_000, fee: 29, net: 971 },
  ]);
});

it('names a capture and a chargeback by their own ids, and what is no payment as something else', async () => {
  const of = { paymentId: 'tr_1' };
  const { lines } = await readReport(
    mollieBalance,
    headingOf(mollieBalance),
    { ...payment, type: 'capture', context: { ...of, captureId: 'cpt_1' } },
    { ...refund, type: 'chargeback', context: { ...of, chargebackId: 'chb_1' } },
    { ...refund, type: 'outgoing-transfer', context: { settlementId: 'stl_1', transferId: 'trf_1' } },
    { ...refund, type: 'rolling-reserve-hold', context: null },
  );
  expect(lines.map(({ kind, pspReference, batch }) => [kind, pspReference, batch])).toEqual([
    ['payment', 'cpt_1', null],
    ['dispute', 'chb_1', null],
    ['settlement', null, 'stl_1'],
    ['other', null, null],
  ]);
});

it('says what is wrong by line', async () => {
  const { faults } = await readReport(
    mollieBalance,
    headingOf(mollieBalance),
    { ...payment, type: 'gift' },
    { ...payment, resultAmount: { currency: 'USD', value: '9.71' } },
    { ...payment, createdAt: 'yesterday' },
    { ...payment, resource: 'payment' },
  );
  expect(faults.map(({ message }) => message)).toEqual([
    'the type "gift" is not known',
    'initialAmount and resultAmount are not both amounts of one currency',
    'createdAt is no time',
    'is no balance transaction',
  ]);
});
