import { type Clock } from './clock.js';
import { type Ledger } from './ledger.js';
import { type ReportRequest } from './report-request.js';
import { reportedBy, type Row, rowsOf } from './settlement-report.js';

/** A transfer to the bank, and all that it consists of. */
export interface PaidOut {
  readonly id: string;
  readonly createdMs: number;
  readonly currency: string;
  readonly rows: readonly Row[];
}

/** What a PSP did, as its API lists it for those who keep books. */
export class Books {
  private request: ReportRequest = {};
  private readonly paidOut: PaidOut[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly ledger: Ledger,
  ) {}

  /** From now on the lists have these differences. */
  publish(request: ReportRequest): void {
    this.request = request;
  }

  /** All that moved money, oldest first. */
  rows(): Row[] {
    return rowsOf(reportedBy(this.ledger), this.request);
  }

  /** Pays out what was not paid out yet, each currency by itself. Returns the ids of the payouts. */
  payOut(request: ReportRequest, nextId: () => string): string {
    this.publish(request);
    const before = new Set(this.paidOut.flatMap(({ rows }) => rows.map(({ id }) => id)));
    const left = this.rows().filter(({ id }) => !before.has(id));
    const made = [...new Set(left.map(({ effect }) => effect.currency))].map((currency): PaidOut => ({
      id: nextId(),
      createdMs: this.clock.now(),
      currency,
      rows: left.filter(({ effect }) => effect.currency === currency),
    }));
    this.paidOut.push(...made);
    return made.map(({ id }) => id).join(' ');
  }

  /** Oldest first. */
  payouts(fromMs = 0, toMs = Infinity): PaidOut[] {
    return this.paidOut.filter(({ createdMs }) => createdMs >= fromMs && createdMs < toMs);
  }

  payout(id: string): PaidOut | undefined {
    return this.paidOut.find((payout) => payout.id === id);
  }

  reset(): void {
    this.request = {};
    this.paidOut.length = 0;
  }
}
