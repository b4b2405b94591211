import { type BankAccount, type MandateSequence, mandateSequences } from './bank-account.js';
import { sepaText } from './sepa-text.js';
import { xml } from './xml.js';

/**
 * Files of credit transfers (pain.001) and of direct debits (pain.008) as the rulebooks of SEPA want them. The one
 * library there is for both (sepa) holds amounts as floats, and its licence is none that this project takes.
 */
export const creditTransferFormats = ['pain.001.001.09', 'pain.001.001.03'] as const;
export const directDebitFormats = ['pain.008.001.08', 'pain.008.001.02'] as const;
export type CreditTransferFormat = (typeof creditTransferFormats)[number];
export type DirectDebitFormat = (typeof directDebitFormats)[number];

/** Our own account at the bank. */
export interface OwnAccount {
  readonly name: string;
  readonly iban: string;
  readonly bic?: string;
  /** The SEPA creditor identifier; without one there are no direct debits. */
  readonly creditorId?: string;
}

export interface BatchHead {
  readonly messageId: string;
  readonly createdAt: Date;
  /** `2026-11-22`: when the bank is to carry it out. */
  readonly dueOn: string;
  readonly own: OwnAccount;
}

export interface Payment {
  readonly endToEndId: string;
  /** Cents. */
  readonly amount: number;
  readonly account: BankAccount;
  /** The text on the other side's statement. */
  readonly remittance: string;
}

const MAX_REMITTANCE_LENGTH = 140;
const MAX_NAME_LENGTH = 70;

/** Some banks answer with the names of payment blocks: `<MsgId>` where there is only one. */
export function creditTransferFile(
  format: CreditTransferFormat,
  head: BatchHead,
  payments: readonly Payment[],
): string {
  const { messageId, dueOn, own } = head;
  const isNew = format === 'pain.001.001.09';
  return document(format, 'CstmrCdtTrfInitn', [
    groupHeader(head, payments),
    xml('PmtInf', [
      xml('PmtInfId', messageId),
      xml('PmtMtd', 'TRF'),
      xml('BtchBookg', 'false'),
      ...sums(payments),
      xml('PmtTpInf', [serviceLevel()]),
      isNew ? xml('ReqdExctnDt', [xml('Dt', dueOn)]) : xml('ReqdExctnDt', dueOn),
      party('Dbtr', own.name),
      account('DbtrAcct', own.iban),
      agent('DbtrAgt', own.bic, isNew) ?? unknownAgent('DbtrAgt'),
      xml('ChrgBr', 'SLEV'),
      ...payments.map(({ endToEndId, amount, account: other, remittance }) =>
        xml('CdtTrfTxInf', [
          xml('PmtId', [xml('EndToEndId', endToEndId)]),
          xml('Amt', [instructedAmount(amount)]),
          agent('CdtrAgt', other.bic, isNew),
          party('Cdtr', other.name),
          account('CdtrAcct', other.iban),
          remittanceInformation(remittance),
        ]),
      ),
    ]),
  ]);
}

/** One payment block for each sequence, named `<MsgId>-FRST`; the rulebook allows only one sequence in a block. */
export function directDebitFile(
  format: DirectDebitFormat,
  head: BatchHead,
  payments: readonly Payment[],
): string {
  const blocks = mandateSequences
    .map(
      (sequence) =>
        [sequence, payments.filter(({ account: { mandate } }) => mandate?.sequence === sequence)] as const,
    )
    .filter(([, those]) => those.length > 0);
  return document(format, 'CstmrDrctDbtInitn', [
    groupHeader(head, payments),
    ...blocks.map(([sequence, those]) =>
      directDebitBlock(format === 'pain.008.001.08', head, sequence, those),
    ),
  ]);
}

function directDebitBlock(
  isNew: boolean,
  { messageId, dueOn, own }: BatchHead,
  sequence: MandateSequence,
  payments: readonly Payment[],
): string {
  return xml('PmtInf', [
    xml('PmtInfId', `${messageId}-${sequence}`),
    xml('PmtMtd', 'DD'),
    xml('BtchBookg', 'false'),
    ...sums(payments),
    xml('PmtTpInf', [serviceLevel(), xml('LclInstrm', [xml('Cd', 'CORE')]), xml('SeqTp', sequence)]),
    xml('ReqdColltnDt', dueOn),
    party('Cdtr', own.name),
    account('CdtrAcct', own.iban),
    agent('CdtrAgt', own.bic, isNew) ?? unknownAgent('CdtrAgt'),
    xml('ChrgBr', 'SLEV'),
    xml('CdtrSchmeId', [
      xml('Id', [
        xml('PrvtId', [
          xml('Othr', [xml('Id', own.creditorId ?? ''), xml('SchmeNm', [xml('Prtry', 'SEPA')])]),
        ]),
      ]),
    ]),
    ...payments.map(({ endToEndId, amount, account: other, remittance }) =>
      xml('DrctDbtTxInf', [
        xml('PmtId', [xml('EndToEndId', endToEndId)]),
        instructedAmount(amount),
        xml('DrctDbtTx', [
          xml('MndtRltdInf', [xml('MndtId', other.mandate!.id), xml('DtOfSgntr', other.mandate!.signedOn)]),
        ]),
        agent('DbtrAgt', other.bic, isNew) ?? unknownAgent('DbtrAgt'),
        party('Dbtr', other.name),
        account('DbtrAcct', other.iban),
        remittanceInformation(remittance),
      ]),
    ),
  ]);
}

function document(format: string, name: string, content: readonly string[]): string {
  const body = xml('Document', [xml(name, content)], { xmlns: `urn:iso:std:iso:20022:tech:xsd:${format}` });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`;
}

function groupHeader({ messageId, createdAt, own }: BatchHead, payments: readonly Payment[]): string {
  return xml('GrpHdr', [
    xml('MsgId', messageId),
    xml('CreDtTm', createdAt.toISOString().replace(/\.\d+Z$/, 'Z')),
    ...sums(payments),
    party('InitgPty', own.name),
  ]);
}

function sums(payments: readonly Payment[]): readonly string[] {
  const total = payments.reduce((sum, { amount }) => sum + amount, 0);
  return [xml('NbOfTxs', String(payments.length)), xml('CtrlSum', euros(total))];
}

/** Cents as a decimal, without a float in between. */
function euros(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function instructedAmount(amount: number): string {
  return xml('InstdAmt', euros(amount), { Ccy: 'EUR' });
}

function serviceLevel(): string {
  return xml('SvcLvl', [xml('Cd', 'SEPA')]);
}

function party(name: string, called: string): string {
  return xml(name, [xml('Nm', sepaText(called, MAX_NAME_LENGTH) || 'NOTPROVIDED')]);
}

function account(name: string, iban: string): string {
  return xml(name, [xml('Id', [xml('IBAN', iban)])]);
}

function agent(name: string, bic: string | undefined, isNew: boolean): string | null {
  return bic === undefined ? null : xml(name, [xml('FinInstnId', [xml(isNew ? 'BICFI' : 'BIC', bic)])]);
}

/** Banks find the BIC by the IBAN; where the schema wants one all the same, this stands for none. */
function unknownAgent(name: string): string {
  return xml(name, [xml('FinInstnId', [xml('Othr', [xml('Id', 'NOTPROVIDED')])])]);
}

function remittanceInformation(text: string): string | null {
  const line = sepaText(text, MAX_REMITTANCE_LENGTH);
  return line === '' ? null : xml('RmtInf', [xml('Ustrd', line)]);
}
