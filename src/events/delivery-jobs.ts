import { type JobKind } from '../jobs/job-kind.js';
import { type RetryPolicy } from '../jobs/retry-policy.js';
import { type Deliver } from './deliver.js';
import { type DeliveryRecords } from './delivery-records.js';
import { DELIVER, DELIVER_APART } from './waking.js';

/** Which endpoint. A type, for an interface has no index signature. */
export type DeliveryArgs = { readonly merchantId: string; readonly endpointId: string };

const FAST = 'deliveries';
const SLOW = 'deliveries-apart';

/**
 * The fast and the slow lane, with workers of their own: an endpoint that failed or was slow the last time uses
 * the slow one, and so delays only endpoints of that kind. The delays are those of a run that broke by a fault
 * of ours; those between tries at an endpoint are the deliveries' own. One queue for all tiers of a lane: such
 * retries are rare, and a queue costs a connection.
 */
export const deliveryPolicies: readonly RetryPolicy[] = [
  laneOf(FAST, [0, 5_000, 30_000, 300_000]),
  laneOf(SLOW, [0, 30_000, 300_000]),
];

function laneOf(name: string, delaysMs: readonly number[]): RetryPolicy {
  return { name, tiers: delaysMs.map((delayMs) => ({ queue: name, delayMs, concurrency: 16 })) };
}

export function deliveryKinds(deliver: Deliver, records: DeliveryRecords): readonly JobKind<DeliveryArgs>[] {
  return [
    { name: DELIVER, retryPolicy: FAST, apart: false },
    { name: DELIVER_APART, retryPolicy: SLOW, apart: true },
  ].map(({ name, retryPolicy, apart }) => ({
    name,
    retryPolicy,
    idOf: ({ endpointId }) => endpointId,
    run: ({ merchantId, endpointId }, signal) => deliver.run(merchantId, endpointId, signal),
    due: (limit) => records.due(apart, limit),
  }));
}
