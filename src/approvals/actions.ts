import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { auditSubjectOf } from '../request-storage/entity-key.js';
import { OperationRegistry } from '../request-storage/operation-registry.js';
import { OrphanEffects } from '../request-storage/orphan-effects.js';
import { OrphanEffect, Route } from '../request-storage/route.entity.js';
import { type Statement } from '../request-storage/decisions/person-statement.js';
import { type OperationAction, overrulesPsp, type ResolveStuck } from './approvable-action.js';
import { type ActionVerdictView, type RetryView, type VerdictView } from './approval-views.js';
import { EvidenceFiles } from './evidence-files.js';
import { actorOf, ActionLog } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { PaymentActs } from './payment-actions.js';
import { verdictOnLookup, verdictOnRetry } from './verdict.js';

/** How an operator names an operation. */
export interface NamedOperation {
  readonly merchantId: string;
  readonly entityKey: string;
}

/** How the PSP of an open operation is asked: by its next step, or by a lookup alone. */
export const asks = ['retry', 'look_up'] as const;
export type Ask = (typeof asks)[number];

type OrphanAct = Extract<OperationAction, { kind: 'return_orphan' | 'close_orphan' }>;

/** The actions of operators on operations and orphan effects, through the services that decide them. */
@Injectable()
export class OperatorActions {
  readonly orphans: OrphanEffects;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly registry: OperationRegistry,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly acts: ActionLog,
    private readonly files: EvidenceFiles,
    private readonly payments: PaymentActs,
  ) {
    this.orphans = new OrphanEffects(source.getRepository(OrphanEffect));
  }

  /** Previews an action. */
  async verdict(named: NamedOperation, act: Ask): Promise<VerdictView> {
    const found = await this.find(named);
    return this.foreseeAsk(found, act);
  }

  /** Takes the step that the verdict showed, decided anew. @throws Problem `invalid_state` where it is refused */
  async ask(named: NamedOperation, act: Ask, operator: SignedIn): Promise<RetryView> {
    const found = await this.find(named);
    const { allowed, headline } = await this.foreseeAsk(found, act);
    if (!allowed) throw new Problem('invalid_state', headline);
    const traceId = `console-${this.ids.uuid()}`;
    const calls = await this.registry.of(found.entityKey).askNow(found, traceId, act === 'look_up');
    const after = await this.find(named);
    const made = calls.map(({ kind, outcome }) => ({ kind, outcome }));
    const done = act === 'look_up' ? 'route.looked_up' : 'route.retried';
    await this.acts.record(operator, found.merchantId, done, auditSubjectOf(found.entityKey), {
      entity_key: found.entityKey,
      route: found.route,
      calls: made,
    });
    return { calls: made, stuck: after.stuckAt !== null };
  }

  private async foreseeAsk(found: Route, act: Ask): Promise<VerdictView> {
    const looksUp = act === 'look_up';
    const foreseen = await this.registry.of(found.entityKey).foreseeAsk(found, looksUp);
    return looksUp ? verdictOnLookup(foreseen) : verdictOnRetry(foreseen);
  }

  /** Previews an action that needs approval. @throws Problem where it would be refused */
  async foresee(action: OperationAction, operator: { readonly name: string }): Promise<ActionVerdictView> {
    const allowed = (headline: string, against: string | null = null): ActionVerdictView => ({
      allowed: true,
      headline,
      facts: ['It is done once an approver has approved it.'],
      against,
    });
    switch (action.kind) {
      case 'resolve_stuck': {
        const found = await this.routeOf(action);
        const statement = statementOf(action, operator);
        await this.checkFile(action);
        const worker = this.registry.of(found.entityKey);
        const { decided, against } = await worker.foreseeResolution(found, statement);
        return decided.verdict === 'effective'
          ? allowed(`The operation is closed as done at ${decided.psp}.`, against)
          : allowed(
              `The operation is closed as not done at ${decided.psp}. No other PSP is asked because of it.`,
              against,
            );
      }
      case 'cancel_payment':
      case 'refund_payment':
        return allowed(await this.payments.foresee(action, operator));
      case 'return_orphan':
        await this.orphanOf(action);
        return allowed('A worker asks the PSP about that object, and gives it back where it is there.');
      case 'close_orphan':
        await this.orphanOf(action);
        return allowed('The orphan effect is taken off the list. Nothing is sent.');
    }
  }

  /**
   * The action as it is to be approved: with what the PSP says of the object that a person says it made.
   * @throws Problem where it would be refused
   */
  async lookedUp(action: OperationAction, operator: SignedIn): Promise<OperationAction> {
    if (action.kind !== 'resolve_stuck') return action;
    const found = await this.routeOf(action);
    const worker = this.registry.of(found.entityKey);
    const traceId = `console-${this.ids.uuid()}`;
    const says = await worker.lookUpStated(found, statementOf(action, operator), traceId);
    return says === null ? action : { ...action, psp_says: says };
  }

  /** Does it, judged once more. `operator`: who asked for it. Returns what it came to. @throws Problem */
  async perform(
    action: OperationAction,
    operator: { readonly name: string },
    approvalId: string,
  ): Promise<string> {
    switch (action.kind) {
      case 'resolve_stuck': {
        const found = await this.routeOf(action);
        const statement = statementOf(action, operator);
        await this.checkFile(action);
        const worker = this.registry.of(found.entityKey);
        const { verdict } = await worker.resolveStuck(found, statement, `console-${this.ids.uuid()}`);
        return verdict;
      }
      case 'cancel_payment':
      case 'refund_payment':
        return this.payments.perform(action, operator, approvalId);
      case 'return_orphan':
      case 'close_orphan': {
        const { merchant_id: merchantId, entity_key: entityKey, route, psp_reference: pspReference } = action;
        const named = { merchantId, entityKey, route, pspReference };
        const by = { actor: actorOf(operator), auditId: this.ids.uuid(), at: this.clock.now() };
        const { status } =
          action.kind === 'return_orphan'
            ? await this.orphans.approve(named, by)
            : await this.orphans.close(named, { ...by, note: action.evidence });
        return status;
      }
    }
  }

  /** The route that the action names, while it is still the one that is open. */
  private async routeOf({ merchant_id: merchantId, entity_key: entityKey, route }: ResolveStuck) {
    const found = await this.find({ merchantId, entityKey });
    if (found.route !== route) throw new Problem('invalid_state', `Route ${route} is decided already.`);
    return found;
  }

  /** The file that was looked at is the one that is there. */
  private async checkFile(action: ResolveStuck): Promise<void> {
    const {
      merchant_id: merchantId,
      entity_key: entityKey,
      evidence_file: file,
      evidence_sha256: hash,
    } = action;
    if (file === null || file === undefined) return;
    if ((await this.files.hashOf(merchantId, entityKey, file)) !== hash) {
      throw new Problem('invalid_state', 'The attached file is not the one that was named.');
    }
  }

  private async orphanOf(action: OrphanAct): Promise<void> {
    const { merchant_id: merchantId, entity_key: entityKey, route, psp_reference: pspReference } = action;
    const named = { merchantId, entityKey, route, ...(pspReference === null ? {} : { pspReference }) };
    const found = await this.source.manager.findBy(OrphanEffect, named);
    if (found.some(({ status }) => ['open', 'failed', 'approved'].includes(status))) return;
    throw new Problem('not_found', 'No orphan effect of this name waits for a person.');
  }

  /** Writes down what an operator wants others to know of the operation. */
  async note(named: NamedOperation, note: string, operator: SignedIn): Promise<void> {
    const { merchantId, entityKey } = await this.find(named);
    const detail = { entity_key: entityKey, note };
    await this.acts.record(operator, merchantId, 'operation.noted', auditSubjectOf(entityKey), detail);
  }

  /** The last route of the operation. @throws Problem `not_found` */
  private async find({ merchantId, entityKey }: NamedOperation): Promise<Route> {
    const where = { merchantId, entityKey };
    const found = await translateOutage(
      this.source.manager.findOne(Route, { where, order: { route: 'DESC' } }),
    );
    if (!found) throw new Problem('not_found', 'There is no operation of this name.');
    return found;
  }
}

function statementOf(action: ResolveStuck, operator: { readonly name: string }): Statement {
  const { as, evidence, psp_reference: pspReference, attempt, given_back: isGivenBack = false } = action;
  if (attempt === undefined) {
    throw new Problem('invalid_state', 'This names no attempt that was looked at: ask for it again.');
  }
  return {
    isDone: as === 'done',
    evidence,
    pspReference,
    seenAttempt: attempt,
    overrulesPsp: overrulesPsp(action),
    isGivenBack,
    by: actorOf(operator),
  };
}
