import { Injectable } from '@nestjs/common';
import { type Change, insert, update } from '../core/change.js';
import { type Encryption } from '../core/encryption.js';
import { type Run } from '../idempotency/operation-run.js';
import { actorOf, advance, type StepResult } from '../request-storage/decisions/advance.js';
import { type AnsweredCall, type Call, type OperationHistory } from '../request-storage/decisions/attempt.js';
import { entityKey } from '../request-storage/entity-key.js';
import { type ClientOperations } from '../request-storage/operation-flow.js';
import { type RouteDecision, type Subject } from '../request-storage/route-worker.js';
import { type RuledOut } from '../request-storage/decisions/next-step.js';
import { OperationTools } from '../request-storage/operation-tools.js';
import { type Route } from '../request-storage/route.entity.js';
import { failureOf } from '../request-storage/decisions/route-failure.js';
import { asOfOneMoment } from '../request-storage/stable-read.js';
import { type Payout, type PayoutTransition } from './payout.entity.js';
import { payoutMoved } from './payout-events.js';
import { type PayoutEvent, payoutLifecycle } from './payout.lifecycle.js';
import { payouts, payoutTransitions } from './payout.table.js';
import { payoutJson } from './payout.view.js';

/** PSP account name to token, which only the request held. Encrypted while it may still be needed. */
export type Tokens = Readonly<Record<string, string>>;

/** A payout with all that is known of it: what decisions are made from. */
export interface PayoutState {
  readonly payout: Payout;
  readonly history: OperationHistory;
  /** null once the payout has ended. */
  readonly tokens: Tokens | null;
  /** The call to make now, already written down. */
  readonly call: Call | null;
}

/** A payout as it is shown: nothing of it is decrypted. */
type StoredPayout = Omit<PayoutState, 'tokens'>;

/** The one operation of a payout: read, called and settled in one way, by a client's request and by the resolver alike. */
@Injectable()
export class PayoutOperations implements ClientOperations<PayoutState> {
  constructor(readonly tools: OperationTools) {}

  async read({ merchantId, payoutId }: Subject): Promise<PayoutState> {
    const state = payoutId === null ? null : await this.find(merchantId, payoutId);
    if (!state) throw new RangeError(`no such payout: ${payoutId}`);
    return { ...state, tokens: decryptTokens(this.tools.seal, state.payout) };
  }

  /** null where there is none. The payout and what was asked of PSPs for it, as of one moment; nothing is decrypted. */
  find(merchantId: string, id: string): Promise<StoredPayout | null> {
    const { store, storage } = this.tools;
    const readPayout = async () => (await store.find(payouts, { merchantId, id }, 1))[0] ?? null;
    return asOfOneMoment(this.tools, readPayout, async (payout) => {
      const histories = await storage.historiesUnder(merchantId, entityKey.ofPayout(id));
      const history = histories.get(entityKey.send(id));
      if (!history) throw new RangeError(`a payout without a route: ${id}`);
      return { payout, history, call: null };
    });
  }

  historiesOf({ history }: PayoutState): ReadonlyMap<string, OperationHistory> {
    return new Map([[history.entityKey, history]]);
  }

  undecided({ payout, history }: PayoutState): OperationHistory | null {
    return payout.status === 'processing' ? history : null;
  }

  requestedKey({ history }: PayoutState): string {
    return history.entityKey;
  }

  bodyOf({ payout, history }: PayoutState): string {
    return payoutJson(payout, history).text;
  }

  withCall(state: PayoutState, call: Call | null): PayoutState {
    return { ...state, call };
  }

  /** call: the token of the PSP that the route is bound to. Made of stored facts alone, so that a resend is the same. */
  call({ payout, tokens, call }: PayoutState, run: Pick<Run, 'lease'>): Promise<AnsweredCall> {
    const token = tokens?.[call!.request.psp];
    const { reference, recipient, statementDescriptor } = payout;
    const more = {
      reference,
      customer: { reference: recipient },
      ...(token === undefined ? {} : { token }),
      ...(statementDescriptor === null ? {} : { statementDescriptor }),
    };
    return this.tools.storage.perform(call!, more, run.lease);
  }

  /** settle: what the route has come to, and with it the payout. */
  decide(
    state: PayoutState,
    history: OperationHistory,
    run: Run,
    answered?: AnsweredCall,
  ): RouteDecision<PayoutState> {
    const { storage, clock } = this.tools;
    const now = clock.now();
    const { candidates } = state.payout;
    const given = { candidates, intent: 'finish', cancelBeforeFailover: false, now } as const;
    const stepResult = advance(history, storage.factsFor(history, given, run), run, answered);
    return { ...this.afterStep(state, stepResult, now), stepResult };
  }

  /** The money came back: the recipient's bank did not keep it. The route keeps its verdict, for the PSP did what it was asked. */
  async reverse(
    { payout, history }: PayoutState,
    { psp }: Route,
    evidence: RuledOut,
  ): Promise<readonly Change[]> {
    const { clock, ids } = this.tools;
    const now = clock.now();
    const { merchantId, recipient, id, version, status } = payout;
    const set = {
      status: payoutLifecycle.after(status, 'returned'),
      version: version + 1,
      failure: failureOf({ do: 'fail', evidence }, 'payout'),
      updatedAt: now,
    };
    const returned = { ...payout, ...set };
    return [
      update(payouts, { merchantId, recipient, id }, set, { version }),
      transitionTo(returned, { event: 'returned', from: status, actor: `psp:${psp}` }, now),
      ...payoutMoved(status, returned, history, () => ids.uuid(), now),
    ];
  }

  /** The payout's row, guarded by its version, its history, and the event for its merchant. */
  private afterStep(
    state: PayoutState,
    stepResult: StepResult,
    now: Date,
  ): Omit<RouteDecision<PayoutState>, 'stepResult'> {
    const { payout } = state;
    const { history, step, changes, call } = stepResult;
    const moved = { ...state, history, call };
    const event = step.do === 'finish' ? 'paid' : step.do === 'fail' ? 'failed' : null;
    if (event === null || !payoutLifecycle.allows(payout.status, event)) return { state: moved, changes };
    const { psp, pspReference } = history.routes.at(-1)!.request;
    const set = {
      status: payoutLifecycle.after(payout.status, event),
      version: payout.version + 1,
      // Nothing is sent any more, so where the money went need not be known any longer.
      sealed: null,
      ...(step.do === 'fail' ? { failure: failureOf(step, 'payout') } : { psp, pspReference }),
      updatedAt: now,
    };
    const { merchantId, recipient, id, version, status } = payout;
    const settled = { ...payout, ...set };
    return {
      state: { ...moved, payout: settled, tokens: null },
      changes: [
        ...changes,
        update(payouts, { merchantId, recipient, id }, set, { version }),
        transitionTo(settled, { event, from: status, actor: actorOf(stepResult) }, now),
        ...payoutMoved(status, settled, history, () => this.tools.ids.uuid(), now),
      ],
    };
  }
}

/** The line of its history that explains a payout's version. */
export function transitionTo(
  { merchantId, id, version, status }: Payout,
  { event, from, actor }: { event: PayoutEvent; from: PayoutTransition['fromStatus']; actor: string },
  at: Date,
) {
  return insert(payoutTransitions, {
    merchantId,
    payoutId: id,
    version,
    event,
    fromStatus: from,
    toStatus: status,
    actor,
    entityKey: entityKey.send(id),
    at,
  });
}

export function encryptTokens(
  seal: Encryption,
  merchantId: string,
  payoutId: string,
  tokens: Tokens,
): Uint8Array {
  return seal.encrypt(tokens, `payout/${merchantId}/${payoutId}`);
}

function decryptTokens(seal: Encryption, { merchantId, id, sealed }: Payout): Tokens | null {
  return sealed === null ? null : (seal.decrypt(sealed, `payout/${merchantId}/${id}`) as Tokens);
}
