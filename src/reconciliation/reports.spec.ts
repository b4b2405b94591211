import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { adyenReport } from '../psp/adyen/adyen-report.js';
import { camtReport } from '../psp/bank-sepa/camt-report.js';
import { minorUnits } from '../core/decimal.js';
import { mappedReport, mappingOf } from './mapped-report.js';
import { type ReportFormat } from '../psp/report-format.js';
import { type ReportFault, type ReportLine, ReportRefused } from '../psp/report-line.js';
import { stripeReport } from '../psp/stripe/stripe-report.js';

/** Reports as PSPs write them, and broken ones: each fault is reported with its line. */
const STRIPE_HEAD =
  'balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,description,automatic_payout_id,automatic_payout_effective_at_utc,payment_intent_id,charge_id';
const charge = (n: number, more: Partial<Record<'gross' | 'fee' | 'net' | 'type' | 'text', string>> = {}) => {
  const { gross = '10.00', fee = '0.40', net = '9.60', type = 'charge', text = 'Order' } = more;
  return `txn_${n},2026-11-22 10:00:0${n},2026-11-24 00:00:00,eur,${gross},${fee},${net},${type},ch_${n},${text},po_1,2026-11-24 00:00:00,pi_${n},ch_${n}`;
};
const payout = (gross: string) =>
  `txn_9,2026-11-24 00:00:00,2026-11-24 00:00:00,eur,${gross},0.00,${gross},payout,po_1,STRIPE PAYOUT,po_1,2026-11-24 00:00:00,,`;

const ADYEN_HEAD =
  'Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number';
const settled = (type = 'Settled', currency = 'EUR') =>
  `Co,Shop,8835,payment-1-charge,visa,2026-11-22 10:00:00,CET,${type},8836,${currency},,10.00,1.1,EUR,,9.50,,0.10,0.20,0.20,7`;
const paidOut = (amount: string) =>
  `Co,Shop,,,,2026-11-23 10:00:00,CET,MerchantPayout,TX7,,,,,EUR,${amount},,,,,,7`;

async function read(
  format: ReportFormat,
  file: string | Uint8Array,
): Promise<{ lines: ReportLine[]; faults: readonly ReportFault[] }> {
  const bytes = Buffer.from(file as string);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 61) yield bytes.subarray(at, at + 61);
  }
  const lines: ReportLine[] = [];
  const faults: ReportFault[] = [];
  try {
    for await (const line of format.read(pieces(), (fault) => void faults.push(fault))) lines.push(line);
    return { lines, faults };
  } catch (error) {
    if (error instanceof ReportRefused) return { lines, faults: error.faults };
    throw error;
  }
}

const rows = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');
const stripe = (...lines: string[]) => rows(STRIPE_HEAD, ...lines);
const adyen = (...lines: string[]) => rows(ADYEN_HEAD, ...lines);

describe('a Stripe itemised report', () => {
  it('is read to minor units, its closing payout apart', async () => {
    const { lines, faults } = await read(stripeReport, stripe(charge(1), charge(2), payout('-19.20')));
    expect(faults).toEqual([]);
    expect(lines.map(({ kind, gross, fee, net }) => [kind, gross, fee, net])).toEqual([
      ['payment', 1_000, 40, 960],
      ['payment', 1_000, 40, 960],
      ['settlement', -1_920, 0, -1_920],
    ]);
    expect(lines[0]).toMatchObject({
      line: 2,
      key: 'txn_1',
      pspReference: 'pi_1',
      currency: 'EUR',
      batch: 'po_1',
    });
    expect(lines[0]!.occurredAt).toEqual(new Date('2026-11-22T10:00:01Z'));
  });

  it('may have a byte order mark, CRLF, quoted commas and characters that pieces cut apart', async () => {
    const text = `\uFEFF${stripe(charge(1, { text: '"Größe, ""XL"" 日本"' }))}`.replaceAll('\n', '\r\n');
    const { lines, faults } = await read(stripeReport, text);
    expect([lines.length, faults]).toEqual([1, []]);
    expect(lines[0]).toMatchObject({ key: 'txn_1', pspReference: 'pi_1' });
  });

  it.each<[string, string | Uint8Array, readonly (readonly [number | null, RegExp])[]]>([
    ['is cut off within a line', stripe(charge(1), charge(2)).slice(0, -30), [[3, /cut off|columns/]]],
    ['is cut off within quotes', stripe(charge(1, { text: '"Order' })), [[2, /no CSV.*[Qq]uote/]]],
    [
      'has a line with a column too few',
      stripe(charge(1), 'txn_2,x'),
      [[3, /2 columns, and the heading has 14/]],
    ],
    [
      'has edited totals',
      stripe(charge(1), charge(2, { net: '19.60' }), payout('-19.20')),
      [[4, /po_1 is 1920 and its rows sum to 2920/]],
    ],
    [
      'has types that are not known, each by line',
      stripe(charge(1, { type: 'tip' }), charge(2), charge(3, { type: 'gift' })),
      [
        [2, /"tip" is not known/],
        [4, /"gift" is not known/],
      ],
    ],
    ['has more decimals than the currency', stripe(charge(1, { gross: '10.001' })), [[2, /not all amounts/]]],
    ['has amounts with a comma', stripe(charge(1, { gross: '"10,00"' })), [[2, /not all amounts/]]],
    ['is Latin-1', Buffer.from(stripe(charge(1), charge(2, { text: 'Größe' })), 'latin1'), [[3, /no UTF-8/]]],
    ['is UTF-16', Buffer.from(`\uFEFF${stripe(charge(1))}`, 'utf16le'), [[1, /UTF-16/]]],
    ['is empty', '', [[null, /empty/]]],
    ['is another file', rows('a,b', '1,2'), [[null, /no heading/]]],
  ])('%s: told by line', async (_what, file, expected) => {
    const { faults } = await read(stripeReport, file);
    expect(faults.map(({ line }) => line)).toEqual(expected.map(([line]) => line));
    for (const [index, [, message]] of expected.entries()) expect(faults[index]!.message).toMatch(message);
  });
});

describe('an Adyen settlement detail report', () => {
  it('is read with its fees, in its time zone, below lines that stand above the heading', async () => {
    const file = `\uFEFF${rows('Merchant/Company,Start date,End date', 'Shop,2026-11-22,2026-11-23')}${adyen(settled(), paidOut('9.50'))}`;
    const { lines, faults } = await read(adyenReport(), file);
    expect(faults).toEqual([]);
    expect(lines).toMatchObject([
      {
        line: 4,
        kind: 'payment',
        pspReference: '8836',
        parentReference: '8835',
        reference: 'payment-1-charge',
        gross: 1_000,
        fee: 50,
        net: 950,
        occurredAt: new Date('2026-11-22T09:00:00Z'),
      },
      { kind: 'settlement', net: -950, batch: '7' },
    ]);
  });

  it('of a company is read for one of its accounts', async () => {
    const file = adyen(settled(), settled().replace('Co,Shop,', 'Co,Other,'), paidOut('9.50'));
    const { lines, faults } = await read(adyenReport('Shop'), file);
    expect([lines.map(({ line }) => line), faults]).toEqual([[2, 4], []]);
    const none = await read(adyenReport('Nobody'), file);
    expect(none.faults).toEqual([{ line: null, message: 'has no row of the merchant account Nobody' }]);
  });

  it('may be settled in another currency', async () => {
    const { lines } = await read(adyenReport(), adyen(settled('Settled', 'USD')));
    expect(lines).toMatchObject([{ currency: 'USD', gross: 1_000, settled: 'EUR', net: 950, fee: 50 }]);
  });

  it.each([
    ['edited totals', adyen(settled(), paidOut('9.60')), 3, /pays out 960 and its rows sum to 950/],
    ['an unknown type', adyen(settled('Gifted')), 2, /"Gifted" is not known/],
    ['an unknown time zone', adyen(settled().replace('CET', 'XYZ')), 2, /XYZ.*no time/],
    ['an unknown currency', adyen(settled('Settled', 'QQQ')), 2, /"QQQ" is no currency/],
  ])('has %s: told by line', async (_what, file, line, message) => {
    const { faults } = await read(adyenReport(), file);
    expect(faults).toEqual([{ line, message: expect.stringMatching(message) as string }]);
  });
});

describe('a CSV of another PSP, by a mapping', () => {
  const mapping = {
    delimiter: ';',
    columns: {
      key: 'id',
      type: 'kind',
      currency: 'ccy',
      gross: 'amount',
      occurredAt: 'time',
      fee: 'fee',
      pspReference: 'transaction',
    },
    types: { SALE: 'payment', REFUND: 'refund' },
    covers: ['payment', 'refund'],
  };
  const format = mappedReport(mappingOf(JSON.stringify(mapping)));
  const head = 'id;kind;transaction;amount;fee;ccy;time';

  it('is read as the mapping says', async () => {
    const file = rows(
      head,
      '1;SALE;t-1;12.30;0.30;usd;2026-11-22T10:00:00+01:00',
      '2;REFUND;t-2;-5;;usd;2026-11-22T11:00:00Z',
    );
    const { lines, faults } = await read(format, file);
    expect(faults).toEqual([]);
    expect(lines).toMatchObject([
      { key: '1', kind: 'payment', pspReference: 't-1', gross: 1_230, fee: 30, net: 1_200, currency: 'USD' },
      { key: '2', kind: 'refund', gross: -500, fee: 0, net: -500 },
    ]);
    expect(lines[0]!.occurredAt).toEqual(new Date('2026-11-22T09:00:00Z'));
  });

  it('tells each fault with its line', async () => {
    const file = rows(
      head,
      '1;GIFT;t;1;;usd;2026-11-22T10:00:00Z',
      '2;SALE;t;1;;usd;22.11.2026',
      ';SALE;t;1;;usd;2026-11-22T10:00:00Z',
    );
    const { faults } = await read(format, file);
    expect(faults.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '2: the type "GIFT" is not known',
      '3: "22.11.2026" is no time such as 2026-11-22T10:00:00Z',
      '4: there is no id',
    ]);
  });

  it.each([
    'no JSON',
    '{}',
    JSON.stringify({ ...mapping, types: { SALE: 'gift' } }),
    JSON.stringify({ ...mapping, more: 1 }),
  ])('refuses the mapping %s', (json) => {
    expect(() => mappingOf(json)).toThrow(ReportRefused);
  });
});

describe('a statement of a bank', () => {
  const balance = (type: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;
  const entry = (amount: string, sign: 'CRDT' | 'DBIT', status = 'BOOK') =>
    `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts>${status}</Sts><BookgDt><Dt>2026-11-22</Dt></BookgDt>
<NtryDtls><TxDtls><Refs><EndToEndId>e-${amount}</EndToEndId></Refs><Amt Ccy="EUR">1</Amt></TxDtls></NtryDtls></Ntry>`;
  const statement = (closing: string, ...entries: string[]) =>
    `<?xml version="1.0"?>\n<n:Document xmlns:n="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>
${balance('OPBD', '100.00')}
${balance('CLBD', closing)}
${entries.join('\n')}
</Stmt></BkToCstmrStmt></n:Document>\n`;

  it('is read entry by entry, and adds up', async () => {
    const file = statement(
      '107.50',
      entry('10.00', 'CRDT'),
      entry('2.50', 'DBIT'),
      entry('9.99', 'CRDT', 'PDNG'),
    );
    const { lines, faults } = await read(camtReport(), file);
    expect(faults).toEqual([]);
    expect(lines).toMatchObject([
      { line: 5, type: 'CRDT', gross: 1_000, reference: 'e-10.00', currency: 'EUR' },
      { line: 7, type: 'DBIT', gross: -250, reference: 'e-2.50' },
    ]);
  });

  it.each([
    [
      'whose total was edited',
      statement('108.00', entry('10.00', 'CRDT')),
      4,
      /closes with 10800.*sum to 11000/,
    ],
    ['that is cut off', statement('110.00', entry('10.00', 'CRDT')).slice(0, -40), 6, /no XML/],
    ['with a document type', '<!DOCTYPE x [<!ENTITY a "b">]>\n<x>&a;</x>\n', 1, /document type/],
    ['that is another document', '<x>\n</x>\n', 3, /no camt/],
  ])('%s is refused with the line', async (_what, file, line, message) => {
    const { faults } = await read(camtReport(), file);
    expect(faults).toEqual([{ line, message: expect.stringMatching(message) as string }]);
  });

  const OWN = `PO-${'A'.repeat(31)}`;
  const own = (amount: string, sign: 'CRDT' | 'DBIT', more = '') =>
    `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-22</Dt></BookgDt>
<NtryDtls><TxDtls><Refs><EndToEndId>${OWN}</EndToEndId></Refs>${more}</TxDtls></NtryDtls></Ntry>`;
  const returned = '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>';

  it.each([
    ['a transfer', own('5.00', 'DBIT'), { kind: 'payout', gross: -500, fee: 0 }],
    ['a debit', own('5.00', 'CRDT'), { kind: 'payment', gross: 500, fee: 0 }],
    ['a transfer that came back', own('5.00', 'CRDT', returned), { kind: 'payout_returned', gross: 500 }],
    [
      'a debit that came back, and what that costs',
      own('8.00', 'DBIT', `${returned}<AmtDtls><InstdAmt><Amt Ccy="EUR">5.00</Amt></InstdAmt></AmtDtls>`),
      { kind: 'dispute', gross: -500, fee: 300, net: -800 },
    ],
  ])('names %s by our EndToEndId', async (_what, ntry, expected) => {
    const { lines, faults } = await read(camtReport(), statement('0', ntry).replace(/<Bal>.*<\/Bal>/g, ''));
    expect(faults).toEqual([]);
    expect(lines).toMatchObject([{ pspReference: OWN, net: expected.gross, ...expected }]);
  });

  it('of another account is left out where one is asked for, and only a statement is complete', async () => {
    const of = (iban: string) =>
      statement('0', own('5.00', 'DBIT'))
        .replace(/<Bal>.*<\/Bal>/g, '')
        .replace('<Stmt>', `<Stmt><Acct><Id><IBAN>${iban}</IBAN></Id></Acct>`);
    const report = camtReport('DE1');
    expect((await read(report, of('DE1'))).lines).toHaveLength(1);
    expect(report.covers).toEqual(['payment', 'refund', 'dispute', 'payout']);
    expect((await read(camtReport('DE1'), of('DE2'))).lines).toEqual([]);
    const advice = camtReport();
    const text = of('DE1')
      .replaceAll('BkToCstmrStmt', 'BkToCstmrDbtCdtNtfctn')
      .replaceAll('Stmt>', 'Ntfctn>');
    expect((await read(advice, text)).lines).toHaveLength(1);
    expect(advice.covers).toEqual([]);
  });

  it('has two bookings of one transfer as two lines, where the bank names each', async () => {
    const keyOf = async (bank: string) => {
      const ntry = own('5.00', 'DBIT').replace('<NtryDtls>', `<AcctSvcrRef>${bank}</AcctSvcrRef><NtryDtls>`);
      const { lines } = await read(camtReport(), statement('0', ntry).replace(/<Bal>.*<\/Bal>/g, ''));
      return lines[0]!.key;
    };
    expect(await keyOf('B1')).toBe(await keyOf('B1'));
    expect(await keyOf('B1')).not.toBe(await keyOf('B2'));
  });

  const published = resolve(__dirname, '../../../shared/data/iso20022');
  // Samples of others are reference data and are not part of this project's tree.
  const run = existsSync(published) ? it : it.skip;
  run(
    'every published sample is read, or refused with a reason (skipped where they are not at hand)',
    async () => {
      const results: Record<string, string> = {};
      for (const name of readdirSync(published).filter((file) => file.endsWith('.xml'))) {
        const { lines, faults } = await read(camtReport(), readFileSync(join(published, name)));
        const [fault] = faults;
        results[name] = fault ? `refused: ${fault.message}` : `${lines.length > 0 ? 'some' : 'no'} entries`;
      }
      const isStatement = (name: string) => /^05|^camt/.test(name);
      for (const [name, what] of Object.entries(results)) {
        expect([name, what]).toEqual([
          name,
          isStatement(name)
            ? expect.stringMatching(/entries|sum to|no amount/)
            : 'refused: is no camt.053 and no camt.054',
        ]);
      }
    },
  );
});

it.each([
  ['10.00', 'EUR', 1_000],
  ['-0.05', 'EUR', -5],
  ['-0.00', 'EUR', 0],
  ['1200', 'JPY', 1_200],
  ['1200.00', 'JPY', 1_200],
  ['1.234', 'KWD', 1_234],
  ['10.5', 'EUR', 1_050],
  ['1200.5', 'JPY', null],
  ['1,000.00', 'EUR', null],
  ['1e3', 'EUR', null],
  ['', 'EUR', null],
  ['99999999999999.99', 'EUR', null],
])('reads %s %s as %s minor units', (text, currency, amount) => {
  expect(minorUnits(text, currency)).toBe(amount);
});
