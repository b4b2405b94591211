import { setTimeout as sleep } from 'node:timers/promises';

/** What a contender that made payments has counted in the window. */
export interface Counted {
  readonly payments: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Whose CPU time is told apart. */
export type Part = 'service' | 'postgres' | 'simulator' | 'load';
/** The backends of Postgres that write payments before they are answered. */
export type Share = 'commits';
export type CpuMs = Readonly<Partial<Record<Part | Share, number | null>>>;

/** One measurement. */
export interface Sample extends Counted {
  readonly paymentsPerSecond: number;
  readonly cpuMsPerPayment: CpuMs;
  readonly walBytesPerPayment: number;
}

/** What has been used so far. */
export interface Usage {
  readonly cpuMs: CpuMs;
  readonly walBytes: number;
}

/** The steady part of a run: what happens before it is not counted. */
export interface Window {
  readonly warmMs: number;
  readonly windowMs: number;
}

/** Reads the usage at both ends of the window, while `work` goes on. `work` counts in the same window. */
export async function measured<T extends Counted>(
  { warmMs, windowMs }: Window,
  readUsage: () => Promise<Usage>,
  work: Promise<T>,
): Promise<Sample & { readonly report: T }> {
  const [report, before, after] = await Promise.all([
    work,
    sleep(warmMs).then(readUsage),
    sleep(warmMs + windowMs).then(readUsage),
  ]);
  return { ...sampleOf(report, windowMs, before, after), report };
}

export function sampleOf(
  { payments, p50Ms, p99Ms }: Counted,
  windowMs: number,
  before: Usage,
  after: Usage,
): Sample {
  const spent = Object.entries(after.cpuMs).map(([part, ms]) => {
    const was = before.cpuMs[part as Part | Share] ?? null;
    return [part, ms === null || was === null || payments === 0 ? null : (ms - was) / payments] as const;
  });
  return {
    payments,
    p50Ms,
    p99Ms,
    paymentsPerSecond: payments / (windowMs / 1_000),
    cpuMsPerPayment: Object.fromEntries(spent),
    walBytesPerPayment: (after.walBytes - before.walBytes) / payments,
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
