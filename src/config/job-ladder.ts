/** One step of a ladder of retries: how long a job waits before it, and how many run there at once. */
export interface LadderStep {
  readonly delayMs: number;
  /** Jobs at once, in each process. */
  readonly concurrency: number;
}

/** The ladders that an installation has chosen. */
export interface JobLadders {
  /** The ladder of every kind of job that brings none of its own. */
  readonly usual: readonly LadderStep[];
  /** By kind, in place of the usual one or of the one that the kind brings. */
  readonly ofKinds: ReadonlyMap<string, readonly LadderStep[]>;
}

/** For people. */
export const LADDER_FORM =
  'steps of delay and concurrency, the first without delay, like 0/16,30s/4,5m/2, ' +
  'and after a semicolon those of a kind of job, like webhook.apply=0/8,10s/2';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_STEPS = 8;
const MAX_KINDS = 16;
const MAX_AT_ONCE = 64;
const MAX_MS = 7 * UNITS['d']!;

/**
 * Reads `0/16,30s/4,5m/2`: delay and concurrency of each step. Returns the steps, or in one clause what
 * is wrong with them. Pure.
 */
export function readLadder(text: string): readonly LadderStep[] | string {
  const parts = text.split(',');
  if (parts.length > MAX_STEPS) return `there are more than ${MAX_STEPS} steps`;
  const steps: LadderStep[] = [];
  for (const part of parts) {
    const [, amount, unit, atOnce] = /^\s*(\d{1,6})([smhd]?)\/(\d{1,3})\s*$/.exec(part) ?? [];
    if (amount === undefined || (unit === '' && Number(amount) !== 0)) {
      return `${JSON.stringify(part.trim().slice(0, 30))} is no step like 30s/4`;
    }
    const delayMs = Number(amount) * (UNITS[unit ?? ''] ?? 0);
    const concurrency = Number(atOnce);
    if (delayMs > MAX_MS) return `${part.trim()} waits longer than 7 days`;
    if (concurrency < 1 || concurrency > MAX_AT_ONCE) return `${part.trim()} runs not 1 to ${MAX_AT_ONCE}`;
    const last = steps.at(-1);
    if (!last && delayMs !== 0) return 'the first step waits; it takes 0';
    if (last && delayMs <= last.delayMs) return `${part.trim()} waits no longer than the step before it`;
    steps.push({ delayMs, concurrency });
  }
  return steps;
}

/**
 * Reads the usual ladder, and after it those of kinds that have their own:
 * `0/16,30s/4; webhook.apply=0/8,10s/2`. Whether such kinds exist is for others to say. Returns in one
 * clause what is wrong. Pure.
 */
export function readLadders(text: string): JobLadders | string {
  const [first = '', ...others] = text.split(';');
  if (others.length > MAX_KINDS) return `there are ladders of more than ${MAX_KINDS} kinds`;
  const usual = readLadder(first);
  if (typeof usual === 'string') return usual;
  const ofKinds = new Map<string, readonly LadderStep[]>();
  for (const other of others) {
    const [, kind, ladder] = /^\s*([a-z][a-z._]{0,30})=(.*)$/s.exec(other) ?? [];
    if (kind === undefined || ladder === undefined) {
      return `${JSON.stringify(other.trim().slice(0, 30))} is no ladder of a kind, like webhook.apply=0/8,10s/2`;
    }
    if (ofKinds.has(kind)) return `${kind} has two ladders`;
    const steps = readLadder(ladder);
    if (typeof steps === 'string') return `of ${kind}, ${steps}`;
    ofKinds.set(kind, steps);
  }
  return { usual, ofKinds };
}
