import { EntitySchema } from 'typeorm';
import { type Table, tableOf } from '../core/table.js';
import { type AttemptKind, type DeclineCategory, type Operation, type Outcome } from '../psp/contract.js';

/**
 * What a route has come to. `open`: money may move or may have moved; `effective`: it moved, or
 * will; `ruled_out`: it is proved that none moved and none will.
 */
export type Verdict = 'open' | 'effective' | 'ruled_out';

/** One route: an entity key bound to one PSP account and one PSP idempotency key. */
export interface PspRequest {
  merchantId: string;
  entityKey: string;
  /** From 1. Route n+1 exists only after route n was ruled out. */
  route: number;
  operation: Operation;
  /** The payment that this is an operation of, or else the payout. */
  paymentId: string | null;
  payoutId: string | null;
  psp: string;
  /**
   * The account behind that name when the route was opened (`accountFingerprint()` in psp). null or left
   * out of an insert: not known, as on routes that were opened before fingerprints were stored.
   */
  accountFingerprint?: string | null;
  /** Minor units. */
  amount: number;
  currency: string;
  pspIdempotencyKey: string;
  pspReference: string | null;
  verdict: Verdict;
  /** When a worker looks at it again; null when decided or stuck. */
  nextStepAt: Date | null;
  /** Since when a person is needed; the route stays open and bound all the same. */
  stuckAt: Date | null;
  /** Why a person is needed; null while none is. Left out of inserts: null. */
  stuckReason?: string | null;
  /** When that was so for the first time; stays, so that it is told once. Left out of inserts: null. */
  firstStuckAt?: Date | null;
  /** Raised by every write; a write that read an older one is refused. */
  fence: number;
  /** Who drives it now (a lock token), and until when, by the database's clock. */
  leasedBy: string | null;
  leasedUntil: Date | null;
  /** The route whose proof of non-execution this one rests on: route - 1, null for route 1. */
  restsOnRoute: number | null;
  openedAt: Date;
  decidedAt: Date | null;
  /** A route that was ruled out because nothing was found is looked at again then. */
  lookAgainAt: Date | null;
}

/**
 * One call on the wire, written before it is made and completed after; or a `notice`: what the PSP
 * told of its own accord, complete from the start.
 */
export interface PspAttempt {
  merchantId: string;
  entityKey: string;
  route: number;
  /** From 1, within the route. */
  attempt: number;
  kind: AttemptKind | 'notice';
  /** null while the call is in flight, and for ever where its process died. */
  outcome: Outcome | null;
  decline: DeclineCategory | null;
  pspCode: string | null;
  httpStatus: number | null;
  latencyMs: number | null;
  /** The id of the request (or of the worker's run) that made the call. */
  traceId: string;
  request: Record<string, unknown>;
  response: Record<string, unknown> | null;
  startedAt: Date;
  endedAt: Date | null;
}

/** Why it is certain that a route moved no money: what a switch to another PSP rests on. */
export interface NonExecutionProof {
  merchantId: string;
  entityKey: string;
  route: number;
  kind: ProofKind;
  /** The attempt of that route whose answer proves it. */
  attempt: number;
  provedAt: Date;
}

/**
 * What a PSP did beside what the books say: for a route that was ruled out, or a second time for one that is
 * effective. Money that is out at a PSP beside (or instead of) what the payment says. Never dropped, never
 * silently repaired.
 */
export interface OrphanEffect {
  merchantId: string;
  entityKey: string;
  route: number;
  /** Which object of that route, from 1: a PSP may make several, each with an id of its own. */
  object: number;
  /** The attempt whose answer told of it. */
  attempt: number;
  operation: Operation;
  psp: string;
  /** The PSP's id of what it did. */
  pspReference: string | null;
  amount: number;
  currency: string;
  foundAt: Date;
  /** When a worker takes it up, while it is open or approved. */
  dueAt: Date;
  status: OrphanStatus;
}

/**
 * `open`: found; `approved`: a person said that it is to be given back; `compensating`: its own route is
 * under way; `compensated`: given back; `failed`: the PSP would not, a person is needed; `closed`: a person
 * has dealt with it by hand.
 */
export type OrphanStatus = 'open' | 'approved' | 'compensating' | 'compensated' | 'failed' | 'closed';

/** `person`: a person's statement about a stuck route. It leads to no other PSP. */
export type ProofKind =
  'not_sent' | 'declined' | 'rejected' | 'cancel_acknowledged' | 'lookup_final' | 'person';

export const PspRequestEntity = new EntitySchema<PspRequest>({
  name: 'PspRequest',
  tableName: 'psp_requests',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    entityKey: { type: 'text', primary: true, name: 'entity_key' },
    route: { type: 'smallint', primary: true },
    operation: { type: 'text' },
    paymentId: { type: 'uuid', name: 'payment_id', nullable: true },
    payoutId: { type: 'uuid', name: 'payout_id', nullable: true },
    psp: { type: 'text' },
    accountFingerprint: { type: 'text', name: 'account_fingerprint', nullable: true },
    amount: { type: 'bigint' },
    currency: { type: 'text' },
    pspIdempotencyKey: { type: 'text', name: 'psp_idempotency_key' },
    pspReference: { type: 'text', name: 'psp_reference', nullable: true },
    verdict: { type: 'text' },
    nextStepAt: { type: 'timestamptz', name: 'next_step_at', nullable: true },
    stuckAt: { type: 'timestamptz', name: 'stuck_at', nullable: true },
    stuckReason: { type: 'text', name: 'stuck_reason', nullable: true },
    firstStuckAt: { type: 'timestamptz', name: 'first_stuck_at', nullable: true },
    fence: { type: 'integer' },
    leasedBy: { type: 'uuid', name: 'leased_by', nullable: true },
    leasedUntil: { type: 'timestamptz', name: 'leased_until', nullable: true },
    restsOnRoute: { type: 'smallint', name: 'rests_on_route', nullable: true },
    openedAt: { type: 'timestamptz', name: 'opened_at' },
    decidedAt: { type: 'timestamptz', name: 'decided_at', nullable: true },
    lookAgainAt: { type: 'timestamptz', name: 'look_again_at', nullable: true },
  },
});

export const PspAttemptEntity = new EntitySchema<PspAttempt>({
  name: 'PspAttempt',
  tableName: 'psp_attempts',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    entityKey: { type: 'text', primary: true, name: 'entity_key' },
    route: { type: 'smallint', primary: true },
    attempt: { type: 'smallint', primary: true },
    kind: { type: 'text' },
    outcome: { type: 'text', nullable: true },
    decline: { type: 'text', nullable: true },
    pspCode: { type: 'text', name: 'psp_code', nullable: true },
    httpStatus: { type: 'smallint', name: 'http_status', nullable: true },
    latencyMs: { type: 'integer', name: 'latency_ms', nullable: true },
    traceId: { type: 'text', name: 'trace_id' },
    request: { type: 'jsonb' },
    response: { type: 'jsonb', nullable: true },
    startedAt: { type: 'timestamptz', name: 'started_at' },
    endedAt: { type: 'timestamptz', name: 'ended_at', nullable: true },
  },
});

export const NonExecutionProofEntity = new EntitySchema<NonExecutionProof>({
  name: 'NonExecutionProof',
  tableName: 'non_execution_proofs',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    entityKey: { type: 'text', primary: true, name: 'entity_key' },
    route: { type: 'smallint', primary: true },
    kind: { type: 'text' },
    attempt: { type: 'smallint' },
    provedAt: { type: 'timestamptz', name: 'proved_at' },
  },
});

export const OrphanEffectEntity = new EntitySchema<OrphanEffect>({
  name: 'OrphanEffect',
  tableName: 'orphan_effects',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    entityKey: { type: 'text', primary: true, name: 'entity_key' },
    route: { type: 'smallint', primary: true },
    object: { type: 'smallint', primary: true },
    attempt: { type: 'smallint' },
    operation: { type: 'text' },
    psp: { type: 'text' },
    pspReference: { type: 'text', name: 'psp_reference', nullable: true },
    amount: { type: 'bigint' },
    currency: { type: 'text' },
    foundAt: { type: 'timestamptz', name: 'found_at' },
    dueAt: { type: 'timestamptz', name: 'due_at' },
    status: { type: 'text' },
  },
});

/** THE RULE, as the in-memory store holds it; in Postgres it is a partial unique index. */
const oneLiveRoute = {
  name: 'psp_requests_one_live_route',
  columns: ['merchantId', 'entityKey'],
  where: (row: Readonly<Record<string, unknown>>) => row['verdict'] !== 'ruled_out',
};

export const pspRequests: Table<PspRequest> = tableOf(PspRequestEntity, {
  uniques: [
    oneLiveRoute,
    { name: 'psp_requests_psp_idempotency_key', columns: ['merchantId', 'pspIdempotencyKey'] },
  ],
  references: [
    {
      name: 'psp_requests_rests_on_proof',
      columns: ['merchantId', 'entityKey', 'restsOnRoute'],
      to: () => nonExecutionProofs,
    },
  ],
  checks: [
    {
      name: 'psp_requests_needs_proof',
      holds: ({ route, restsOnRoute }) => restsOnRoute === (route === 1 ? null : (route as number) - 1),
    },
    {
      name: 'psp_requests_one_subject',
      holds: ({ paymentId, payoutId }) => (paymentId === null) !== (payoutId === null),
    },
    {
      name: 'psp_requests_has_next_step',
      holds: ({ verdict, decidedAt, nextStepAt, stuckAt, leasedBy }) =>
        verdict === 'open'
          ? decidedAt === null && (nextStepAt === null) !== (stuckAt === null)
          : decidedAt !== null && nextStepAt === null && stuckAt === null && leasedBy === null,
    },
  ],
});

export const pspAttempts: Table<PspAttempt> = tableOf(PspAttemptEntity, {
  references: [
    { name: 'psp_attempts_of_route', columns: ['merchantId', 'entityKey', 'route'], to: () => pspRequests },
  ],
});

export const nonExecutionProofs: Table<NonExecutionProof> = tableOf(NonExecutionProofEntity, {
  references: [
    {
      name: 'non_execution_proofs_from_attempt',
      columns: ['merchantId', 'entityKey', 'route', 'attempt'],
      to: () => pspAttempts,
    },
  ],
});

export const orphanEffects: Table<OrphanEffect> = tableOf(OrphanEffectEntity, {
  uniques: [
    {
      name: 'orphan_effects_each_object_once',
      columns: ['merchantId', 'entityKey', 'route', 'pspReference'],
    },
  ],
  references: [
    {
      name: 'orphan_effects_from_attempt',
      columns: ['merchantId', 'entityKey', 'route', 'attempt'],
      to: () => pspAttempts,
    },
  ],
});
