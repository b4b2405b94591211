import { createHash } from 'node:crypto';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { isCurrency } from '../../core/money.js';
import { isReturnCode, SUB_FAMILY } from './bank-answers.js';
import { isOwnEndToEndId, isOwnMessageId } from './bank-names.js';
import { minorUnits } from '../../core/decimal.js';
import { type Covered, type ReportFormat } from '../report-format.js';
import { type ReportFault, type ReportLine, ReportRefused } from '../report-line.js';

/** The fields of an entry, of one of its transactions or of a balance: texts by their path, currencies at `<path>@Ccy`. */
interface Part {
  readonly line: number;
  readonly texts: Map<string, string>;
}

interface Entry extends Part {
  readonly transactions: Part[];
}

interface Statement {
  readonly sums: Map<string, number>;
  readonly balances: Map<
    string,
    { readonly line: number; readonly amount: number; readonly currency: string }
  >;
}

const MAX_DEPTH = 32;
const MAX_TEXT = 1_000;
/** The most transactions of one entry; they are held in memory until it ends. */
const MAX_TRANSACTIONS = 100_000;
/** The place of a statement's or an advice's account, before its balances and entries. */
const OWNERS: ReadonlySet<string> = new Set(['Stmt/Acct/Id/IBAN', 'Ntfctn/Acct/Id/IBAN']);
/** Sub-families of what a bank charges (external code set BankTransactionCode). */
const FEES: ReadonlySet<string> = new Set(['CHRG', 'COMM', 'FEES']);

/**
 * A bank's statement (camt.053) or notification (camt.054) of ISO 20022, any version: banks break the schema, so it is
 * read leniently and held to its own sums. A document type is refused, and with it every entity.
 *
 * An entry is one line, or one for each of its transactions with an amount. A line that names an operation or a file of
 * ours belongs to it; everything else on the account is `other`. Only a statement is complete: a booking that an advice
 * leaves out may still exist. A booking in both is one line, by the bank's reference of it. `account`: only statements of this IBAN are read.
 */
export function camtReport(account?: string): ReportFormat {
  const covers: Covered[] = [];
  return {
    name: 'iso20022-camt',
    covers,
    hasIds: false,
    async *read(bytes, fault) {
      const reader = new CamtReader(fault, account);
      const decoder = new TextDecoder('utf-8', { fatal: true });
      for await (const chunk of bytes) {
        try {
          reader.write(decoder.decode(chunk, { stream: true }));
        } catch (error) {
          if (error instanceof ReportRefused) throw error;
          throw new ReportRefused([{ line: reader.line, message: 'holds bytes that are no UTF-8' }]);
        }
        yield* reader.take();
      }
      reader.end();
      if (reader.isStatement) covers.push('payment', 'refund', 'dispute', 'payout');
      yield* reader.take();
    },
  };
}

class CamtReader {
  private readonly parser = new SaxesParser();
  private readonly path: string[] = [];
  private text = '';
  private document: 'statement' | 'advice' | null = null;
  private entry: Entry | null = null;
  private transaction: Part | null = null;
  /** The rest of this statement is about another account than the one that is asked about. */
  private isOfAnother = false;
  private balance: Part | null = null;
  private statement: Statement = { sums: new Map(), balances: new Map() };
  private ready: ReportLine[] = [];

  constructor(
    private readonly fault: (fault: ReportFault) => void,
    private readonly account?: string,
  ) {
    const { parser } = this;
    parser.on('doctype', () => this.refuse('a document type is not taken'));
    parser.on('error', (error) => this.refuse(`is no XML: ${error.message.replace(/^\d+:\d+: /, '')}`));
    parser.on('opentag', (tag) => this.open(tag));
    parser.on('text', (text) => {
      if (this.text.length < MAX_TEXT) this.text += text;
    });
    parser.on('closetag', () => this.close());
  }

  get line(): number {
    return this.parser.line;
  }

  get isStatement(): boolean {
    return this.document === 'statement';
  }

  write(text: string): void {
    this.parser.write(text);
  }

  end(): void {
    const { line } = this;
    this.parser.close();
    if (this.document !== null) return;
    throw new ReportRefused([{ line, message: 'is no camt.053 and no camt.054' }]);
  }

  take(): ReportLine[] {
    const { ready } = this;
    this.ready = [];
    return ready;
  }

  private refuse(message: string): never {
    throw new ReportRefused([{ line: this.line, message }]);
  }

  private open({ name, attributes }: SaxesTagPlain): void {
    const local = name.slice(name.indexOf(':') + 1);
    this.path.push(local);
    this.text = '';
    if (this.path.length > MAX_DEPTH) this.refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    const parent = this.path.at(-2);
    if (local === 'BkToCstmrStmt') this.document = 'statement';
    if (local === 'BkToCstmrDbtCdtNtfctn') this.document = 'advice';
    if (local === 'Stmt' || local === 'Ntfctn') this.isOfAnother = false;
    if (local === 'Stmt') this.statement = { sums: new Map(), balances: new Map() };
    const { line } = this;
    if (local === 'Ntry' && (parent === 'Stmt' || parent === 'Ntfctn') && !this.isOfAnother) {
      this.entry = { line, texts: new Map(), transactions: [] };
    }
    if (local === 'TxDtls' && this.entry) this.transaction = { line, texts: new Map() };
    if (local === 'Bal' && parent === 'Stmt' && !this.isOfAnother) this.balance = { line, texts: new Map() };
    const currency = attributes['Ccy'];
    if (currency !== undefined) this.note('@Ccy', currency);
  }

  private close(): void {
    const local = this.path.at(-1)!;
    if (local === 'IBAN' && OWNERS.has(this.path.slice(-4).join('/'))) {
      this.isOfAnother = this.account !== undefined && this.text.trim() !== this.account;
    }
    this.note('', this.text.trim());
    this.text = '';
    this.path.pop();
    if (local === 'TxDtls' && this.transaction) {
      const { transactions } = this.entry!;
      if (transactions.push(this.transaction) > MAX_TRANSACTIONS) {
        this.refuse(`an entry has more than ${MAX_TRANSACTIONS} transactions`);
      }
      this.transaction = null;
    } else if (local === 'Ntry' && this.entry) {
      this.endEntry(this.entry);
      this.entry = null;
    } else if (local === 'Bal' && this.balance) {
      this.endBalance(this.balance);
      this.balance = null;
    } else if (local === 'Stmt') this.endStatement();
  }

  /** The first text of each path is kept, below the innermost element that is read by its paths. */
  private note(suffix: string, text: string): void {
    const of = this.transaction ?? this.entry ?? this.balance;
    if (!of || text === '') return;
    const root = this.transaction ? 'TxDtls' : this.entry ? 'Ntry' : 'Bal';
    const at = this.path.slice(this.path.lastIndexOf(root) + 1).join('/') + suffix;
    if (!of.texts.has(at)) of.texts.set(at, text);
  }

  private amountOf({ texts, line }: Part): { readonly amount: number; readonly currency: string } | null {
    const [text, currency] = [texts.get('Amt') ?? '', texts.get('Amt@Ccy') ?? ''];
    const amount = minorUnitsOf(text, currency);
    if (amount === null) this.fault({ line, message: `${JSON.stringify(text)} ${currency} is no amount` });
    return amount === null ? null : { amount: signOf(texts) * amount, currency };
  }

  private endEntry(entry: Entry): void {
    const { texts, line } = entry;
    const found = this.amountOf(entry);
    const status = texts.get('Sts/Cd') ?? texts.get('Sts') ?? 'BOOK';
    // Pending entries are not money yet.
    if (found === null || status !== 'BOOK') return;
    const { amount, currency } = found;
    const day = texts.get('BookgDt/Dt') ?? texts.get('BookgDt/DtTm') ?? texts.get('ValDt/Dt') ?? '';
    const occurredAt = new Date(day);
    if (Number.isNaN(occurredAt.getTime())) {
      this.fault({ line, message: `${JSON.stringify(day)} is no day of booking` });
      return;
    }
    this.statement.sums.set(currency, (this.statement.sums.get(currency) ?? 0) + amount);
    for (const part of partsOf(entry, amount, currency)) {
      this.ready.push({
        line: part.line,
        currency,
        settled: currency,
        occurredAt,
        ...meaningOf(entry, part, day),
      });
    }
  }

  private endBalance(balance: Part): void {
    const type = balance.texts.get('Tp/CdOrPrtry/Cd');
    const found = this.amountOf(balance);
    const { balances } = this.statement;
    if (type !== undefined && found !== null && !balances.has(type)) {
      balances.set(type, { line: balance.line, ...found });
    }
  }

  /** Checks that the opening balance and the booked entries make the closing balance. */
  private endStatement(): void {
    const { sums, balances } = this.statement;
    const opening = balances.get('OPBD') ?? balances.get('PRCD');
    const closing = balances.get('CLBD');
    if (!opening || !closing || opening.currency !== closing.currency) return;
    const sum = sums.get(closing.currency) ?? 0;
    if (opening.amount + sum === closing.amount) return;
    this.fault({
      line: closing.line,
      message: `the statement closes with ${closing.amount}, and ${opening.amount} and its entries sum to ${opening.amount + sum} (minor units)`,
    });
  }
}

/** One transaction of an entry, or all of it; `transaction` is null where the entry has no details. */
interface Movement {
  readonly line: number;
  readonly transaction: Part['texts'] | null;
  readonly amount: number;
  readonly currency: string;
}

/** The rest of the entry's amount beside its transactions is a movement too, so that all lines add up to the statement. */
function partsOf({ line, texts, transactions }: Entry, amount: number, currency: string): Movement[] {
  const [only] = transactions;
  if (transactions.length < 2) return [{ line, transaction: only?.texts ?? null, amount, currency }];
  const parts = transactions.map((part) => {
    const own = ownAmountOf(part.texts, currency);
    const sign = part.texts.has('CdtDbtInd') ? signOf(part.texts) : signOf(texts);
    return { line: part.line, transaction: part.texts, amount: own === null ? null : sign * own, currency };
  });
  const known = parts.filter((part): part is typeof part & { amount: number } => part.amount !== null);
  if (known.length < parts.length) return [{ line, transaction: null, amount, currency }];
  const rest = amount - known.reduce((sum, part) => sum + part.amount, 0);
  return rest === 0 ? known : [...known, { line, transaction: null, amount: rest, currency }];
}

function ownAmountOf(texts: Part['texts'], currency: string): number | null {
  const path = ['AmtDtls/TxAmt/Amt', 'Amt'].find((each) => texts.get(`${each}@Ccy`) === currency);
  return path === undefined ? null : minorUnitsOf(texts.get(path) ?? '', currency);
}

function minorUnitsOf(text: string, currency: string): number | null {
  return isCurrency(currency) ? minorUnits(text, currency) : null;
}

function signOf(texts: Part['texts']): 1 | -1 {
  return texts.get('CdtDbtInd') === 'DBIT' ? -1 : 1;
}

/** The operation of a movement. A refund is a transfer here; matching finds out by the instruction whether it is a payout. */
function meaningOf(
  { texts, transactions }: Entry,
  { transaction, amount, currency }: Movement,
  day: string,
): Omit<ReportLine, 'line' | 'currency' | 'settled' | 'occurredAt'> {
  const said = (path: string) => transaction?.get(path) ?? null;
  const endToEndId = said('Refs/EndToEndId');
  const bank = texts.get('AcctSvcrRef') ?? said('Refs/AcctSvcrRef');
  const whole = {
    type: amount < 0 ? 'DBIT' : 'CRDT',
    fee: 0,
    gross: amount,
    net: amount,
    parentReference: null,
  };
  if (endToEndId !== null && isOwnEndToEndId(endToEndId)) {
    const isBack =
      texts.get('RvslInd') === 'true' ||
      [texts.get(SUB_FAMILY), said(SUB_FAMILY)].some(isReturnCode) ||
      [...(transaction?.keys() ?? [])].some((path) => path.startsWith('RtrInf/'));
    const kind = amount < 0 ? (isBack ? 'dispute' : 'payout') : isBack ? 'payout_returned' : 'payment';
    const fee = kind === 'dispute' ? feeOfReturn(transaction!, -amount, currency) : 0;
    return {
      ...whole,
      key: keyOf('own', endToEndId, kind, amount, currency, day, bank),
      kind,
      gross: amount + fee,
      fee,
      pspReference: endToEndId,
      reference: null,
      batch: texts.get('NtryRef') ?? null,
    };
  }
  const [message, block] = ['MsgId', 'PmtInfId'].map(
    (name) => texts.get(`NtryDtls/Btch/${name}`) ?? transactions[0]?.texts.get(`Refs/${name}`),
  );
  const file = block ?? message;
  const isFile = endToEndId === null && transactions.length < 2 && file !== undefined && isOwnMessageId(file);
  const isFee = [texts.get(SUB_FAMILY), said(SUB_FAMILY)].some((code) => FEES.has(code ?? ''));
  if (isFile) {
    const kind = amount < 0 ? 'payout' : 'payment';
    const key = keyOf('file', file, amount, currency, day, bank);
    return { ...whole, key, kind, pspReference: null, reference: null, batch: file };
  }
  return {
    ...whole,
    key: keyOf(bank, texts.get('NtryRef'), endToEndId, amount, currency, day),
    kind: isFee ? 'fee' : 'other',
    pspReference: bank,
    reference: endToEndId,
    batch: texts.get('NtryRef') ?? null,
  };
}

/** A debit that comes back may cost more than it was: what exceeds the amount that was instructed is the bank's fee. */
function feeOfReturn(transaction: Part['texts'], amount: number, currency: string): number {
  const path = 'AmtDtls/InstdAmt/Amt';
  const instructed =
    transaction.get(`${path}@Ccy`) === currency ? minorUnitsOf(transaction.get(path) ?? '', currency) : null;
  return instructed !== null && instructed > 0 && instructed < amount ? amount - instructed : 0;
}

function keyOf(...content: readonly unknown[]): string {
  return createHash('sha256').update(content.join('\n')).digest('base64url').slice(0, 32);
}
