import { headingOf, readReport } from '../../../test/support/read-report.js';
import { ReportRefused } from '../report-line.js';
import { stripeBalance } from './stripe-balance.js';

const heading = headingOf(stripeBalance);
const charge = {
  id: 'txn_1',
  object: 'balance_transaction',
  amount: 1_000,
  fee: 40,
  net: 960,
  currency: 'eur',
  created: 1_795_300_000,
  reporting_category: 'charge',
  source: {
    id: 'ch_1',
    object: 'charge',
    amount: 1_000,
    amount_captured: 1_000,
    currency: 'eur',
    payment_intent: 'pi_1',
    metadata: { payonce_entity_key: 'payment-1-charge' },
  },
};

const read = (...values: readonly unknown[]) => readReport(stripeBalance, ...values);

it('reads a charge as the report of the dashboard has it', async () => {
  const { lines, faults } = await read(heading, charge);
  expect(faults).toEqual([]);
  expect(lines).toEqual([
    {
      line: 2,
      key: 'txn_1',
      type: 'charge',
      kind: 'payment',
      pspReference: 'pi_1',
      parentReference: 'pi_1',
      reference: 'payment-1-charge',
      currency: 'EUR',
      gross: 1_000,
      fee: 40,
      net: 960,
      settled: 'EUR',
      occurredAt: new Date(1_795_300_000_000),
      batch: null,
    },
  ]);
});

it('takes what the customer was charged where Stripe settles in another currency', async () => {
  const refund = { ...charge, id: 'txn_2', amount: -900, fee: 0, net: -900, reporting_category: 'refund' };
  const source = { id: 're_1', object: 'refund', amount: 1_000, currency: 'usd', payment_intent: 'pi_1' };
  const { lines } = await read(heading, { ...refund, source });
  expect(lines).toMatchObject([
    { kind: 'refund', pspReference: 're_1', currency: 'USD', gross: -1_000, net: -900, settled: 'EUR' },
  ]);
});

it("tells Stripe's own payout to the bank from those that were asked for", async () => {
  const payout = { ...charge, amount: -960, fee: 0, net: -960, reporting_category: 'payout' };
  const { lines } = await read(
    heading,
    { ...payout, source: { id: 'po_1', object: 'payout', automatic: true } },
    { ...payout, id: 'txn_2', source: { id: 'po_2', object: 'payout', automatic: false } },
  );
  expect(lines.map(({ kind }) => kind)).toEqual(['settlement', 'payout']);
});

it('says what is wrong by line, and takes nothing that is cut off', async () => {
  const { faults } = await read(heading, { ...charge, reporting_category: 'gift' }, { ...charge, net: 1.5 });
  expect(faults).toEqual([
    { line: 2, message: 'the reporting_category "gift" is not known' },
    { line: 3, message: 'is no balance transaction' },
  ]);
  await expect(read(heading, JSON.stringify(charge))).rejects.toThrow('line 2: ends without a line break');
  await expect(read(heading, '{"id"\n')).rejects.toThrow('line 2: is no JSON');
  await expect(read(charge)).rejects.toThrow(ReportRefused);
  await expect(read()).rejects.toThrow('the file is empty');
});
