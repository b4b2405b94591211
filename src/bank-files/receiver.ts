import { Inject, Injectable } from '@nestjs/common';
import { posix } from 'node:path';
import { Pool } from 'pg';
import { checkpoint } from '../core/checkpoint.js';
import { Clock } from '../core/clock.js';
import { workThrough } from '../core/work-through.js';
import {
  type BankAnswer,
  type BookedLine,
  readBankAnswer,
  type StatusLine,
} from '../psp/bank-sepa/bank-answers.js';
import { type InstructionStatus } from '../psp/bank-sepa/bank-instructions.js';
import { isOwnEndToEndId } from '../psp/bank-sepa/bank-names.js';
import { statementReport } from '../psp/bank-sepa/bank-reports.js';
import { BankFileRefused, readXml } from '../psp/bank-sepa/xml.js';
import { type PspNotification } from '../psp/notification.js';
import { Reports } from '../reconciliation/reports.js';
import { Arrivals } from '../notifications/arrivals.js';
import { type BankDrop, type DroppedFile } from '../psp/bank-sepa/bank-drop.js';
import { type BankPsp, MAX_FILE_BYTES, sha256Of } from './batches.js';
import {
  judgeBooking,
  judgeStatus,
  type LineVerdict,
  type KnownInstruction,
  unknownNotice,
} from './judge-line.js';

/** Files of one pass; the next one goes on. */
const MAX_FILES = 100;
/** In one statement of the inbox. */
const MAX_NOTICES = 200;
/** Names that a file has while it is being written. */
const IS_TEMPORARY = /^\.|\.(?:tmp|part|filepart|writing)$/i;

interface Reading {
  readonly notices: PspNotification[];
  /** By EndToEndId. */
  readonly moved: Map<string, Pick<LineVerdict, 'status' | 'reason'> & { readonly was: InstructionStatus }>;
  ours: number;
  unknown: number;
  /** Whether it has bookings of the account, and so is a report as well. */
  isStatement: boolean;
}

const nothingRead = (): Reading => ({
  notices: [],
  moved: new Map(),
  ours: 0,
  unknown: 0,
  isStatement: false,
});

interface Line extends KnownInstruction {
  /** The id of the file that contains it; null if no known file does. */
  readonly messageId: string | null;
}

const LINES = `SELECT i.end_to_end_id AS "endToEndId", i.entity_key AS "entityKey", i.route, i.operation, i.kind,
                      i.amount::float8 AS amount, i.status, b.message_id AS "messageId"
                 FROM bank_instructions i LEFT JOIN bank_batches b ON b.psp = i.psp AND b.number = i.batch`;

/**
 * Reads what a bank leaves: status reports and statements. What they say of an instruction goes to the owner of its
 * operation through the inbox, as a notification of a PSP is, and kept for lookups. A file is read once by its content.
 */
@Injectable()
export class Receiver {
  constructor(
    private readonly pool: Pool,
    @Inject(Arrivals) private readonly inbox: Pick<Arrivals, 'store'>,
    @Inject(Reports) private readonly reports: Pick<Reports, 'announce'>,
    private readonly clock: Clock,
  ) {}

  /** Returns how many files were read. One that cannot be read does not keep the others. @throws its error */
  async fetch(psp: BankPsp, drop: BankDrop): Promise<number> {
    const { download, archive } = psp.bank.sftp;
    const files = (await drop.list(download))
      .filter(({ name }) => !IS_TEMPORARY.test(name))
      .toSorted((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime() || (a.name < b.name ? -1 : 1));
    const known = await this.knownFiles(psp.name, files);
    const faults: unknown[] = [];
    const { done } = await workThrough(
      files.filter((each) => !known.has(keyOf(each))).slice(0, MAX_FILES),
      1,
      async (file) => {
        const path = posix.join(download, file.name);
        const isRead = await this.take(psp, file, drop, path);
        // A file that could not be read may be half of one: it stays where its other half will be.
        if (isRead && archive !== undefined) await this.archive(drop, path, posix.join(archive, file.name));
        return isRead;
      },
      (error) => void faults.push(error),
    );
    if (faults.length > 0) throw faults[0];
    return done;
  }

  private async take(psp: BankPsp, file: DroppedFile, drop: BankDrop, path: string): Promise<boolean> {
    if (file.bytes > MAX_FILE_BYTES) {
      const fault = `has more than ${MAX_FILE_BYTES} bytes`;
      await this.record(psp.name, file, `too large ${keyOf(file)}`, nothingRead(), fault);
      return false;
    }
    const bytes = await drop.read(path, MAX_FILE_BYTES);
    const sha256 = sha256Of(bytes);
    if (await this.isKnown(psp.name, sha256)) return true;
    let reading = nothingRead();
    let fault: string | null = null;
    try {
      reading = await this.read(psp, readBankAnswer(readXml(bytes)));
    } catch (error) {
      if (!(error instanceof BankFileRefused)) throw error;
      fault = error.message;
    }
    // Stored before the file is recorded as read: stored twice, it is known the second time.
    const unique = [...new Map(reading.notices.map((notice) => [notice.eventId, notice])).values()];
    for (let from = 0; from < unique.length; from += MAX_NOTICES) {
      await this.inbox.store(psp.name, unique.slice(from, from + MAX_NOTICES));
    }
    if (reading.isStatement) await this.reports.announce(psp.name, statementReport(file.name, sha256));
    await checkpoint('bank:file:told');
    await this.record(psp.name, { ...file, bytes: bytes.length }, sha256, reading, fault);
    return fault === null;
  }

  /** @throws BankFileRefused */
  private async read({ name: psp, bank }: BankPsp, answers: readonly BankAnswer[]): Promise<Reading> {
    const reading = nothingRead();
    // One file may have the statements of several accounts.
    const own = answers.filter(
      (answer) => answer.kind === 'status' || answer.account === null || answer.account === bank.account.iban,
    );
    if (own.length === 0) throw new BankFileRefused('is about another account');
    for (const answer of own) {
      if (answer.kind === 'status') await this.readStatus(psp, answer.lines, bank.settledBy, reading);
      else await this.readBookings(psp, answer.lines, reading);
    }
    return reading;
  }

  private async readStatus(
    psp: string,
    lines: readonly StatusLine[],
    settledBy: BankPsp['bank']['settledBy'],
    reading: Reading,
  ): Promise<void> {
    const named = new Set(lines.flatMap(({ endToEndId }) => endToEndId ?? []));
    const byName = await this.linesNamed(psp, [...named]);
    for (const line of lines) {
      const about =
        line.endToEndId === null
          ? // A line that the report names has its own status there.
            (await this.linesOfMessage(psp, line)).filter(({ endToEndId }) => !named.has(endToEndId))
          : // A report about another file proves nothing about our line: files of two accounts may contain the same
            // operation.
            this.lineNamed(byName, line.endToEndId, `pain.002.${line.code}`, reading).filter(
              ({ messageId }) => messageId === null || messageId === line.messageId,
            );
      for (const known of about) {
        note(reading, known, judgeStatus(nowAs(known, reading), line, settledBy));
      }
    }
  }

  private async readBookings(psp: string, lines: readonly BookedLine[], reading: Reading): Promise<void> {
    reading.isStatement = true;
    const byName = await this.linesNamed(
      psp,
      lines.flatMap(({ endToEndId }) => endToEndId ?? []),
    );
    for (const line of lines) {
      const about =
        line.endToEndId === null
          ? wholeOf(await this.linesOfMessage(psp, line), line)
          : this.lineNamed(byName, line.endToEndId, 'camt.booked', reading);
      // A message of ours of which the sum does not say which lines were booked.
      if (about === null) reading.unknown += 1;
      for (const known of about ?? []) {
        // That of a whole file is the sum of its lines.
        const { amount } = line.endToEndId === null ? known : line;
        note(reading, known, judgeBooking(nowAs(known, reading), { ...line, amount }));
      }
    }
  }

  private lineNamed(
    byName: ReadonlyMap<string, Line>,
    endToEndId: string,
    type: string,
    reading: Reading,
  ): readonly Line[] {
    const known = byName.get(endToEndId);
    if (known) return [known];
    // Other bookings on the account are none of ours.
    if (isOwnEndToEndId(endToEndId)) {
      reading.unknown += 1;
      reading.notices.push(unknownNotice(endToEndId, type));
    }
    return [];
  }

  private async linesNamed(psp: string, names: readonly string[]): Promise<ReadonlyMap<string, Line>> {
    const { rows } = await this.pool.query<Line>(`${LINES} WHERE i.psp = $1 AND i.end_to_end_id = ANY ($2)`, [
      psp,
      names,
    ]);
    return new Map(rows.map((row) => [row.endToEndId, row]));
  }

  private async linesOfMessage(
    psp: string,
    { messageId, paymentBlock }: { readonly messageId: string | null; readonly paymentBlock: string | null },
  ): Promise<readonly Line[]> {
    const { rows } = await this.pool.query<Line>(
      `${LINES}
        WHERE i.psp = $1 AND coalesce(b.message_id = $2::text, true) AND coalesce(i.payment_block = $3::text, true)
          AND coalesce($2, $3) IS NOT NULL
        ORDER BY i.end_to_end_id`,
      [psp, messageId, paymentBlock],
    );
    return rows;
  }

  private async knownFiles(psp: string, files: readonly DroppedFile[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<DroppedFile>(
      `SELECT name, bytes, modified_at AS "modifiedAt" FROM bank_files WHERE psp = $1 AND name = ANY ($2)`,
      [psp, files.map(({ name }) => name)],
    );
    return new Set(rows.map(keyOf));
  }

  private async isKnown(psp: string, sha256: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT FROM bank_files WHERE psp = $1 AND sha256 = $2', [
      psp,
      sha256,
    ]);
    return rowCount === 1;
  }

  private async record(
    psp: string,
    { name, bytes, modifiedAt }: DroppedFile,
    sha256: string,
    { moved, ours, unknown }: Reading,
    fault: string | null,
  ): Promise<void> {
    const { rowCount } = await this.pool.query(
      `WITH moved AS (
         UPDATE bank_instructions i SET status = m.status, reason = m.reason, answered_at = $9::timestamptz
           FROM unnest($10::text[], $11::text[], $12::text[], $13::text[]) AS m (end_to_end_id, status, reason, was)
          WHERE i.psp = $1 AND i.end_to_end_id = m.end_to_end_id AND i.status = m.was
         RETURNING 1)
       INSERT INTO bank_files (psp, sha256, name, bytes, modified_at, state, fault, ours, unknown, received_at)
       SELECT $1::text, $2::text, $3::text, $4::bigint, $5::timestamptz, CASE WHEN $6::text IS NULL THEN 'read' ELSE 'refused' END, $6::text,
              $7::integer, $8::integer, $9::timestamptz
        WHERE (SELECT count(*) FROM moved) = cardinality($10::text[])
       ON CONFLICT DO NOTHING`,
      [
        psp,
        sha256,
        name,
        bytes,
        modifiedAt,
        fault,
        ours,
        unknown,
        this.clock.now(),
        [...moved.keys()],
        [...moved.values()].map(({ status }) => status),
        [...moved.values()].map(({ reason }) => reason),
        [...moved.values()].map(({ was }) => was),
      ],
    );
    if (rowCount === 0 && !(await this.isKnown(psp, sha256))) {
      throw new Error(`a line that ${name} speaks of has changed meanwhile; it is read again`);
    }
  }

  /** Under a name of its own where there is one like it: the bank may use names again. */
  private async archive(drop: BankDrop, from: string, to: string): Promise<void> {
    const isTaken = (await drop.sizeOf(to)) !== null;
    await drop.rename(from, isTaken ? `${to}.${this.clock.now().getTime()}` : to);
  }
}

/** The status after the lines of this file that were read so far. */
function nowAs(known: Line, { moved }: Reading): Line {
  const status: InstructionStatus = moved.get(known.endToEndId)?.status ?? known.status;
  return { ...known, status };
}

function note(reading: Reading, { endToEndId, status: before }: Line, judged: LineVerdict | null): void {
  reading.ours += 1;
  if (judged === null) return;
  const { status, reason, notice } = judged;
  const was = reading.moved.get(endToEndId)?.was ?? before;
  reading.moved.set(endToEndId, { status, reason, was });
  reading.notices.push(notice);
}

/** The instructions that a booking of a whole file is about: those that were not refused, if they sum up to it. Null if not. */
function wholeOf(lines: readonly Line[], { amount, count }: BookedLine): readonly Line[] | null {
  if (lines.length === 0) return [];
  const booked = lines.filter(({ status }) => status !== 'rejected');
  const sum = booked.reduce((total, line) => total + line.amount, 0);
  return sum === amount && (count === null || count === booked.length) ? booked : null;
}

function keyOf({ name, bytes, modifiedAt }: DroppedFile): string {
  return `${name} ${bytes} ${modifiedAt.getTime()}`;
}
