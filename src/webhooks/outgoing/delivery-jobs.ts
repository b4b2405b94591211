import { type JobKind } from '../../jobs/job-kind.js';
import { type Deliver } from './deliver.js';
import { type DeliveryRecords } from './delivery-records.js';
import { DELIVER, DELIVER_APART } from './waking.js';

/** Which endpoint. A type, for an interface has no index signature. */
export type DeliveryArgs = { readonly merchantId: string; readonly endpointId: string };

/** A ladder of retries, as this room wants it; the delays between tries are the deliveries' own. */
export interface LadderWanted {
  readonly name: string;
  /** When a run that broke is made again, in ms: a fault of ours, never of an endpoint. */
  readonly delaysMs: readonly number[];
  /** Endpoints that are delivered to at once, by one process. */
  readonly concurrency: number;
}

const LIVING = 'deliveries';
const APART = 'deliveries-apart';

/**
 * Two ladders, with workers of their own: an endpoint that failed or was slow the last time uses
 * the second, the slow lane, and so delays only endpoints of that kind.
 */
export const deliveryLadders: readonly LadderWanted[] = [
  { name: LIVING, delaysMs: [0, 5_000, 30_000, 300_000], concurrency: 16 },
  { name: APART, delaysMs: [0, 30_000, 300_000], concurrency: 16 },
];

export function deliveryKinds(deliver: Deliver, records: DeliveryRecords): readonly JobKind<DeliveryArgs>[] {
  return [
    { name: DELIVER, ladder: LIVING, apart: false },
    { name: DELIVER_APART, ladder: APART, apart: true },
  ].map(({ name, ladder, apart }) => ({
    name,
    ladder,
    idOf: ({ endpointId }) => endpointId,
    run: ({ merchantId, endpointId }, signal) => deliver.run(merchantId, endpointId, signal),
    due: (limit) => records.due(apart, limit),
  }));
}
