import { Injectable } from '@nestjs/common';
import { Problem } from '../core/problem.js';
import { LedgerPoster } from '../ledger/ledger-poster.js';
import { formatOfHead } from '../reconciliation/report-formats.js';
import { ReportRefused } from '../reconciliation/report-line.js';
import { Reports } from '../reconciliation/reports.js';
import { type RunResult, Runs } from '../reconciliation/runs.js';

interface UploadedReport {
  /** The PSP account that it is of. */
  readonly psp: string;
  readonly fileName: string;
  readonly content: Buffer;
  /** Nothing of it is kept. */
  readonly isTrial: boolean;
  readonly by: string;
}

/** Reports and statements that a person brings. */
@Injectable()
export class UploadedReports {
  constructor(
    private readonly reports: Reports,
    private readonly runs: Runs,
    private readonly poster: LedgerPoster,
  ) {}

  /**
   * The result of the report, after what happened until now is posted: the report is held against the ledger. `isNew`: false where
   * this very file was imported before.
   * @throws Problem `validation_failed`: nothing was imported
   */
  async take({
    psp,
    fileName,
    content,
    isTrial,
    by,
  }: UploadedReport): Promise<{ readonly result: RunResult; readonly isNew: boolean }> {
    if (!this.reports.knows(psp)) {
      throw new Problem('validation_failed', `No PSP account is called ${JSON.stringify(psp)}.`);
    }
    await this.poster.runOnce();
    try {
      const format = formatOfHead(content, this.reports.accountOf(psp));
      const report = { psp, format, fileName, bytes: oneOf(content), by, isTrial };
      const { runId, isNew, tried } = await this.reports.importer.import(report);
      return { result: tried ?? (await this.runs.show(runId)), isNew };
    } catch (error) {
      if (!(error instanceof ReportRefused)) throw error;
      throw new Problem('validation_failed', `Nothing was imported: ${error.message}.`);
    }
  }
}

async function* oneOf(content: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}
