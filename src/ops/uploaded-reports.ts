import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { Problem } from '../core/problem.js';
import { LedgerPoster } from '../ledger/ledger-poster.js';
import { mappedReport, mappingOf } from '../reconciliation/mapped-report.js';
import { formatOfHead, ReportRefused } from '../reconciliation/report-formats.js';
import { Reports } from '../reconciliation/reports.js';
import { type RunResult, Runs } from '../reconciliation/runs.js';

interface UploadedReport {
  /** The PSP account that it is of. */
  readonly psp: string;
  readonly fileName: string;
  readonly content: Buffer;
  /** JSON: how to read the CSV of another PSP; null: the heading shows the format. */
  readonly mapping: string | null;
  /** Nothing of it is kept. */
  readonly isTrial: boolean;
  readonly by: string;
}

/** Reports and statements that a person brings: one at a time in a process, since each holds one of its few connections. */
@Injectable()
export class UploadedReports {
  private isBusy = false;

  constructor(
    private readonly reports: Reports,
    private readonly runs: Runs,
    private readonly poster: LedgerPoster,
  ) {}

  /**
   * The result of the report, after what happened until now is posted: the report is held against the ledger. `isNew`: false where
   * this very file was imported before.
   * @throws Problem `validation_failed`: nothing was imported; `overloaded` while another one is taken
   */
  async take(report: UploadedReport): Promise<{ readonly result: RunResult; readonly isNew: boolean }> {
    if (!this.reports.knows(report.psp)) {
      throw new Problem('validation_failed', `No PSP account is called ${JSON.stringify(report.psp)}.`);
    }
    if (this.isBusy)
      throw new Problem('overloaded', 'Another report is being taken. Try again when it is done.');
    this.isBusy = true;
    try {
      await this.poster.runOnce();
      return await this.taken(report);
    } catch (error) {
      if (!(error instanceof ReportRefused)) throw error;
      throw new Problem('validation_failed', `Nothing was imported: ${error.message}.`);
    } finally {
      this.isBusy = false;
    }
  }

  private async taken({ psp, fileName, content, mapping, isTrial, by }: UploadedReport) {
    const { runId, isNew, tried } = await this.reports.importer.import({
      psp,
      format:
        mapping === null
          ? formatOfHead(content, this.reports.accountOf(psp))
          : mappedReport(mappingOf(mapping)),
      fileName,
      bytes: Readable.from([content]),
      by,
      upload: isTrial ? 'trial' : 'import',
    });
    return { result: tried ?? (await this.runs.show(runId)), isNew };
  }
}
