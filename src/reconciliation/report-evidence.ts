import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { workThrough } from '../core/work-through.js';
import { type Operation } from '../psp/contract.js';
import { type ItemRecorder } from '../request-storage/decisions/record-notification.js';
import { OperationRegistry } from '../request-storage/operation-registry.js';
import { Reports } from './reports.js';

const PASS = 100;
/** The interval at which unmatched lines and breaks are judged again; also judged whenever a line was taken as evidence. */
const LOOK_AGAIN_MS = 60_000;

interface Due {
  readonly psp: string;
  readonly key: string;
  readonly runId: string;
  readonly line: number;
  readonly entityKey: string;
  readonly route: number;
  readonly operation: Operation;
  readonly pspReference: string | null;
  readonly parentReference: string | null;
  readonly gross: number;
  readonly currency: string;
}

/**
 * Passes a line that proves the effect of a route to the owner of its operation, as evidence like a notification of the
 * PSP: it settles an open route, and the effect of a route that was ruled out becomes an orphan effect. No PSP is called
 * from here. Afterwards unmatched lines are matched again, and resolved breaks are closed.
 */
@Injectable()
export class ReportEvidence {
  readonly name = 'reconciliation';
  readonly everyMs = 15_000;
  private lookedAtMs = -Infinity;

  constructor(
    private readonly pool: Pool,
    @Inject(OperationRegistry) private readonly registry: ItemRecorder,
    private readonly clock: Clock,
    private readonly reports: Reports,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<{ readonly applied: number }> {
    const due = await this.pool.query<Due>(
      `SELECT l.psp, l.key, l.run_id AS "runId", l.line, l.entity_key AS "entityKey", l.route, r.operation,
              l.psp_reference AS "pspReference", l.parent_reference AS "parentReference", l.gross, l.currency
         FROM report_lines l JOIN psp_requests r USING (merchant_id, entity_key, route)
        WHERE l.evidence = 'due' ORDER BY l.psp, l.key LIMIT $1`,
      [PASS],
    );
    // One that cannot be recorded stays due; it holds back no other.
    await workThrough(
      due.rows,
      1,
      async (line) => {
        await this.tell(line);
        return true;
      },
      (err, { psp, key }) =>
        this.logger.error({ err, psp, line: key }, 'a line of a report could not be applied'),
    );
    const nowMs = this.clock.monotonicMs();
    if (due.rows.length === 0 && nowMs - this.lookedAtMs < LOOK_AGAIN_MS) return { applied: 0 };
    this.lookedAtMs = nowMs;
    const { rows } = await this.pool.query<{ psp: string }>(
      `SELECT DISTINCT psp FROM reconciliation_breaks WHERE closed_at IS NULL
        UNION SELECT DISTINCT psp FROM report_lines WHERE NOT is_matched`,
    );
    for (const { psp } of rows) await this.reports.importer.lookAgain(psp);
    return { applied: due.rows.length };
  }

  /** May happen twice: the owner knows the line then. */
  private async tell({ psp, key, runId, line, ...said }: Due): Promise<void> {
    const { entityKey, route, operation, pspReference, parentReference, gross, currency } = said;
    const taken = await this.registry.recordNotification(
      psp,
      {
        entityKey,
        route,
        ofPayment: null,
        pspReference,
        parentReference: operation === 'charge' || operation === 'authorize' ? null : parentReference,
        operation,
        about: 'operation',
        cancelReference: null,
        answer: {
          outcome: 'succeeded',
          ...(pspReference === null ? {} : { pspReference }),
          // Its sign was held to its kind where the route was named.
          money: { amount: Math.abs(gross), currency },
        },
      },
      `report-${runId}-${line}`,
    );
    await this.pool.query(
      `UPDATE report_lines SET evidence = $3 WHERE psp = $1 AND key = $2 AND evidence = 'due'`,
      [psp, key, taken],
    );
  }
}
