import { createHash } from 'node:crypto';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { isCurrency } from '../core/money.js';
import { minorUnits } from './decimal.js';
import { type ReportFormat } from './report-format.js';
import { type ReportFault, type ReportLine, ReportRefused } from './report-line.js';

/** What is read of an entry, by the path below it. */
interface Entry {
  readonly line: number;
  readonly texts: Map<string, string>;
  currency: string;
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

/**
 * A bank's statement (camt.053) or notification (camt.054) of ISO 20022, any version: banks break the schema, so it is
 * read leniently and held to its own sums. A document type is refused, and with it every entity. Its entries are
 * movements of a bank account; which payout or transfer of a PSP they are is not matched.
 */
export const camtReport: ReportFormat = {
  name: 'iso20022-camt',
  covers: [],
  hasIds: false,
  async *read(bytes, fault) {
    const reader = new CamtReader(fault);
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
    yield* reader.take();
  },
};

class CamtReader {
  private readonly parser = new SaxesParser();
  private readonly path: string[] = [];
  private text = '';
  private isStatement = false;
  private entry: Entry | null = null;
  private balance: Entry | null = null;
  private statement: Statement = { sums: new Map(), balances: new Map() };
  private ready: ReportLine[] = [];

  constructor(private readonly fault: (fault: ReportFault) => void) {
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

  write(text: string): void {
    this.parser.write(text);
  }

  end(): void {
    const { line } = this;
    this.parser.close();
    if (this.isStatement) return;
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
    if (local === 'BkToCstmrStmt' || local === 'BkToCstmrDbtCdtNtfctn') this.isStatement = true;
    if (local === 'Stmt') this.statement = { sums: new Map(), balances: new Map() };
    if (local === 'Ntry' && (parent === 'Stmt' || parent === 'Ntfctn')) {
      this.entry = { line: this.line, texts: new Map(), currency: '' };
    }
    if (local === 'Bal' && parent === 'Stmt')
      this.balance = { line: this.line, texts: new Map(), currency: '' };
    const of = this.entry ?? this.balance;
    const isOwnAmount = local === 'Amt' && (parent === 'Ntry' || parent === 'Bal');
    if (of && isOwnAmount) of.currency = attributes['Ccy'] ?? '';
  }

  private close(): void {
    const local = this.path.at(-1)!;
    const of = this.entry ?? this.balance;
    const from = this.path.lastIndexOf(this.entry ? 'Ntry' : 'Bal');
    if (of && from !== -1) {
      const at = this.path.slice(from + 1).join('/');
      if (this.text.trim() !== '' && !of.texts.has(at)) of.texts.set(at, this.text.trim());
    }
    this.text = '';
    this.path.pop();
    if (local === 'Ntry' && this.entry) {
      this.endEntry(this.entry);
      this.entry = null;
    } else if (local === 'Bal' && this.balance) {
      this.endBalance(this.balance);
      this.balance = null;
    } else if (local === 'Stmt') this.endStatement();
  }

  private amountOf({ texts, currency, line }: Entry): number | null {
    const sign = texts.get('CdtDbtInd') === 'DBIT' ? -1 : 1;
    const amount = isCurrency(currency) ? minorUnits(texts.get('Amt') ?? '', currency) : null;
    if (amount === null) {
      this.fault({ line, message: `${JSON.stringify(texts.get('Amt') ?? '')} ${currency} is no amount` });
    }
    return amount === null ? null : sign * amount;
  }

  private endEntry(entry: Entry): void {
    const { texts, currency, line } = entry;
    const amount = this.amountOf(entry);
    const status = texts.get('Sts/Cd') ?? texts.get('Sts') ?? 'BOOK';
    // Pending entries are not money yet.
    if (amount === null || status !== 'BOOK') return;
    const day = texts.get('BookgDt/Dt') ?? texts.get('BookgDt/DtTm') ?? texts.get('ValDt/Dt') ?? '';
    const occurredAt = new Date(day);
    if (Number.isNaN(occurredAt.getTime())) {
      this.fault({ line, message: `${JSON.stringify(day)} is no day of booking` });
      return;
    }
    this.statement.sums.set(currency, (this.statement.sums.get(currency) ?? 0) + amount);
    const own = 'NtryDtls/TxDtls/Refs/EndToEndId';
    const bank = texts.get('AcctSvcrRef') ?? texts.get('NtryDtls/TxDtls/Refs/AcctSvcrRef') ?? null;
    const content = [bank, texts.get('NtryRef'), texts.get(own), amount, currency, day].join('\n');
    this.ready.push({
      line,
      key: createHash('sha256').update(content).digest('base64url').slice(0, 32),
      type: amount < 0 ? 'DBIT' : 'CRDT',
      kind: 'other',
      pspReference: bank,
      parentReference: null,
      reference: texts.get(own) ?? null,
      currency,
      gross: amount,
      fee: 0,
      net: amount,
      settled: currency,
      occurredAt,
      batch: texts.get('NtryRef') ?? null,
    });
  }

  private endBalance(balance: Entry): void {
    const type = balance.texts.get('Tp/CdOrPrtry/Cd');
    const amount = this.amountOf(balance);
    const { line, currency } = balance;
    const { balances } = this.statement;
    if (type !== undefined && amount !== null && !balances.has(type))
      balances.set(type, { line, amount, currency });
  }

  /** What was there and what was booked is what is there. */
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
