import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BookedLine, readBankAnswer } from './bank-answers.js';
import { categoryOf, isDuplicateReason } from './reason-codes.js';
import { BankFileRefused, readXml } from './xml.js';

const read = (text: string) => readBankAnswer(readXml(Buffer.from(text)));
const status = (content: string) =>
  `<Document><CstmrPmtStsRpt><OrgnlGrpInfAndSts><OrgnlMsgId>M1</OrgnlMsgId>${content}</CstmrPmtStsRpt></Document>`;
const transaction = (id: string, code: string, reason = '') =>
  `<TxInfAndSts><OrgnlEndToEndId>${id}</OrgnlEndToEndId><TxSts>${code}</TxSts>${reason && `<StsRsnInf><Rsn><Cd>${reason}</Cd></Rsn><AddtlInf>DE89370400440532013000</AddtlInf></StsRsnInf>`}</TxInfAndSts>`;
const entry = (content: string, more = '') =>
  `<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></Acct><Ntry><Amt Ccy="EUR">12.34</Amt><CdtDbtInd>DBIT</CdtDbtInd>${more}<Sts>BOOK</Sts><NtryDtls>${content}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;
const booked = (text: string): readonly BookedLine[] =>
  read(text).flatMap((answer) => (answer.kind === 'booked' ? answer.lines : []));

it('reads a status report line by line, the reason as its code alone', () => {
  const report = status(
    `</OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>P1</OrgnlPmtInfId><PmtInfSts>PART</PmtInfSts>${transaction('A', 'ACSP')}${transaction('B', 'RJCT', 'AC04')}${transaction('C', 'PDNG')}${transaction('D', 'ACSC')}</OrgnlPmtInfAndSts>`,
  );
  const [answer] = read(report);
  expect(answer).toEqual({
    kind: 'status',
    lines: [
      ['A', 'accepted', 'ACSP', null],
      ['B', 'rejected', 'RJCT', 'AC04'],
      ['D', 'settled', 'ACSC', null],
    ].map(([endToEndId, said, code, reason]) => ({
      messageId: 'M1',
      paymentBlock: 'P1',
      endToEndId,
      status: said,
      code,
      reason,
    })),
  });
  expect(JSON.stringify(answer)).not.toContain('DE89');
});

it('reads a refusal of a whole file, and of a block with the reason of its lines', () => {
  expect(read(status('<GrpSts>RJCT</GrpSts></OrgnlGrpInfAndSts>'))).toMatchObject([
    { lines: [{ messageId: 'M1', endToEndId: null, status: 'rejected' }] },
  ]);
  const block = `</OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>P1</OrgnlPmtInfId><PmtInfSts>RJCT</PmtInfSts>${transaction('B', 'RJCT', 'FF01')}</OrgnlPmtInfAndSts>`;
  expect(read(status(block))).toMatchObject([
    {
      lines: [
        { endToEndId: 'B', reason: 'FF01' },
        { endToEndId: null, paymentBlock: 'P1', reason: 'FF01' },
      ],
    },
  ]);
});

it('reads bookings, returns and bookings of a whole file', () => {
  const named = '<TxDtls><Refs><EndToEndId>A</EndToEndId></Refs></TxDtls>';
  expect(booked(entry(named))).toMatchObject([
    { endToEndId: 'A', amount: 1234, direction: 'out', isReturn: false },
  ]);
  const returned =
    '<TxDtls><Refs><EndToEndId>A</EndToEndId></Refs><CdtDbtInd>CRDT</CdtDbtInd><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls>';
  expect(booked(entry(returned))).toMatchObject([
    { endToEndId: 'A', direction: 'in', isReturn: true, reason: 'AC04' },
  ]);
  expect(booked(entry(named, '<RvslInd>true</RvslInd>'))).toMatchObject([{ isReturn: true }]);
  expect(booked(entry('<Btch><MsgId>M1</MsgId><NbOfTxs>3</NbOfTxs></Btch>'))).toMatchObject([
    { endToEndId: null, messageId: 'M1', count: 3, amount: 1234 },
  ]);
  const two = named + named.replace('>A<', '>B<');
  expect(booked(entry(two)).map(({ amount }) => amount)).toEqual([null, null]);
  expect(booked(entry(named).replace('BOOK', 'PDNG'))).toEqual([]);
  expect(booked(entry(named).replace('12.34', '12.345'))[0]!.amount).toBeNull();
  expect(booked(entry(named).replaceAll('EUR', 'USD'))[0]!.amount).toBeNull();
  expect(booked(entry(named.replace('>A<', '>NOTPROVIDED<')))).toEqual([]);
});

it.each([
  ['<!DOCTYPE d [<!ENTITY e "x">]><d>&e;</d>', 'a document type is not taken'],
  ['<d>', 'is no XML'],
  ['', 'is no XML'],
  ['<d/>', 'is no pain.002, camt.053 or camt.054'],
  ['<d>'.repeat(40), 'is nested deeper'],
])('refuses %j', (text, message) => {
  expect(() => read(text)).toThrow(BankFileRefused);
  expect(() => read(text)).toThrow(message);
});

it('refuses bytes that are no UTF-8', () =>
  expect(() => readXml(Uint8Array.of(60, 100, 62, 255))).toThrow('no UTF-8'));

it('takes a refusal of a duplicate for no proof', () => {
  expect(isDuplicateReason('AM05')).toBe(true);
  expect(isDuplicateReason('AC04')).toBe(false);
  expect([categoryOf('AC04'), categoryOf('AM04'), categoryOf('constructor')]).toEqual([
    'account_invalid',
    'insufficient_funds',
    'declined',
  ]);
});

const folders = [
  ...(process.env['ISO20022_SCHEMAS']?.split(':') ?? []),
  resolve(__dirname, '../../../../shared/data/iso20022'),
];
const published = folders.find((folder) => existsSync(join(folder, '053_valid_example.xml'))) ?? '';
const title = 'reads or refuses each published sample';
// Samples of others are reference data and are not part of this project's tree.
const [run, name] = published ? [it, title] : [it.skip, `${title} (skipped: they are not at hand)`];
run(name, () => {
  const said = readdirSync(published)
    .filter((file) => file.endsWith('.xml'))
    .toSorted()
    .map((file) => {
      try {
        const answers = readBankAnswer(readXml(readFileSync(join(published, file))));
        return [file, answers.map(({ kind, lines }) => [kind, lines.length])];
      } catch (error) {
        return [file, (error as Error).message];
      }
    });
  expect(Object.fromEntries(said)).toMatchInlineSnapshot(`
   {
     "053_valid_example.xml": [
       [
         "booked",
         4,
       ],
     ],
     "054_valid_example.xml": [
       [
         "booked",
         5,
       ],
     ],
     "camt053.v2.multi.statement.xml": [
       [
         "booked",
         1,
       ],
       [
         "booked",
         1,
       ],
     ],
     "cross_river_pain_002_credit_accepted.xml": [
       [
         "status",
         3,
       ],
     ],
     "nordea_pain_002_v3_txn_reject.xml": [
       [
         "status",
         3,
       ],
     ],
     "pain.001.001.03.xml": "is no pain.002, camt.053 or camt.054",
     "pain.008.002.02.xml": "is no pain.002, camt.053 or camt.054",
     "pain.008.003.02.xml": "is no pain.002, camt.053 or camt.054",
   }
  `);
});
