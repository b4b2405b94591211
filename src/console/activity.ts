import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type ActivityView, type Span } from './activity-views.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long each span is, and a point of its charts. */
const lengths: Readonly<Record<Span, { readonly lengthMs: number; readonly stepMs: number }>> = {
  hour: { lengthMs: HOUR_MS, stepMs: MINUTE_MS },
  day: { lengthMs: 24 * HOUR_MS, stepMs: 15 * MINUTE_MS },
  week: { lengthMs: 7 * 24 * HOUR_MS, stepMs: 2 * HOUR_MS },
};

const AT = `date_bin($2 * interval '1 ms', minute, 'epoch'::timestamptz)`;

const PAYMENTS = `
SELECT ${AT} AS at, sum(succeeded)::int AS succeeded, sum(failed)::int AS failed, sum(undecided)::int AS undecided
  FROM activity_payments WHERE minute >= $1 GROUP BY 1`;

const CAPTURED = `
SELECT psp, currency, sum(succeeded + failed + undecided)::int AS payments, sum(captured)::bigint AS captured
  FROM activity_payments WHERE minute >= $1 AND psp <> '' GROUP BY 1, 2 ORDER BY 3 DESC`;

const CALLS = `
SELECT psp, ${AT} AS at, sum(succeeded)::int AS succeeded, sum(declined)::int AS declined,
       sum(unanswered)::int AS unanswered, max(p95_ms) AS p95_ms
  FROM activity_calls WHERE minute >= $1 GROUP BY 1, 2 ORDER BY 1, 2`;

const STATE = `
SELECT (SELECT max(counted_at) FROM activity_minutes WHERE minute >= $1) AS counted_at,
       (SELECT max(minute) FROM activity_minutes WHERE minute >= $1) AS last,
       (SELECT count(*)::int FROM (SELECT FROM staged_jobs LIMIT 10000) s) AS waiting,
       (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(staged_at)), 0)::float8 FROM staged_jobs) AS oldest_s`;

interface CallsRow {
  readonly psp: string;
  readonly at: Date;
  readonly succeeded: number;
  readonly declined: number;
  readonly unanswered: number;
  readonly p95_ms: number | null;
}

/** The events of the last hour, day or week, from counts by the minute. */
@Injectable()
export class Activity {
  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  async read(span: Span): Promise<ActivityView> {
    const { lengthMs, stepMs } = lengths[span];
    const nowMs = this.clock.now().getTime();
    const firstMs = Math.floor((nowMs - lengthMs) / stepMs) * stepMs;
    const first = new Date(firstMs);
    type Point = { at: Date; succeeded: number; failed: number; undecided: number };
    const [payments, captured, calls, [state]] = await Promise.all([
      this.rows<Point>(PAYMENTS, [first, stepMs]),
      this.rows<ActivityView['captured'][number]>(CAPTURED, [first]),
      this.rows<CallsRow>(CALLS, [first, stepMs]),
      this.rows<{ counted_at: Date | null; last: Date | null; waiting: number; oldest_s: number }>(STATE, [
        first,
      ]),
    ]);
    // Points without a payment too, up to the last minute that was counted: a gap is what one looks for.
    const lastMs = state!.last?.getTime() ?? nowMs;
    const places = Array.from(
      { length: Math.floor((lastMs - firstMs) / stepMs) + 1 },
      (_, n) => firstMs + n * stepMs,
    );
    const byPlace = new Map(payments.map((point) => [point.at.getTime(), point]));
    const names = [...new Set(calls.map(({ psp }) => psp))];
    return {
      step_ms: stepMs,
      counted_at: state!.counted_at?.toISOString() ?? null,
      payments: places.map((ms) => {
        const { succeeded = 0, failed = 0, undecided = 0 } = byPlace.get(ms) ?? {};
        return { at: new Date(ms).toISOString(), succeeded, failed, undecided };
      }),
      captured,
      psps: names.map((psp) => callsOf(psp, calls, places)),
      queue: { waiting: state!.waiting, oldest_s: Math.round(state!.oldest_s) },
    };
  }

  private async rows<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await translateOutage(this.pool.query<Row>(sql, [...values]))).rows;
  }
}

function callsOf(
  psp: string,
  calls: readonly CallsRow[],
  places: readonly number[],
): ActivityView['psps'][number] {
  const own = calls.filter((row) => row.psp === psp);
  const byPlace = new Map(own.map((row) => [row.at.getTime(), row]));
  const sum = (count: (row: CallsRow) => number) => own.reduce((total, row) => total + count(row), 0);
  const [succeeded, declined, unanswered] = [
    sum((row) => row.succeeded),
    sum((row) => row.declined),
    sum((row) => row.unanswered),
  ];
  return {
    psp,
    calls: succeeded + declined + unanswered,
    unanswered,
    success: shareOf(succeeded, declined + unanswered),
    points: places.map((ms) => {
      const row = byPlace.get(ms);
      const at = new Date(ms).toISOString();
      if (row === undefined) return { at, calls: 0, success: null, p95_ms: null };
      const others = row.declined + row.unanswered;
      return {
        at,
        calls: row.succeeded + others,
        success: shareOf(row.succeeded, others),
        p95_ms: row.p95_ms,
      };
    }),
  };
}

function shareOf(part: number, rest: number): number | null {
  return part + rest === 0 ? null : part / (part + rest);
}
