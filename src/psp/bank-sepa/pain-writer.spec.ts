import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type MandateSequence } from './bank-account.js';
import { endToEndIdOf, messageIdOf } from './bank-names.js';
import {
  type BatchHead,
  creditTransferFile,
  creditTransferFormats,
  directDebitFile,
  directDebitFormats,
  type Payment,
} from './pain-writer.js';
import { sepaText } from './sepa-text.js';
import { elementsAt, readXml, textAt } from './xml.js';

/** Files as the rulebooks of SEPA want them, held to ISO's schemas where those are at hand. */
const head: BatchHead = {
  messageId: messageIdOf('bank', 7, ['A']),
  createdAt: new Date('2026-11-22T10:00:00.123Z'),
  dueOn: '2026-11-23',
  own: {
    name: 'Müller & Söhne <GmbH>',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    creditorId: 'DE98ZZZ09999999999',
  },
};
const payment = (n: number, amount: number, more: Partial<Payment['account']> = {}): Payment => ({
  endToEndId: endToEndIdOf(`payout-${n}-send`),
  amount,
  account: { name: 'Łukasz Ørsted', iban: 'NL91ABNA0417164300', ...more },
  remittance: `Rechnung "${n}" & <mehr>`,
});
const debit = (n: number, amount: number, sequence: MandateSequence) =>
  payment(n, amount, { mandate: { id: `M-${n}`, signedOn: '2025-01-31', sequence } });

const published = resolve(__dirname, '../../../../shared/data/iso20022');
const folders = [...(process.env['ISO20022_SCHEMAS']?.split(':') ?? []), published];
const schemaOf = (format: string) => folders.map((folder) => join(folder, `${format}.xsd`)).find(existsSync);
const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

/** `it`, or a skipped one that says what is missing (CONTRIBUTING.md). */
function itWithSchema(format: string, title: string, body: () => void): void {
  if (!hasXmllint) it.skip(`${title} (skipped: xmllint is not installed)`, body);
  else if (!schemaOf(format))
    it.skip(`${title} (skipped: ${format}.xsd is in no folder of ISO20022_SCHEMAS)`, body);
  else it(title, body);
}

function expectValid(file: string, format: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'payonce-pain-'));
  const path = join(directory, 'file.xml');
  writeFileSync(path, file);
  try {
    execFileSync('xmllint', ['--noout', '--nonet', '--schema', schemaOf(format)!, path], { stdio: 'pipe' });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe.each(creditTransferFormats)('a file of credit transfers, %s', (format) => {
  const payments = [payment(1, 5), payment(2, 99_999_999_999, { bic: 'ABNANL2A' })];
  const file = creditTransferFile(format, head, payments);

  it('holds its sums and its amounts to the cent, and escapes what is no letter of SEPA', () => {
    const [initiation] = elementsAt(readXml(Buffer.from(file)), 'CstmrCdtTrfInitn');
    expect(textAt(initiation!, 'GrpHdr/CtrlSum')).toBe('1000000000.04');
    expect(textAt(initiation!, 'PmtInf/NbOfTxs')).toBe('2');
    expect(textAt(initiation!, 'GrpHdr/InitgPty/Nm')).toBe('Muller + Sohne GmbH');
    const lines = elementsAt(initiation!, 'PmtInf/CdtTrfTxInf');
    expect(lines.map((line) => textAt(line, 'Amt/InstdAmt'))).toEqual(['0.05', '999999999.99']);
    expect(textAt(lines[0]!, 'Cdtr/Nm')).toBe('Lukasz Orsted');
    expect(textAt(lines[0]!, 'RmtInf/Ustrd')).toBe('Rechnung 1 + mehr');
  });

  itWithSchema(format, 'is valid by its schema', () => {
    expectValid(file, format);
    const many = creditTransferFile(
      format,
      head,
      Array.from({ length: 500 }, (_, n) => payment(n, n + 1)),
    );
    expectValid(many, format);
    expect(() => expectValid(file.replace('TRF', 'DD '), format)).toThrow('PmtMtd');
  });
});

describe.each(directDebitFormats)('a file of direct debits, %s', (format) => {
  const file = directDebitFile(format, head, [
    debit(1, 100, 'RCUR'),
    debit(2, 200, 'FRST'),
    debit(3, 300, 'RCUR'),
  ]);

  it('has one block for each sequence', () => {
    const blocks = elementsAt(readXml(Buffer.from(file)), 'CstmrDrctDbtInitn/PmtInf');
    expect(blocks.map((block) => [textAt(block, 'PmtTpInf/SeqTp'), textAt(block, 'CtrlSum')])).toEqual([
      ['FRST', '2.00'],
      ['RCUR', '4.00'],
    ]);
    expect(blocks.map((block) => textAt(block, 'PmtInfId'))).toEqual([
      `${head.messageId}-FRST`,
      `${head.messageId}-RCUR`,
    ]);
  });

  itWithSchema(format, 'is valid by its schema', () => {
    expectValid(file, format);
    expect(() => expectValid(file.replace('RCUR</SeqTp>', 'NONE</SeqTp>'), format)).toThrow('SeqTp');
  });
});

it('names a file and an operation within 35 characters that every bank takes, the same each time', () => {
  const last = messageIdOf('a'.repeat(40), 999_999_999, ['A']);
  const blockName = `${last}-FRST`;
  for (const name of [endToEndIdOf(`payment-${'x'.repeat(200)}-refund`), last, blockName]) {
    expect(name).toMatch(/^[A-Z][A-Z0-9-]{1,34}$/);
  }
  expect(endToEndIdOf('payout-1-send')).toBe(endToEndIdOf('payout-1-send'));
  expect(endToEndIdOf('payout-1-send')).not.toBe(endToEndIdOf('payout-2-send'));
  expect(messageIdOf('bank', 1, ['A'])).not.toBe(messageIdOf('bank', 1, ['B']));
});

it.each([
  ['Straße 5 // «Æther»', 'Strasse 5 / AEther'],
  ['/begins and ends/', 'begins and ends'],
  ['日本', ''],
  ['a\u0000b\nc', 'a b c'],
])('writes %j as %j', (text, written) => expect(sepaText(text, 140)).toBe(written));
