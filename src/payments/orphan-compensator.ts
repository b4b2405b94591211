import { type OrphanEffect, type PspRequest } from '../request-storage/psp-request.entity.js';
import { type PspFilter, type RequestStorage } from '../request-storage/request-storage.js';
import { type AdvanceRoute } from '../request-storage/resolver.js';

export interface OrphanReport {
  readonly looked: number;
  readonly compensated: number;
  readonly failed: number;
}

const PASS = 50;

/**
 * Looks for what PSPs did after they were ruled out, and gives it back: at once, or, where `automatic`
 * is false, once a person has approved.
 */
export class OrphanCompensator {
  constructor(
    private readonly storage: RequestStorage,
    private readonly lookAgain: AdvanceRoute,
    private readonly compensate: (orphan: OrphanEffect, traceId: string) => Promise<boolean>,
    private readonly automatic: boolean,
    private readonly newTraceId: () => string,
    private readonly onError: (error: unknown, where: PspRequest | OrphanEffect) => void,
    /** Only the routes and orphan effects at these accounts. */
    private readonly psp?: PspFilter,
  ) {}

  /** One pass over what is due. */
  async runOnce(): Promise<OrphanReport> {
    const report = { looked: 0, compensated: 0, failed: 0 };
    for (const due of await this.storage.dueLooks(PASS, this.psp)) {
      await this.attempt(due, report, 'looked', (id) => this.lookAgain(due, id));
    }
    for (const status of this.automatic ? (['open', 'approved'] as const) : (['approved'] as const)) {
      for (const orphan of await this.storage.dueOrphans(status, PASS, this.psp)) {
        await this.attempt(orphan, report, 'compensated', (id) => this.compensate(orphan, id));
      }
    }
    return report;
  }

  private async attempt(
    due: PspRequest | OrphanEffect,
    report: { looked: number; compensated: number; failed: number },
    done: 'looked' | 'compensated',
    work: (traceId: string) => Promise<boolean>,
  ): Promise<void> {
    try {
      if (await work(`orphans-${this.newTraceId()}`)) report[done] += 1;
    } catch (error) {
      report.failed += 1;
      this.onError(error, due);
    }
  }
}
