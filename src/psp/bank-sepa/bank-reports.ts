import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { type Clock } from '../../core/clock.js';
import { type AnnouncedReport, ReportNotFetched, type ReportSource } from '../psp-reports.js';
import { type ReportFormat } from '../report-format.js';
import { type DropKey, openDrop } from './bank-drop.js';
import { type SftpSettings } from './bank-settings.js';

/** A statement is taken into memory to be compared with what was announced. */
const MAX_STATEMENT_BYTES = 20_000_000;
const PLACE = /^sftp:([0-9a-f]{64}):(.{1,255})$/;

/** A statement that the bank left, as a report: it is known by its content, since banks use file names again. */
export function statementReport(name: string, sha256: string): AnnouncedReport {
  return { name: `${name} ${sha256.slice(0, 12)}`, url: `sftp:${sha256}:${name}` };
}

/** The statements (camt.053, camt.054) of an account at a bank, by SFTP, from where they were left or archived. */
export class BankReports implements ReportSource {
  /** The owners of the operations take in a statement first; a minute later it is compared with the ledger. */
  readonly fetchAfterMs = 60_000;

  constructor(
    readonly format: ReportFormat,
    private readonly sftp: SftpSettings,
    private readonly key: DropKey,
    private readonly clock: Pick<Clock, 'timer'>,
  ) {}

  async *announced({ url }: AnnouncedReport): AsyncGenerator<Uint8Array> {
    const [, sha256, name] = PLACE.exec(url) ?? [];
    if (sha256 === undefined || name === undefined) throw new ReportNotFetched('it is no file of a bank');
    const { download, archive } = this.sftp;
    const drop = await openDrop(this.sftp, this.key, this.clock);
    try {
      // In this order: a file that is archived meanwhile is seen in one of the two.
      for (const folder of archive === undefined ? [download] : [download, archive]) {
        const files = (await drop.list(folder)).filter(
          (file) => file.name === name || file.name.startsWith(`${name}.`),
        );
        for (const file of files.filter(({ bytes }) => bytes <= MAX_STATEMENT_BYTES)) {
          const bytes = await drop.read(posix.join(folder, file.name), MAX_STATEMENT_BYTES);
          if (createHash('sha256').update(bytes).digest('hex') !== sha256) continue;
          yield bytes;
          return;
        }
      }
    } finally {
      await drop.end();
    }
    throw new ReportNotFetched('the bank no longer has this file');
  }
}
