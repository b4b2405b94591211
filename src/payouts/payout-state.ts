import { type Change, insert, type Seal, update } from '../kernel/index.js';
import { type Instruction } from '../psp/index.js';
import {
  type Call,
  type Driven,
  entityKey,
  failureOf,
  type OperationStory,
  type Step,
} from '../request-storage/index.js';
import { type Payout, payouts, type PayoutTransition, payoutTransitions } from './payout.entity.js';
import { payoutMoved } from './payout-events.js';
import { type PayoutEvent, payoutLifecycle } from './payout.lifecycle.js';

/** What only the request itself held: PSP account name to token. Sealed while it may still be needed. */
export type Tokens = Readonly<Record<string, string>>;

/** A payout with all that is known of it: what decisions are made from. */
export interface PayoutState {
  readonly payout: Payout;
  readonly story: OperationStory;
  /** null once the payout has ended. */
  readonly tokens: Tokens | null;
  /** The call to make now, already written down. */
  readonly call: Call | null;
}

/**
 * What is sent for a call. Made of stored facts alone, so that a resend of a route is the same to the
 * byte, whoever sends it.
 */
export function instructionFor(
  { payout, tokens }: PayoutState,
  { request, firstSentAt, lastSentAt }: Call,
): Instruction {
  const token = tokens?.[request.psp];
  return {
    operation: request.operation,
    entityKey: request.entityKey,
    route: request.route,
    idempotencyKey: request.pspIdempotencyKey,
    money: { amount: request.amount, currency: request.currency },
    reference: payout.reference,
    customer: { reference: payout.recipient },
    firstSentAt,
    lastSentAt,
    ...(request.pspReference === null ? {} : { pspReference: request.pspReference }),
    ...(token === undefined ? {} : { token }),
    ...(payout.statementDescriptor === null ? {} : { statementDescriptor: payout.statementDescriptor }),
  };
}

/**
 * Brings the payout to where its operation has come: its row, guarded by its version, its history, and
 * the event that tells its merchant.
 */
export function settle(
  state: PayoutState,
  driven: Driven,
  newId: () => string,
  now: Date,
): { readonly state: PayoutState; readonly changes: readonly Change[] } {
  const { payout } = state;
  const moved = { ...state, story: driven.story, call: driven.call };
  const event = eventOf(driven.step);
  if (event === null || !payoutLifecycle.allows(payout.status, event)) {
    return { state: moved, changes: driven.changes };
  }
  const { psp, pspReference } = driven.story.routes.at(-1)!.request;
  const set = {
    status: payoutLifecycle.after(payout.status, event),
    version: payout.version + 1,
    // Nothing is sent any more, so nobody needs to know any longer where the money went.
    sealed: null,
    ...(event === 'paid' ? { psp, pspReference } : { failure: failureIn(driven.step) }),
    updatedAt: now,
  };
  const { merchantId, recipient, id, version } = payout;
  const settled = { ...moved, payout: { ...payout, ...set }, tokens: null };
  return {
    state: settled,
    changes: [
      ...driven.changes,
      update(payouts, { merchantId, recipient, id }, set, { version }),
      // What a PSP told us is the PSP's doing, whoever asked it.
      transitionTo(settled.payout, { event, from: payout.status, actor: `psp:${psp}` }, now),
      ...payoutMoved(payout.status, settled.payout, settled.story, newId, now),
    ],
  };
}

/** The line of its history that explains a payout's version. */
export function transitionTo(
  { merchantId, id, version, status }: Payout,
  { event, from, actor }: { event: PayoutEvent; from: PayoutTransition['fromStatus']; actor: string },
  at: Date,
): Change {
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

function eventOf(step: Step): PayoutEvent | null {
  if (step.do === 'finish') return 'paid';
  return step.do === 'fail' ? 'failed' : null;
}

function failureIn(step: Step): Payout['failure'] {
  if (step.do !== 'fail') return null;
  return failureOf(step.evidence, {
    declined: 'The payout was declined.',
    notDone: 'No PSP could make the payout; nothing was paid.',
  });
}

export function sealTokens(seal: Seal, merchantId: string, payoutId: string, tokens: Tokens): Uint8Array {
  return seal.close(tokens, `payout/${merchantId}/${payoutId}`);
}

export function openTokens(seal: Seal, { merchantId, id, sealed }: Payout): Tokens | null {
  return sealed === null ? null : (seal.open(sealed, `payout/${merchantId}/${id}`) as Tokens);
}
