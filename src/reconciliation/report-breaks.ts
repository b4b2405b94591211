import { Inject, Injectable } from '@nestjs/common';
import { type Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Problem } from '../core/problem.js';
import { redact } from '../core/redact.js';
import { recordAct } from '../database/record-act.js';
import { registerLookedUp } from '../monitoring/looked-up-gauge.js';

/** Where a report and the ledger differ. */
export interface ReportBreak {
  readonly psp: string;
  readonly id: string;
  readonly category: string;
  readonly runId: string;
  readonly line: number | null;
  readonly merchantId: string | null;
  readonly entityKey: string | null;
  readonly pspReference: string | null;
  readonly currency: string;
  /** Signed minor units: what the ledger has, and what the report says. */
  readonly expected: number;
  readonly reported: number;
  readonly occurredAt: Date;
  readonly openedAt: Date;
  readonly owner: string | null;
  readonly closedAt: Date | null;
  readonly closedBy: string | null;
  readonly resolution: string | null;
}

interface Closing {
  readonly actor: string;
  readonly auditId: string;
  readonly note: string;
  readonly at: Date;
}

const MAX_NOTE_LENGTH = 500;
/** Whose audit records are those of the installation itself. */
const NO_MERCHANT = '00000000-0000-0000-0000-000000000000';

const LISTED = `
SELECT b.psp, b.id, b.category, b.run_id AS "runId", l.line, b.merchant_id AS "merchantId", b.entity_key AS "entityKey",
       b.psp_reference AS "pspReference", b.currency, b.expected, b.reported, b.occurred_at AS "occurredAt",
       b.opened_at AS "openedAt", b.owner, b.closed_at AS "closedAt", b.closed_by AS "closedBy", b.resolution
  FROM reconciliation_breaks b LEFT JOIN report_lines l ON l.psp = b.psp AND l.key = b.line_key`;

/** Breaks of reports, for people. */
@Injectable()
export class ReportBreaks {
  constructor(@Inject(DataSource) private readonly data: DataSource) {}

  /** Those that are open, the oldest first. */
  list(limit = 100): Promise<ReportBreak[]> {
    const sql = `${LISTED} WHERE b.closed_at IS NULL ORDER BY b.opened_at, b.psp, b.id LIMIT $1`;
    return this.data.query(sql, [limit]);
  }

  /** All of a run, closed ones too, in the order of the lines. */
  ofRun(runId: string, limit = 10_000): Promise<ReportBreak[]> {
    const sql = `${LISTED} WHERE b.run_id = $1 ORDER BY l.line NULLS LAST, b.id LIMIT $2`;
    return this.data.query(sql, [runId, limit]);
  }

  /**
   * Writes down what a person found out; the note and who made it are one commit. It changes no payment.
   * @param by.note 1 to 500 characters; no secrets, no customer data
   * @throws Problem `not_found` where no open break has this id, `validation_failed` for the note
   */
  async close(psp: string, id: string, by: Closing): Promise<ReportBreak> {
    const resolution = redact(by.note.trim());
    if (resolution.length < 1 || resolution.length > MAX_NOTE_LENGTH) {
      throw new Problem('validation_failed', `The note must be 1 to ${MAX_NOTE_LENGTH} characters of text.`);
    }
    return this.data.transaction(async (tx) => {
      const [found] = await tx.query<ReportBreak[]>(
        `${LISTED} WHERE b.psp = $1 AND b.id::text = $2 AND b.closed_at IS NULL FOR UPDATE OF b`,
        [psp, id.toLowerCase()],
      );
      if (!found) throw new Problem('not_found', 'No open break of this PSP has this id.');
      await tx.query(
        'UPDATE reconciliation_breaks SET closed_at = $3, closed_by = $4, resolution = $5 WHERE psp = $1 AND id = $2',
        [psp, found.id, by.at, by.actor, resolution],
      );
      await recordAct(tx, {
        merchantId: found.merchantId ?? NO_MERCHANT,
        id: by.auditId,
        at: by.at,
        actor: by.actor,
        action: 'break.resolved',
        subject: found.entityKey ?? `break:${found.id}`,
        detail: { psp, break_id: found.id, category: found.category, note: resolution },
      });
      return { ...found, closedAt: by.at, closedBy: by.actor, resolution };
    });
  }

  /** Figures to alert on, looked up when the metrics are read. */
  register(metrics: Registry): void {
    registerLookedUp(metrics, {
      name: 'payonce_reconciliation_breaks',
      help: 'Differences between reports of PSPs and the ledger that are open (docs/reconciliation.md)',
      labels: ['psp', 'category'],
      look: async () => {
        const rows = await this.data.query<{ psp: string; category: string; value: number }[]>(
          `SELECT psp, category, count(*)::int AS value FROM reconciliation_breaks WHERE closed_at IS NULL GROUP BY 1, 2`,
        );
        return rows.map(({ psp, category, value }) => ({ value, labels: { psp, category } }));
      },
    });
  }
}
