import { type Change, insert, update } from '../core/change.js';
import { type Encryption } from '../core/encryption.js';
import { type Instruction } from '../psp/contract.js';
import { type Call, type OperationHistory } from '../request-storage/attempt.js';
import { type StepResult } from '../request-storage/advance.js';
import { entityKey } from '../request-storage/entity-key.js';
import { statedBy } from '../request-storage/statement.js';
import { failureOf } from '../request-storage/route-view.js';
import { type Payout, type PayoutTransition } from './payout.entity.js';
import { payouts, payoutTransitions } from './payout.table.js';
import { payoutMoved } from './payout-events.js';
import { type PayoutEvent, payoutLifecycle } from './payout.lifecycle.js';

/** What only the request itself held: PSP account name to token. Sealed while it may still be needed. */
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
export type StoredPayout = Omit<PayoutState, 'tokens'>;

/**
 * What is sent for a call. Made of stored facts alone, so that a resend of a route is the same to the
 * byte, whichever process sends it.
 */
export function instructionFor({ payout, tokens }: PayoutState, { request, sentAt }: Call): Instruction {
  const token = tokens?.[request.psp];
  return {
    operation: request.operation,
    entityKey: request.entityKey,
    route: request.route,
    idempotencyKey: request.pspIdempotencyKey,
    ...((request.accountFingerprint ?? null) === null ? {} : { carriesKey: true }),
    money: { amount: request.amount, currency: request.currency },
    reference: payout.reference,
    customer: { reference: payout.recipient },
    sentAt,
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
  stepResult: StepResult,
  newId: () => string,
  now: Date,
): { readonly state: PayoutState; readonly changes: readonly Change[] } {
  const { payout } = state;
  const moved = { ...state, history: stepResult.history, call: stepResult.call };
  const event = eventOf(stepResult.step);
  if (event === null || !payoutLifecycle.allows(payout.status, event)) {
    return { state: moved, changes: stepResult.changes };
  }
  const { psp, pspReference } = stepResult.history.routes.at(-1)!.request;
  const set = {
    status: payoutLifecycle.after(payout.status, event),
    version: payout.version + 1,
    // Nothing is sent any more, so where the money went need not be known any longer.
    sealed: null,
    ...(event === 'paid' ? { psp, pspReference } : { failure: failureIn(stepResult.step) }),
    updatedAt: now,
  };
  const { merchantId, recipient, id, version } = payout;
  const settled = { ...moved, payout: { ...payout, ...set }, tokens: null };
  return {
    state: settled,
    changes: [
      ...stepResult.changes,
      update(payouts, { merchantId, recipient, id }, set, { version }),
      transitionTo(settled.payout, { event, from: payout.status, actor: actorOf(stepResult.step, psp) }, now),
      ...payoutMoved(payout.status, settled.payout, settled.history, newId, now),
    ],
  };
}

/** What a PSP said is the PSP's doing, whichever run asked it; a statement is the doing of who made it. */
function actorOf(step: StepResult['step'], psp: string): string {
  const by = step.do === 'finish' ? step.by : step.do === 'fail' ? step.evidence.by : null;
  return (by && statedBy(by)) ?? `psp:${psp}`;
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

function eventOf(step: StepResult['step']): PayoutEvent | null {
  if (step.do === 'finish') return 'paid';
  return step.do === 'fail' ? 'failed' : null;
}

function failureIn(step: StepResult['step']): Payout['failure'] {
  if (step.do !== 'fail') return null;
  return failureOf(step.evidence, {
    declined: 'The payout was declined.',
    notDone: 'No PSP could make the payout; nothing was paid.',
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

export function decryptTokens(seal: Encryption, { merchantId, id, sealed }: Payout): Tokens | null {
  return sealed === null ? null : (seal.decrypt(sealed, `payout/${merchantId}/${id}`) as Tokens);
}
