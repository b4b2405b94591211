import { inSpan } from '../core/tracing.js';
import { type Clock } from '../core/clock.js';
import { commitOf, type NoneOf, type Store, update, type Where } from '../core/change.js';
import { type Hold } from '../core/hold.js';
import { type Lease } from '../core/lease.js';
import { Problem } from '../core/problem.js';
import { StoreUnavailable } from '../database/store-unavailable.js';
import { type Run } from '../idempotency/operation-run.js';
import {
  type Answer,
  type Capabilities,
  type Instruction,
  type Operation,
  type Psps,
} from '../psp/contract.js';
import { type AnsweredCall, type Call, type OperationHistory } from './decisions/attempt.js';
import { entityKey } from './entity-key.js';
import { type AccountAt } from './decisions/advance.js';
import { isOtherAccount, NO_PROMISES, type StepFacts } from './decisions/next-step.js';
import { ID_OF_ANOTHER_OPERATION } from './decisions/stuck-reason.js';
import { type OrphanEffect, type Route } from './route.entity.js';
import { orphanEffects, pspAttempts, pspRequests } from './route.table.js';
import { historiesFrom } from './decisions/histories.js';

/** One PSP account, or every account except some. */
export type PspFilter = string | NoneOf;

interface RequestStorageOptions {
  readonly store: Store;
  readonly psps: Psps;
  readonly clock: Clock;
  readonly hold: () => Hold;
  /** See `ScheduleFacts`. */
  readonly backAt?: (psp: string) => Date | null;
  /** How long a run that advances a route leases it. */
  readonly leaseMs: number;
  /** How long after its opening an operation may still be sent to another PSP. */
  readonly deadlineMs: number;
}

/** A person ends the hold; that takes longer than any client waits. */
const RETRY_HELD_S = 60;

/** A call is only made while its lock outlives the PSP's timeout by this much. */
const LEASE_MARGIN_MS = 500;

/** The record of all calls to PSPs, and the only caller of their methods that move money. */
export class RequestStorage {
  private readonly listeners: ((answered: AnsweredCall) => void)[] = [];

  constructor(private readonly options: RequestStorageOptions) {}

  /** `listener` gets every answered call. It must not throw. */
  onAnswered(listener: (answered: AnsweredCall) => void): void {
    this.listeners.push(listener);
  }

  get leaseMs(): number {
    return this.options.leaseMs;
  }

  /**
   * Makes the call that `call` describes, if its lock outlives it and its PSP is still the account of the route.
   * Never throws: every failure is an answer. `more`: fields of this operation beside the common ones. They come
   * from stored data alone, so that a resend is byte-identical from every process.
   */
  async perform(
    call: Call,
    more: Partial<Instruction> & Pick<Instruction, 'reference'>,
    lease: Lease,
  ): Promise<AnsweredCall> {
    const { clock, psps } = this.options;
    const instruction = instructionOf(call, more);
    if (this.isOtherAccount(call.request)) {
      const answer = { outcome: 'not_sent', pspCode: 'account_changed' } as const;
      return { call, answer, endedAt: clock.now(), latencyMs: 0 };
    }
    const { psp } = call.request;
    const startedMs = clock.monotonicMs();
    const timeoutMs = psps.has(psp) ? psps.timeoutMs(psp) : 0;
    // Checked again on the open connection: less of the call remains by then.
    const leaseStillValid = () => {
      const leftMs = startedMs + timeoutMs - clock.monotonicMs();
      return leftMs >= 0 && lease.outlives(leftMs + LEASE_MARGIN_MS);
    };
    const { kind, attempt } = call.attempt;
    const { paymentId, payoutId, route } = call.request;
    const said = await inSpan(
      {
        name: `psp ${kind}`,
        kind: 'client',
        subject: paymentId ?? payoutId,
        attributes: { 'payonce.psp': psp, 'payonce.route': route, 'payonce.attempt': attempt },
      },
      () => psps.call(psp, kind, instruction, leaseStillValid),
      ({ outcome, httpStatus }) => ({
        'payonce.outcome': outcome,
        ...(httpStatus === undefined ? {} : { 'http.response.status_code': httpStatus }),
      }),
    );
    const latencyMs = clock.monotonicMs() - startedMs;
    const endedAt = clock.now();
    const answer = await this.aboutOwnObject(call, instruction, said);
    const answered = { call, answer, endedAt, latencyMs };
    for (const listener of this.listeners) listener(answered);
    return answered;
  }

  /**
   * The answer, unless its id belongs to another operation of ours: that one is done, and nothing is known of this
   * one. A person decides.
   */
  private async aboutOwnObject(call: Call, instruction: Instruction, answer: Answer): Promise<Answer> {
    const { pspReference, ...said } = answer;
    const isKnown =
      answer.isNamed === true ||
      pspReference === undefined ||
      pspReference === call.request.pspReference ||
      pspReference === instruction.parentReference;
    if (isKnown || call.attempt.kind === 'cancel') return answer;
    // If that cannot be read now, the answer is kept: it must not be lost.
    const isOthers = await this.belongsElsewhere(call.request, pspReference).catch(() => false);
    if (!isOthers) return answer;
    const message = `The PSP answered with ${pspReference}, its id of another operation.`;
    return { ...said, outcome: 'conflict', pspCode: ID_OF_ANOTHER_OPERATION, message };
  }

  capabilities(psp: string): Capabilities {
    const { psps } = this.options;
    return psps.has(psp) ? psps.capabilities(psp) : NO_PROMISES;
  }

  /** The promises of the account for this operation. */
  promisesOf({ psp, operation }: Pick<Route, 'psp' | 'operation'>): Capabilities {
    const can = this.capabilities(psp);
    return { ...can, ...can.of?.[operation] };
  }

  /** The account that is configured under this name, for a new route of this operation there. */
  accountAt(psp: string, operation: Operation): AccountAt {
    return { psp, accountFingerprint: this.fingerprintOf(psp, operation) ?? null };
  }

  /** Whether the name of the route's PSP now means another account. */
  isOtherAccount(request: Route): boolean {
    return isOtherAccount(request, { fingerprintOf: (psp) => this.fingerprintOf(psp, request.operation) });
  }

  private fingerprintOf(psp: string, operation: Operation): string | undefined {
    const { psps } = this.options;
    return psps.has(psp) ? psps.fingerprint(psp, operation) : undefined;
  }

  /** Whether an operation may be refused; then its key is read first. */
  get isHeld(): boolean {
    return this.options.hold() !== 'none';
  }

  /**
   * Refuses a new operation that several PSPs could carry out while commits may be lost: a PSP may have carried out
   * the same request already, and we cannot know which.
   * @throws Problem `commits_may_be_lost`, StoreUnavailable while it is not known
   */
  refuseWhileHeld(candidates: readonly string[]): void {
    const hold = this.options.hold();
    if (candidates.length < 2 || hold === 'none' || hold === 'failover') return;
    if (hold === 'unknown') throw new StoreUnavailable(new Error('no session with the database'));
    throw new Problem(
      'commits_may_be_lost',
      'The database may have lost its last commits, and several PSPs could carry this out: one of them may have done so already. Nothing was stored or sent. Send the same again later, with the same Idempotency-Key.',
      { retryAfterS: RETRY_HELD_S },
    );
  }

  /** The facts from which `advance` decides the next step of the operation. */
  factsFor(
    history: OperationHistory,
    given: Pick<StepFacts, 'candidates' | 'intent' | 'cancelBeforeFailover' | 'now'>,
    run: Run,
  ): StepFacts {
    const { leaseMs, deadlineMs, clock, hold, psps, backAt } = this.options;
    const { clientWaiting, operatorAskedAfter, operatorLooksUp } = run;
    const { openedAt, merchantId, operation } = history.routes[0]!.request;
    return {
      ...given,
      clientWaiting,
      operatorAskedAfter,
      operatorLooksUp,
      ...(backAt ? { backAt } : {}),
      // If no client waits, the operation may be sent to another PSP until this long after it was opened.
      deadline: clientWaiting ? run.deadline : new Date(openedAt.getTime() + deadlineMs),
      clockTrusted: clock.isTrusted(),
      hold: hold(),
      leaseMs,
      capabilities: (psp) => this.promisesOf({ psp, operation }),
      fingerprintOf: (psp) => this.fingerprintOf(psp, operation),
      mayBeginAt: (psp) => psps.has(psp) && psps.mayBegin(psp, merchantId),
    };
  }

  /** Postpones a due route that could not be advanced, so that it does not block the others. */
  async postpone({ merchantId, entityKey, route, version }: Route, byMs: number): Promise<void> {
    const nextStepAt = new Date(this.options.clock.now().getTime() + byMs);
    const key = { merchantId, entityKey, route };
    const still = { version, verdict: 'open' } as const;
    await this.options.store.commit(
      commitOf(update(pspRequests, key, { nextStepAt, version: version + 1 }, still, 'leasedUntil')),
    );
  }

  /**
   * A hint makes the open routes of this PSP reference due at once, at most every ten seconds. A hint has no proof: it
   * may come from anybody, and the PSP's answer alone changes the route.
   */
  async hint(psp: string, pspReference: string): Promise<void> {
    const now = this.options.clock.now();
    const found = await this.options.store.find(pspRequests, { psp, pspReference }, MAX_HINTED);
    for (const { merchantId, entityKey, route, version, verdict, nextStepAt, hintedAt } of found) {
      const isFresh = hintedAt && now.getTime() < hintedAt.getTime() + HINT_MS;
      if (verdict !== 'open' || nextStepAt === null || isFresh) continue;
      // A run that decides now decides again: its route has a newer version.
      const set = { hintedAt: now, nextStepAt: now, version: version + 1 };
      const key = { merchantId, entityKey, route };
      await this.options.store.commit(commitOf(update(pspRequests, key, set, { version, verdict: 'open' })));
    }
  }

  /** Every operation of a payment with its routes and attempts, by entity key. */
  historiesOf(merchantId: string, paymentId: string): Promise<Map<string, OperationHistory>> {
    return this.historiesUnder(merchantId, entityKey.ofPayment(paymentId));
  }

  /** Every operation whose entity key begins so (see `entityKey.of…`), by entity key. */
  async historiesUnder(merchantId: string, prefix: string): Promise<Map<string, OperationHistory>> {
    const { store } = this.options;
    // Routes first: attempts are then at least as new as the versions that guard the decision. In the other order a
    // call could be missed.
    const requests = await store.findByPrefix(pspRequests, { merchantId }, 'entityKey', prefix);
    const attempts = await store.findByPrefix(pspAttempts, { merchantId }, 'entityKey', prefix);
    return historiesFrom(requests, attempts);
  }

  /** Routes that were ruled out and are due for a delayed lookup. */
  dueRechecks(limit: number, psp?: PspFilter): Promise<Route[]> {
    const where = { verdict: 'ruled_out', ...(psp === undefined ? {} : { psp }) } as const;
    return this.options.store.findDue(pspRequests, where, 'lookAgainAt', 'now', limit);
  }

  /** Whether the PSP's id belongs to another operation of ours, of any merchant. */
  async belongsElsewhere(request: Route, pspReference: string): Promise<boolean> {
    const { psp } = request;
    const holders = await this.options.store.find(pspRequests, { psp, pspReference });
    return holders.some((holder) => !mayShareObject(holder, request));
  }

  /** Orphan effects that may be given back now, the oldest first. */
  dueOrphans(where: Where<OrphanEffect>, limit: number): Promise<OrphanEffect[]> {
    return this.options.store.findDue(orphanEffects, where, 'dueAt', 'now', limit);
  }

  /** Open routes whose next step is due, oldest first. */
  due(limit: number, psp?: PspFilter): Promise<Route[]> {
    const where = { verdict: 'open', ...(psp === undefined ? {} : { psp }) } as const;
    return this.options.store.findDue(pspRequests, where, 'nextStepAt', 'now', limit);
  }
}

function instructionOf(
  { request, sentAt, undo }: Call,
  more: Partial<Instruction> & Pick<Instruction, 'reference'>,
): Instruction {
  return {
    operation: request.operation,
    entityKey: request.entityKey,
    route: request.route,
    idempotencyKey: request.pspIdempotencyKey,
    ...((request.accountFingerprint ?? null) === null ? {} : { carriesKey: true }),
    money: { amount: request.amount, currency: request.currency },
    sentAt,
    ...(request.pspReference === null ? {} : { pspReference: request.pspReference }),
    ...(undo ? { undo } : {}),
    ...more,
  };
}

/** A hint of a PSP makes its route due at most once in this time, so that a sender of false hints costs little. */
const HINT_MS = 10_000;
/** An authorization, its captures and its void may be of one object. */
const MAX_HINTED = 10;

/** At some PSPs an authorization, its captures and its void share one object. */
const ON_ONE_OBJECT: ReadonlySet<Operation> = new Set(['authorize', 'capture', 'void']);

function mayShareObject(one: Route, other: Route): boolean {
  if (one.merchantId !== other.merchantId) return false;
  if (one.entityKey === other.entityKey) return true;
  const isOfOnePayment = one.paymentId !== null && one.paymentId === other.paymentId;
  return isOfOnePayment && ON_ONE_OBJECT.has(one.operation) && ON_ONE_OBJECT.has(other.operation);
}
