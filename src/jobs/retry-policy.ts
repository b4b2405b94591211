import { type JobLadders, type LadderStep } from '../config/job-ladder.js';
import { type JobKind } from './job-kind.js';

/** One tier of retries: jobs wait `delayMs` before it, in a queue with a concurrency of its own. */
export interface RetryTier extends LadderStep {
  /** Tiers may share a queue; they then share its concurrency too. */
  readonly queue: string;
}

/**
 * The tiers of jobs that failed: each waits longer than the one before and has a queue of its own, so that a
 * job on its tenth retry never delays a first attempt.
 */
export interface RetryPolicy {
  /** The name by which kinds of jobs refer to it. */
  readonly name: string;
  /** At least one; the first without delay. */
  readonly tiers: readonly RetryTier[];
}

/** The policy of PAYONCE_JOB_LADDER, which every module may use. */
export const DEFAULT_RETRY_POLICY = 'default';

/**
 * A policy with a queue for each tier, named by its delay (`default-now`, `default-30s`): jobs that wait keep
 * their queue when tiers are added or removed.
 */
export function retryPolicyOf(name: string, steps: readonly LadderStep[]): RetryPolicy {
  if (!/^[a-z][a-z-]{0,30}$/.test(name)) throw new RangeError(`no name for a retry policy: ${name}`);
  if (steps[0]?.delayMs !== 0) throw new RangeError(`the first step of ${name} waits`);
  return { name, tiers: steps.map((step) => ({ ...step, queue: `${name}-${labelOf(step.delayMs)}` })) };
}

/**
 * Kinds and policies as an installation configures them: a kind that has a ladder of its own there gets a policy
 * of its name, and the rest keep what they name among `own`, or the usual one. A policy that no kind uses any
 * more is left out, since each of its queues costs a connection.
 * @throws RangeError that names a kind that there is not
 */
export function chosenRetryPolicies(
  { usual, ofKinds }: JobLadders,
  kinds: readonly JobKind[],
  own: readonly RetryPolicy[],
): { readonly kinds: readonly JobKind[]; readonly retryPolicies: readonly RetryPolicy[] } {
  const names = kinds.map(({ name }) => name).toSorted();
  const stranger = [...ofKinds.keys()].find((kind) => !names.includes(kind));
  if (stranger !== undefined) throw new RangeError(`${stranger} is no kind of job; ${names.join(', ')} are`);
  const nameOf = (kind: string) => kind.replaceAll(/[._]/g, '-');
  const chosen = [...ofKinds].map(([kind, steps]) => retryPolicyOf(nameOf(kind), steps));
  const configured = kinds.map((kind) =>
    ofKinds.has(kind.name) ? withPolicy(kind, nameOf(kind.name)) : kind,
  );
  const used = new Set(configured.map(({ retryPolicy }) => retryPolicy));
  const kept = own.filter(({ name }) => used.has(name));
  return {
    kinds: configured,
    retryPolicies: [retryPolicyOf(DEFAULT_RETRY_POLICY, usual), ...kept, ...chosen],
  };
}

/** Not a copy of its fields: a kind may be an object of a class. */
function withPolicy(kind: JobKind, retryPolicy: string): JobKind {
  return {
    name: kind.name,
    retryPolicy,
    idOf: (args) => kind.idOf(args),
    run: (args, signal) => kind.run(args, signal),
    due: (limit) => kind.due(limit),
  };
}

/** Queues of these policies with the most that any of their tiers runs at once. */
export function queuesOf(retryPolicies: readonly RetryPolicy[]): ReadonlyMap<string, number> {
  const queues = new Map<string, number>();
  for (const { queue, concurrency } of retryPolicies.flatMap(({ tiers }) => tiers)) {
    queues.set(queue, Math.max(concurrency, queues.get(queue) ?? 0));
  }
  return queues;
}

interface TierChange {
  readonly level: number;
  readonly queue: string;
  /** How long to wait, jitter included. */
  readonly delayMs: number;
}

/**
 * The tier of a job that failed at `level`; null after the last one. The delay is between half of the tier's own and all of
 * it: never at once, and jobs that failed together are not tried again together.
 * @param random in [0, 1)
 */
export function nextTier(retryPolicy: RetryPolicy, level: number, random: number): TierChange | null {
  const next = retryPolicy.tiers[level + 1];
  if (!next) return null;
  return { level: level + 1, queue: next.queue, delayMs: Math.ceil(next.delayMs * (0.5 + random / 2)) };
}

function labelOf(delayMs: number): string {
  if (delayMs === 0) return 'now';
  for (const [unit, ms] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const) {
    if (delayMs % ms === 0) return `${delayMs / ms}${unit}`;
  }
  return `${delayMs}ms`;
}
