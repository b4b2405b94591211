import { BankFileRefused, elementsAt, textAt, type XmlElement } from './xml.js';

/** One line of a status report (pain.002). Without an EndToEndId it is about all of a block or a file. */
export interface StatusLine {
  readonly messageId: string;
  readonly paymentBlock: string | null;
  readonly endToEndId: string | null;
  readonly status: 'accepted' | 'settled' | 'rejected';
  /** The bank's own word: ACCP, ACSC, RJCT. */
  readonly code: string;
  readonly reason: string | null;
}

/** One booked line of a statement (camt.053) or an advice (camt.054). */
export interface BookedLine {
  readonly endToEndId: string | null;
  /** The file or block that the line stands for; null if it names none. */
  readonly messageId: string | null;
  readonly paymentBlock: string | null;
  readonly count: number | null;
  /** Cents; null where the line is not in EUR. */
  readonly amount: number | null;
  readonly direction: 'in' | 'out';
  /** It returns an earlier booking, with the bank's reason. */
  readonly isReturn: boolean;
  readonly reason: string | null;
}

export type BankAnswer =
  | { readonly kind: 'status'; readonly lines: readonly StatusLine[] }
  | { readonly kind: 'booked'; readonly account: string | null; readonly lines: readonly BookedLine[] };

/**
 * Reads a file of a bank: pain.002, camt.053 or camt.054 of any version. Banks break the schemas, so it is read
 * leniently: what is not there is not said, and a status that is not known is no answer.
 * @throws BankFileRefused
 */
export function readBankAnswer(document: XmlElement): BankAnswer[] {
  const reports = elementsAt(document, 'CstmrPmtStsRpt');
  const statements = [
    ...elementsAt(document, 'BkToCstmrStmt/Stmt'),
    ...elementsAt(document, 'BkToCstmrDbtCdtNtfctn/Ntfctn'),
  ];
  if (reports.length === 0 && statements.length === 0) {
    throw new BankFileRefused('is no pain.002, camt.053 or camt.054');
  }
  return [
    ...reports.map((report) => ({ kind: 'status' as const, lines: statusLines(report) })),
    ...statements.map((statement) => ({
      kind: 'booked' as const,
      account: textAt(statement, 'Acct/Id/IBAN'),
      lines: elementsAt(statement, 'Ntry').flatMap(bookedLines),
    })),
  ];
}

/** A bank that says that a person of it, or time, may still say no has not decided: PDNG, RCVD, PART and the like are no answer. */
const STATUS: Readonly<Record<string, StatusLine['status']>> = {
  ACTC: 'accepted',
  ACCP: 'accepted',
  ACSP: 'accepted',
  ACWC: 'accepted',
  ACWP: 'accepted',
  ACSC: 'settled',
  ACCC: 'settled',
  RJCT: 'rejected',
};

function statusLines(report: XmlElement): StatusLine[] {
  const [group] = elementsAt(report, 'OrgnlGrpInfAndSts');
  const messageId = group && textAt(group, 'OrgnlMsgId');
  if (!group || messageId === null || messageId === undefined) return [];
  const line = (
    of: XmlElement,
    status: string,
    names: Pick<StatusLine, 'paymentBlock' | 'endToEndId'>,
  ): StatusLine[] => {
    const code = textAt(of, status);
    const known = code !== null && Object.hasOwn(STATUS, code) ? STATUS[code]! : null;
    if (known === null) return [];
    const reason = reasonCodeOf(textAt(of, 'StsRsnInf/Rsn/Cd') ?? textAt(of, 'StsRsnInf/Rsn/Prtry'));
    return [{ messageId, ...names, status: known, code: code!, reason }];
  };
  const blocks = elementsAt(report, 'OrgnlPmtInfAndSts').flatMap((block) => {
    const paymentBlock = textAt(block, 'OrgnlPmtInfId');
    const lines = elementsAt(block, 'TxInfAndSts').flatMap((transaction) =>
      line(transaction, 'TxSts', { paymentBlock, endToEndId: textAt(transaction, 'OrgnlEndToEndId') }),
    );
    // Transactions that are named say for themselves; the block speaks for those that are not.
    const whole = line(block, 'PmtInfSts', { paymentBlock, endToEndId: null });
    return [...lines.filter(({ endToEndId }) => endToEndId !== null), ...withoutReason(whole, lines)];
  });
  return [...blocks, ...line(group, 'GrpSts', { paymentBlock: null, endToEndId: null })];
}

/** The reason of a refused block that the bank gave at its transactions alone. */
function withoutReason(whole: StatusLine[], lines: readonly StatusLine[]): StatusLine[] {
  const reason = lines.find((line) => line.reason !== null)?.reason ?? null;
  return whole.map((line) => ({ ...line, reason: line.reason ?? reason }));
}

function bookedLines(entry: XmlElement): BookedLine[] {
  const status = textAt(entry, 'Sts/Cd') ?? textAt(entry, 'Sts') ?? 'BOOK';
  // Pending entries are not money yet.
  if (status !== 'BOOK') return [];
  const isReversal = textAt(entry, 'RvslInd') === 'true';
  const isReturned = isReversal || isReturnCode(textAt(entry, SUB_FAMILY));
  const direction = directionOf(entry);
  const details = elementsAt(entry, 'NtryDtls');
  const transactions = details.flatMap((detail) => elementsAt(detail, 'TxDtls'));
  const named = transactions.filter((transaction) => endToEndIdIn(transaction) !== null);
  if (named.length > 0) {
    return named.map((transaction) => ({
      endToEndId: endToEndIdIn(transaction),
      messageId: null,
      paymentBlock: null,
      count: null,
      amount: amountOf(transaction) ?? (transactions.length === 1 ? amountOf(entry) : null),
      direction: textAt(transaction, 'CdtDbtInd') === null ? direction : directionOf(transaction),
      isReturn:
        isReturned ||
        elementsAt(transaction, 'RtrInf').length > 0 ||
        isReturnCode(textAt(transaction, SUB_FAMILY)),
      reason: reasonCodeOf(textAt(transaction, 'RtrInf/Rsn/Cd') ?? textAt(transaction, 'RtrInf/Rsn/Prtry')),
    }));
  }
  const whole = details.map((detail) => ({
    messageId: textAt(detail, 'Btch/MsgId') ?? textAt(detail, 'TxDtls/Refs/MsgId'),
    paymentBlock: textAt(detail, 'Btch/PmtInfId') ?? textAt(detail, 'TxDtls/Refs/PmtInfId'),
    count: Number(textAt(detail, 'Btch/NbOfTxs') ?? '') || null,
  }));
  return whole
    .filter(({ messageId, paymentBlock }) => messageId !== null || paymentBlock !== null)
    .map((names) => ({
      endToEndId: null,
      ...names,
      amount: amountOf(entry),
      direction,
      isReturn: isReturned,
      reason: null,
    }));
}

function endToEndIdIn(transaction: XmlElement): string | null {
  const id = textAt(transaction, 'Refs/EndToEndId');
  return id === 'NOTPROVIDED' ? null : id;
}

export const SUB_FAMILY = 'BkTxCd/Domn/Fmly/SubFmlyCd';

/** Sub-families of returned and reversed transfers and debits (external code set BankTransactionCode). */
const RETURNS: ReadonlySet<string> = new Set(['RRTN', 'RPCR', 'UPCT', 'UPDD', 'PRDD', 'RCDD', 'ARET']);

/** Whether a booking with this sub-family code returns an earlier booking. */
export function isReturnCode(subFamily: string | null | undefined): boolean {
  return RETURNS.has(subFamily ?? '');
}

function directionOf(of: XmlElement): 'in' | 'out' {
  return textAt(of, 'CdtDbtInd') === 'DBIT' ? 'out' : 'in';
}

function amountOf(of: XmlElement): number | null {
  const found = ['AmtDtls/TxAmt/Amt', 'Amt', 'AmtDtls/InstdAmt/Amt'].flatMap((path) => elementsAt(of, path));
  const [first] = found;
  return first?.attributes['Ccy'] === 'EUR' ? centsOf(first.text) : null;
}

/** A decimal of euros to cents, exactly; null if it is not one. */
function centsOf(text: string): number | null {
  const [, whole, fraction = ''] = /^\+?(\d{1,13})(?:\.(\d{1,5}))?$/.exec(text) ?? [];
  if (whole === undefined || /[1-9]/.test(fraction.slice(2))) return null;
  return Number(whole) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'));
}

/** ISO's codes have four characters, those of banks a few more. Anything else is a sentence, and is not kept. */
function reasonCodeOf(text: string | null): string | null {
  return text !== null && /^[A-Z0-9]{1,10}$/i.test(text) ? text.toUpperCase() : null;
}
