import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type AttemptKind, type DeclineCategory, type Operation, type Outcome } from '../psp/contract.js';

/**
 * The verdict on a route. `open`: money may move or may have moved; `effective`: it moved, or will; `ruled_out`: it
 * is proved that none moved and none will.
 */
type Verdict = 'open' | 'effective' | 'ruled_out';

/** One route: an entity key bound to one PSP account and one PSP idempotency key. */
@Entity('psp_requests')
export class Route {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('text')
  entityKey: string;

  /** From 1. Route n+1 exists only after route n was ruled out. */
  @PrimaryColumn('smallint')
  route: number;

  @Column('text')
  operation: Operation;

  /** The payment that this is an operation of, or else the payout. */
  @Column('uuid', { nullable: true })
  paymentId: string | null;

  @Column('uuid', { nullable: true })
  payoutId: string | null;

  @Column('text')
  psp: string;

  /**
   * The account behind that name when the route was opened (`accountFingerprint()` in psp). null or left
   * out of an insert: not known, as on routes that were opened before fingerprints were stored.
   */
  @Column('text', { nullable: true })
  accountFingerprint?: string | null;

  /** Minor units. */
  @Column('bigint')
  amount: number;

  @Column('text')
  currency: string;

  @Column('text')
  pspIdempotencyKey: string;

  @Column('text', { nullable: true })
  pspReference: string | null;

  @Column('text')
  verdict: Verdict;

  /** When a worker advances it next; null when decided or stuck. */
  @Column('timestamptz', { nullable: true })
  nextStepAt: Date | null;

  /** Since when a person is needed; the route stays open at its PSP. */
  @Column('timestamptz', { nullable: true })
  stuckAt: Date | null;

  /** Why a person is needed; null while none is. Left out of inserts: null. */
  @Column('text', { nullable: true })
  stuckReason?: string | null;

  /** When it was stuck for the first time; kept, so that the event is sent once. Left out of inserts: null. */
  @Column('timestamptz', { nullable: true })
  firstStuckAt?: Date | null;

  /** Raised by every write; a write based on an older version is refused. */
  @Column('integer', { name: 'fence' })
  version: number;

  /** The run that advances it now (a lock token), and until when, by the database's clock. */
  @Column('uuid', { nullable: true })
  leasedBy: string | null;

  @Column('timestamptz', { nullable: true })
  leasedUntil: Date | null;

  /** The route whose proof of non-execution allows this one: route - 1, null for route 1. */
  @Column('smallint', { nullable: true })
  restsOnRoute: number | null;

  @Column('timestamptz')
  openedAt: Date;

  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  /** When a route that was ruled out because nothing was found is looked up again. */
  @Column('timestamptz', { nullable: true })
  lookAgainAt: Date | null;

  /** When the PSP last said, without proof, that something has become of it. Left out of inserts: null. */
  @Column('timestamptz', { nullable: true })
  hintedAt?: Date | null;
}

/**
 * One call to a PSP, stored before it is made and completed after; or a `notice`: a notification of the PSP,
 * complete from the start.
 */
@Entity('psp_attempts')
export class PspAttempt {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('text')
  entityKey: string;

  @PrimaryColumn('smallint')
  route: number;

  /** From 1, within the route. */
  @PrimaryColumn('smallint')
  attempt: number;

  @Column('text')
  kind: AttemptKind | 'notice';

  /** null while the call is in flight, and for ever where its process died. */
  @Column('text', { nullable: true })
  outcome: Outcome | null;

  @Column('text', { nullable: true })
  decline: DeclineCategory | null;

  @Column('text', { nullable: true })
  pspCode: string | null;

  @Column('smallint', { nullable: true })
  httpStatus: number | null;

  @Column('integer', { nullable: true })
  latencyMs: number | null;

  /** The id of the request (or of the worker's run) that made the call. */
  @Column('text')
  traceId: string;

  @Column('jsonb')
  request: Record<string, unknown>;

  @Column('jsonb', { nullable: true })
  response: Record<string, unknown> | null;

  @Column('timestamptz')
  startedAt: Date;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;
}

/** Why it is certain that a route moved no money; without one no other PSP may be tried. */
@Entity('non_execution_proofs')
export class NonExecutionProof {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('text')
  entityKey: string;

  @PrimaryColumn('smallint')
  route: number;

  @Column('text')
  kind: ProofKind;

  /** The attempt of that route whose answer proves it. */
  @Column('smallint')
  attempt: number;

  @Column('timestamptz')
  provedAt: Date;
}

/**
 * An effect at a PSP that the payment does not count: for a route that was ruled out, or a second one for an
 * effective route. Never deleted, never silently repaired.
 */
@Entity('orphan_effects')
export class OrphanEffect {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('text')
  entityKey: string;

  @PrimaryColumn('smallint')
  route: number;

  /** Which object of that route, from 1: a PSP may make several, each with its id. */
  @PrimaryColumn('smallint')
  object: number;

  /** The attempt whose answer reported it. */
  @Column('smallint')
  attempt: number;

  @Column('text')
  operation: Operation;

  @Column('text')
  psp: string;

  /** The PSP's id of the object. */
  @Column('text', { nullable: true })
  pspReference: string | null;

  @Column('bigint')
  amount: number;

  @Column('text')
  currency: string;

  @Column('timestamptz')
  foundAt: Date;

  /** When a worker handles it, while it is open or approved. */
  @Column('timestamptz')
  dueAt: Date;

  @Column('text')
  status: OrphanStatus;
}

/**
 * `open`: found; `approved`: a person approved giving it back; `compensating`: its own route is under way;
 * `compensated`: given back; `failed`: the PSP refused, a person is needed; `closed`: a person has dealt with it by
 * hand.
 */
export const orphanStatuses = [
  'open',
  'approved',
  'compensating',
  'compensated',
  'failed',
  'closed',
] as const;
export type OrphanStatus = (typeof orphanStatuses)[number];

/** `person`: a person's statement about a stuck route. It leads to no other PSP. */
export type ProofKind =
  'not_sent' | 'declined' | 'rejected' | 'cancel_acknowledged' | 'lookup_final' | 'person';
