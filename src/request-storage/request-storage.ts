import { type Clock, type Lease, type Store, update } from '../kernel/index.js';
import { type Capabilities, type Instruction, type Psps } from '../psp/index.js';
import { type Answered, type Call, type OperationStory } from './attempt.js';
import { entityKey } from './entity-key.js';
import { type StepFacts } from './next-step.js';
import {
  type OrphanEffect,
  orphanEffects,
  type OrphanStatus,
  pspAttempts,
  type PspRequest,
  pspRequests,
} from './psp-request.entity.js';
import { storiesFrom } from './stories.js';

export interface RequestStorageOptions {
  readonly store: Store;
  readonly psps: Psps;
  readonly clock: Clock;
  /** How long whoever drives a route holds it. */
  readonly leaseMs: number;
  /** How long after its opening an operation may still be sent to another PSP. */
  readonly deadlineMs: number;
}

/** A call is only made while its lock outlives the PSP's timeout by this much. */
const LEASE_MARGIN_MS = 500;

/**
 * What an account promises that is no longer configured: nothing. Its open routes can neither be
 * asked about nor sent again; a person has to see them.
 */
const NONE: Capabilities = {
  operations: [],
  currencies: [],
  idempotency: { windowMs: null, replays: 'none' },
  lookup: null,
  cancel: null,
  captures: 'whole',
};

/** The record of what PSPs were asked, and the only caller of their money verbs. */
export class RequestStorage {
  constructor(private readonly options: RequestStorageOptions) {}

  get leaseMs(): number {
    return this.options.leaseMs;
  }

  /**
   * Makes the one call that `call` stands for, if its lock will outlive it. Never throws: every
   * failure is an answer.
   */
  async perform(call: Call, instruction: Instruction, lease: Lease): Promise<Answered> {
    const { clock, psps } = this.options;
    const { psp } = call.request;
    const startedMs = clock.monotonicMs();
    const needsMs = (psps.has(psp) ? psps.timeoutMs(psp) : 0) + LEASE_MARGIN_MS;
    const answer = await psps.call(psp, call.attempt.kind, instruction, () => lease.outlives(needsMs));
    return { call, answer, endedAt: clock.now(), latencyMs: clock.monotonicMs() - startedMs };
  }

  capabilities(psp: string): Capabilities {
    const { psps } = this.options;
    return psps.has(psp) ? psps.capabilities(psp) : NONE;
  }

  /** What next step is decided from, beside the routes. */
  facts(given: {
    readonly candidates: readonly string[];
    readonly deadline: Date;
    readonly asked: boolean;
    readonly wish: 'finish' | 'cancel';
    readonly fence: boolean;
    readonly now: Date;
  }): StepFacts {
    const { leaseMs } = this.options;
    return { ...given, leaseMs, capabilities: (psp) => this.capabilities(psp) };
  }

  /** Until when an operation that was opened then may be sent to another PSP, once nobody waits. */
  deadlineOf({ openedAt }: PspRequest): Date {
    return new Date(openedAt.getTime() + this.options.deadlineMs);
  }

  /** Puts a due route off that could not be driven, so that it does not stand before the others. */
  async postpone({ merchantId, entityKey, route, fence }: PspRequest, byMs: number): Promise<void> {
    const nextStepAt = new Date(this.options.clock.now().getTime() + byMs);
    const key = { merchantId, entityKey, route };
    const still = { fence, verdict: 'open' } as const;
    await this.options.store.commit([
      update(pspRequests, key, { nextStepAt, fence: fence + 1 }, still, 'leasedUntil'),
    ]);
  }

  /** Every operation of a payment with its routes and attempts, by entity key. */
  storiesOf(merchantId: string, paymentId: string): Promise<Map<string, OperationStory>> {
    return this.storiesUnder(merchantId, entityKey.ofPayment(paymentId));
  }

  /** Every operation whose entity key begins so (see `entityKey.of…`), by entity key. */
  async storiesUnder(merchantId: string, prefix: string): Promise<Map<string, OperationStory>> {
    const { store } = this.options;
    // Requests first: attempts are then at least as new as the fences that guard what is decided
    // from them. The other way round a call could be overlooked.
    const requests = await store.findByPrefix(pspRequests, { merchantId }, 'entityKey', prefix);
    const attempts = await store.findByPrefix(pspAttempts, { merchantId }, 'entityKey', prefix, 5_000);
    return storiesFrom(requests, attempts);
  }

  /** Routes that were ruled out and are to be looked at again. */
  dueLooks(limit: number): Promise<PspRequest[]> {
    const { store, clock } = this.options;
    return store.findDue(pspRequests, { verdict: 'ruled_out' }, 'lookAgainAt', clock.now(), limit);
  }

  /** Orphan effects that may be given back now, the oldest first. */
  dueOrphans(status: OrphanStatus, limit: number): Promise<OrphanEffect[]> {
    const { store, clock } = this.options;
    return store.findDue(orphanEffects, { status }, 'foundAt', clock.now(), limit);
  }

  /** Open routes whose next step is due, oldest first. */
  due(limit: number): Promise<PspRequest[]> {
    const { store, clock } = this.options;
    return store.findDue(pspRequests, { verdict: 'open' }, 'nextStepAt', clock.now(), limit);
  }
}
