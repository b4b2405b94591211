import { Inject, Injectable } from '@nestjs/common';
import { type Change, commitOf } from '../core/change.js';
import { leaveEvidence, newLease, newRun, type Run } from '../idempotency/operation-run.js';
import { evidenceOnly } from '../request-storage/decisions/advance.js';
import { isOfPayment, paymentIdOf } from '../request-storage/entity-key.js';
import { type RouteHistory } from '../request-storage/decisions/assess-route.js';
import { askAbout, unanswered } from '../request-storage/decisions/delayed-lookup.js';
import { evidenceOf, RouteWorker, type Subject } from '../request-storage/route-worker.js';
import { OperationTools } from '../request-storage/operation-tools.js';
import { type OrphanEffect } from '../request-storage/route.entity.js';
import { isVouchedFor, stateOfOrphan, moveOrphan, openCompensation, undoable } from './orphan.js';
import { PaymentOperations } from './payment-operations.js';
import { firstEntityKey, type PaymentState, withHistory } from './payment-state.js';

/** Advances a payment's operations when no client asks, and gives back orphan effects. */
@Injectable()
export class PaymentRouteWorker extends RouteWorker<PaymentState> {
  constructor(
    @Inject(PaymentOperations) operations: PaymentOperations,
    @Inject(OperationTools) tools: OperationTools,
  ) {
    super(operations, tools);
  }

  /** Advances the payment's own operation for a client that waits for its outcome, for at most so long. */
  async advanceForClient(of: Subject, traceId: string, waitsMs: number): Promise<boolean> {
    const state = await this.operations.read(of);
    const due = { ...of, entityKey: firstEntityKey(state.payment) };
    return this.follow(due, state, newRun(this.deps, traceId, waitsMs));
  }

  /**
   * Gives back an orphan effect after the PSP confirmed that object. False if it is not given back now: another
   * worker does, or a person must.
   */
  async compensate(orphan: OrphanEffect, traceId: string): Promise<boolean> {
    const { storage } = this.deps;
    // Outgoing money is never taken back automatically.
    if (!isOfPayment(orphan.entityKey)) return this.leave(orphan);
    const { merchantId } = orphan;
    const of = { merchantId, paymentId: paymentIdOf(orphan.entityKey), payoutId: null };
    const state = await this.operations.read(of);
    const route = undoable(state, orphan);
    if (!route || storage.isOtherAccount(route.request)) return this.leave(orphan);
    if (await storage.belongsElsewhere(route.request, orphan.pspReference!)) return this.leave(orphan);
    const run = newRun(this.deps, traceId, null);
    if (storage.promisesOf(orphan).lookup === null) {
      return isVouchedFor(route, orphan) ? this.giveBack(orphan, state, run, []) : this.leave(orphan);
    }
    return this.askAndGiveBack(orphan, state, route, run);
  }

  private async askAndGiveBack(
    found: OrphanEffect,
    state: PaymentState,
    route: RouteHistory,
    run: Run,
  ): Promise<boolean> {
    const { operations } = this;
    const asking = askAbout(route, found, run, this.deps.clock.now());
    if (!asking) return this.leave(found);
    run.lease = newLease(this.deps, run.lockToken);
    if (!(await this.write('asking', asking.changes))) return false;
    const { orphan, call } = asking;
    const answered = await operations.call(operations.withCall(state, call), run);
    const after = await operations.read({ ...call.request });
    const history = this.historyOf(after, orphan.entityKey);
    const known = evidenceOnly(history, answered);
    const verdict = stateOfOrphan(answered.answer);
    let isDone = false;
    if (verdict === 'there') isDone = await this.giveBack(orphan, after, run, known);
    else if (verdict === 'later') {
      const asked = history.routes.find(({ request }) => request.route === orphan.route)!;
      await this.write('asked', [unanswered(asked, orphan, this.deps.clock.now()), ...known]);
    } else {
      const status = verdict === 'undone' ? 'compensated' : 'failed';
      isDone = await this.write('asked', [moveOrphan(orphan, status), ...known]);
    }
    // The PSP's answer is always stored, even if another worker has changed the orphan effect meanwhile.
    await leaveEvidence(this.deps, async () =>
      evidenceOf(operations, await operations.read(call.request), answered),
    );
    return isDone && verdict !== 'person';
  }

  private async giveBack(
    orphan: OrphanEffect,
    state: PaymentState,
    run: Run,
    known: readonly Change[],
  ): Promise<boolean> {
    const { storage, clock } = this.deps;
    const { history, changes, call } = openCompensation(state, orphan, storage, run, clock.now());
    run.lease = newLease(this.deps, run.lockToken);
    if (!(await this.write('compensating', [...changes, ...known]))) return false;
    return this.follow(call!.request, { ...withHistory(state, history), call }, run, true);
  }

  /** An effect that cannot be given back automatically waits for a person. */
  private async leave(orphan: OrphanEffect): Promise<boolean> {
    await this.deps.store.commit(commitOf(moveOrphan(orphan, 'failed')));
    return false;
  }
}
