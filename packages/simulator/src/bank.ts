import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';

/** One line of a file that the bank was given, and what it did with it. */
export interface BankLine {
  readonly file: string;
  readonly messageId: string;
  readonly paymentBlock: string;
  readonly endToEndId: string;
  readonly kind: 'credit_transfer' | 'direct_debit';
  /** As it stood there: `12.34`. */
  readonly amount: string;
  readonly name: string;
  readonly iban: string;
  readonly mandate: string | null;
  readonly remittance: string | null;
  state: 'taken' | 'rejected' | 'booked' | 'returned';
  reason: string | null;
}

export interface ReportOptions {
  /** Why a line is refused; null: it is accepted. */
  readonly reject?: (line: BankLine) => string | null;
  /** What is said of those that are accepted. */
  readonly status?: string;
  /** The whole file is refused, for this reason. */
  readonly refuse?: string;
  readonly faults?: WriteFaults;
}

export interface StatementOptions {
  readonly message?: 'camt.053.001.08' | 'camt.053.001.02' | 'camt.054.001.08';
  /** One entry for each file, which names the file alone. */
  readonly asWhole?: boolean;
  readonly faults?: WriteFaults;
}

export interface WriteFaults {
  /** The first half alone, until `complete()`. */
  readonly partial?: true;
  /** Once more under another name. */
  readonly twice?: true;
}

interface Written {
  readonly path: string;
  readonly text: string;
}

/**
 * A bank without an API: takes files of credit transfers and direct debits from one folder and leaves status reports and
 * statements in another. It does all that stands in its files, each time it stands there: its ledger shows who was paid
 * twice. A file is taken when it has a name that ends in `.xml` and begins with no dot.
 */
export class SimulatedBank {
  private readonly lines: BankLine[] = [];
  private readonly files: string[] = [];
  private readonly unfinished: Written[] = [];
  /** Of what it gave back, what stood on a statement. */
  private readonly stated = new Set<BankLine>();
  private written = 0;
  private reported = 0;

  constructor(
    private readonly iban: string,
    private readonly folders: { readonly upload: string; readonly download: string },
  ) {}

  /** All instructions that it was given. */
  get ledger(): readonly Readonly<BankLine>[] {
    return this.lines;
  }

  /** The names of all files that it has taken, in that order. */
  get takenFiles(): readonly string[] {
    return this.files;
  }

  /** What lies in the folder for its files, finished or not. */
  get waiting(): readonly string[] {
    return readdirSync(this.folders.upload).toSorted();
  }

  /** Takes what lies there under a final name. Returns the lines that are new. */
  take(): readonly BankLine[] {
    const before = this.lines.length;
    for (const file of this.waiting.filter((name) => name.endsWith('.xml') && !name.startsWith('.'))) {
      const path = join(this.folders.upload, file);
      this.lines.push(...linesOf(file, readFileSync(path, 'utf8')));
      this.files.push(file);
      rmSync(path);
    }
    return this.lines.slice(before);
  }

  /** Says of everything that it took since the last report whether it will do it. */
  report({ reject = () => null, status = 'ACSP', refuse, faults }: ReportOptions = {}): void {
    const since = this.lines.slice(this.reported);
    this.reported = this.lines.length;
    for (const [messageId, lines] of groupBy(since, (line) => line.messageId)) {
      for (const line of lines) {
        line.reason = refuse ?? reject(line);
        if (line.reason !== null) line.state = 'rejected';
      }
      const blocks = [...groupBy(lines, (line) => line.paymentBlock)].map(([block, those]) => {
        const transactions = those.map(({ endToEndId, reason }) =>
          tag('TxInfAndSts', [
            tag('OrgnlEndToEndId', endToEndId),
            tag('TxSts', reason === null ? status : 'RJCT'),
            ...(reason === null ? [] : [reasonOf(reason)]),
          ]),
        );
        return tag('OrgnlPmtInfAndSts', [tag('OrgnlPmtInfId', block), ...transactions]);
      });
      const group = tag('OrgnlGrpInfAndSts', [
        tag('OrgnlMsgId', messageId),
        tag('OrgnlMsgNmId', 'pain.001'),
        ...(refuse === undefined ? [] : [tag('GrpSts', 'RJCT'), reasonOf(refuse)]),
      ]);
      const content = [group, ...(refuse === undefined ? blocks : [])];
      this.write('pain.002.001.10', tag('CstmrPmtStsRpt', [head(`STS-${messageId}`), ...content]), faults);
    }
  }

  /** Gives back what it has booked: it stands on the next statement. */
  giveBack(endToEndId: string, reason: string): void {
    for (const line of this.lines.filter((each) => each.endToEndId === endToEndId)) {
      line.state = 'returned';
      line.reason = reason;
    }
  }

  /** Books what it has taken and not refused, and leaves a statement of that and of what it gave back since the last. */
  statement({ message = 'camt.053.001.08', asWhole = false, faults }: StatementOptions = {}): void {
    const booked = this.lines.filter(({ state }) => state === 'taken');
    const back = this.lines.filter((line) => line.state === 'returned' && !this.stated.has(line));
    for (const line of booked) line.state = 'booked';
    for (const line of back) this.stated.add(line);
    const entries = asWhole
      ? [...groupBy(booked, (line) => line.messageId)].map(([messageId, those]) =>
          wholeEntry(messageId, those),
        )
      : booked.map((line) => entry(line, false));
    const all = [...entries, ...back.map((line) => entry(line, true))];
    const account = tag('Acct', [tag('Id', [tag('IBAN', this.iban)])]);
    const [outer, inner] = message.startsWith('camt.054')
      ? ['BkToCstmrDbtCdtNtfctn', 'Ntfctn']
      : ['BkToCstmrStmt', 'Stmt'];
    const id = `STMT-${this.written}`;
    const content = tag(outer, [head(id), tag(inner, [tag('Id', id), account, ...all])]);
    this.write(message, content, faults);
  }

  /** Writes the other halves of what was left partial. */
  complete(): void {
    for (const { path, text } of this.unfinished.splice(0)) writeFileSync(path, text);
  }

  private write(message: string, content: string, { partial, twice }: WriteFaults = {}): void {
    const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}">${content}</Document>\n`;
    const paths = [message, ...(twice ? [`${message}-again`] : [])].map((name) =>
      join(this.folders.download, `${String(++this.written).padStart(6, '0')}-${name}.xml`),
    );
    for (const path of paths) {
      if (partial) {
        writeFileSync(path, text.slice(0, text.length / 2));
        this.unfinished.push({ path, text });
      } else {
        // A bank that does not write in place: half of a file is never seen.
        writeFileSync(`${path}.part`, text);
        renameSync(`${path}.part`, path);
      }
    }
  }
}

function linesOf(file: string, text: string): BankLine[] {
  const found: BankLine[] = [];
  const path: string[] = [];
  let [messageId, paymentBlock] = ['', ''];
  let line: Record<string, string> = {};
  let read = '';
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => {
    path.push(name);
    read = '';
    if (name === 'CdtTrfTxInf' || name === 'DrctDbtTxInf') line = {};
  });
  parser.on('text', (more) => (read += more));
  parser.on('closetag', ({ name }) => {
    const at = path.slice(-3).join('/');
    path.pop();
    if (at.endsWith('GrpHdr/MsgId')) messageId = read;
    if (name === 'PmtInfId') paymentBlock = read;
    if (name === 'EndToEndId' || name === 'InstdAmt' || name === 'MndtId' || name === 'Ustrd')
      line[name] = read;
    if (at.endsWith('Cdtr/Nm') || at.endsWith('Dbtr/Nm')) line['Nm'] = read;
    if (name === 'IBAN') line['IBAN'] = read;
    if (name === 'CdtTrfTxInf' || name === 'DrctDbtTxInf') {
      found.push({
        file,
        messageId,
        paymentBlock,
        endToEndId: line['EndToEndId'] ?? '',
        kind: name === 'CdtTrfTxInf' ? 'credit_transfer' : 'direct_debit',
        amount: line['InstdAmt'] ?? '',
        name: line['Nm'] ?? '',
        iban: line['IBAN'] ?? '',
        mandate: line['MndtId'] ?? null,
        remittance: line['Ustrd'] ?? null,
        state: 'taken',
        reason: null,
      });
    }
    read = '';
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(text).close();
  return found;
}

function entry({ endToEndId, kind, amount, reason }: BankLine, isBack: boolean): string {
  const isOut = (kind === 'credit_transfer') !== isBack;
  return tag('Ntry', [
    `<Amt Ccy="EUR">${amount}</Amt>`,
    tag('CdtDbtInd', isOut ? 'DBIT' : 'CRDT'),
    tag('Sts', [tag('Cd', 'BOOK')]),
    bookedToday(),
    tag('NtryDtls', [
      tag('TxDtls', [
        tag('Refs', [tag('EndToEndId', endToEndId)]),
        `<Amt Ccy="EUR">${amount}</Amt>`,
        ...(isBack ? [tag('RtrInf', [tag('Rsn', [tag('Cd', reason ?? 'MS03')])])] : []),
      ]),
    ]),
  ]);
}

function wholeEntry(messageId: string, lines: readonly BankLine[]): string {
  const cents = lines.reduce((sum, { amount }) => sum + Number(amount.replace('.', '')), 0);
  const total = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  return tag('Ntry', [
    `<Amt Ccy="EUR">${total}</Amt>`,
    tag('CdtDbtInd', lines[0]!.kind === 'credit_transfer' ? 'DBIT' : 'CRDT'),
    tag('Sts', [tag('Cd', 'BOOK')]),
    bookedToday(),
    tag('NtryDtls', [tag('Btch', [tag('MsgId', messageId), tag('NbOfTxs', String(lines.length))])]),
  ]);
}

function bookedToday(): string {
  return tag('BookgDt', [tag('Dt', new Date().toISOString().slice(0, 10))]);
}

function head(id: string): string {
  return tag('GrpHdr', [tag('MsgId', id), tag('CreDtTm', '2026-11-22T10:00:00Z')]);
}

function reasonOf(code: string): string {
  return tag('StsRsnInf', [tag('Rsn', [tag('Cd', code)])]);
}

function tag(name: string, content: string | readonly string[]): string {
  return `<${name}>${typeof content === 'string' ? content : content.join('')}</${name}>`;
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}
