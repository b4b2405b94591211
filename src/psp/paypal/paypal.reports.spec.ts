import { headingOf, readReport } from '../../../test/support/read-report.js';
import { paypalTransactions } from './paypal.reports.js';

/** As PayPal's specification shows them (paypal/paypal-rest-api-specifications, reporting_transactions_v1.json). */
const info = {
  transaction_id: '5TY05013RG002845M',
  transaction_event_code: 'T0006',
  transaction_initiation_date: '2014-07-11T04:03:52+0000',
  transaction_updated_date: '2014-07-11T04:03:52+0000',
  transaction_amount: { currency_code: 'USD', value: '465.00' },
  fee_amount: { currency_code: 'USD', value: '-13.79' },
  transaction_status: 'S',
};
const row = (more: object) => ({ transaction_info: { ...info, ...more } });
const read = (...values: readonly unknown[]) =>
  readReport(paypalTransactions, headingOf(paypalTransactions), ...values);

it('reads a payment by its order, and its fee as what is kept', async () => {
  const { lines, faults } = await read(
    row({ paypal_reference_id: '5O190127TN364715T', paypal_reference_id_type: 'ODR' }),
  );
  expect(faults).toEqual([]);
  expect(lines).toMatchObject([
    {
      key: '5TY05013RG002845M',
      kind: 'payment',
      pspReference: '5O190127TN364715T',
      currency: 'USD',
      gross: 46_500,
      fee: 1_379,
      net: 45_121,
      occurredAt: new Date('2014-07-11T04:03:52Z'),
    },
  ]);
});

it('leaves a payment without its order to our own name, and to its own id where it has none', async () => {
  const { lines } = await read(row({ custom_field: 'payment-1-charge 1' }), row({ custom_field: 'Gift' }));
  expect(lines).toMatchObject([
    { pspReference: null, reference: 'payment-1-charge' },
    { pspReference: '5TY05013RG002845M', reference: null },
  ]);
});

it('names captures and refunds by their own ids', async () => {
  const of = { paypal_reference_id: '2GG279541U471931P', paypal_reference_id_type: 'TXN' };
  const back = { currency_code: 'USD', value: '-10.00' };
  const { lines } = await read(
    row(of),
    row({ ...of, transaction_event_code: 'T1107', transaction_amount: back }),
    row({ ...of, transaction_event_code: 'T1107' }),
    row({ ...of, transaction_event_code: 'T1201', transaction_amount: back }),
  );
  expect(lines.map(({ kind, pspReference }) => [kind, pspReference])).toEqual([
    ['payment', '5TY05013RG002845M'],
    ['refund', '5TY05013RG002845M'],
    ['refund_reversed', '2GG279541U471931P'],
    ['dispute', null],
  ]);
});

it('leaves out what has moved nothing, and takes money that is sent, fees and transfers for what they are', async () => {
  const { lines } = await read(
    row({ transaction_status: 'D' }),
    row({ transaction_status: 'P' }),
    row({ transaction_status: 'V' }),
    row({ transaction_amount: { currency_code: 'USD', value: '-1.00' } }),
    row({ transaction_event_code: 'T0104' }),
    row({ transaction_event_code: 'T0400' }),
    row({ transaction_event_code: 'T2101' }),
  );
  expect(lines.map(({ kind }) => kind)).toEqual(['payment', 'other', 'fee', 'settlement', 'other']);
});

it('says what is wrong by line', async () => {
  const { faults } = await read(
    row({ transaction_amount: { currency_code: 'USD', value: '1.001' } }),
    row({ transaction_initiation_date: 'yesterday' }),
    row({ transaction_event_code: 'gift' }),
  );
  expect(faults.map(({ message }) => message)).toEqual([
    'transaction_amount and fee_amount are not both amounts',
    'transaction_initiation_date is no time',
    'is no transaction',
  ]);
});
