import { type Answered } from '../request-storage/attempt.js';
import { audit } from '../database/audit.js';
import { insert } from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type Begun, type KeyedRun, makeCall, type Operation } from '../idempotency/operation.js';
import { type PspRouter } from '../psp/router.js';
import { startOperation } from '../request-storage/advance.js';
import { entityKey, pspIdempotencyKey, refuseForgottenKey } from '../request-storage/entity-key.js';
import { type Payout } from './payout.entity.js';
import { payouts } from './payout.table.js';
import { PayoutFlow, type PayoutFlowDeps } from './payout-flow.js';
import { type PayoutState, encryptTokens, transitionTo } from './payout-state.js';
import { type NewPayout } from './payouts.js';
import { refuseOutOfTurn, type Sequences } from './sequence.js';

export const CREATE_PAYOUT = 'POST /v1/payouts';

/** Picks the PSP accounts that may be asked, best first. */
export type PayoutCandidates = (ask: NewPayout, drawnFrom: string) => readonly string[];

/** By the routing rules, of which conditions on a card match no payout. */
export function candidatesOf(router: PspRouter): PayoutCandidates {
  return ({ amount, currency, recipient }, drawnFrom) =>
    router.candidates(
      { operation: 'payout', amount, currency, tokens: Object.keys(recipient.tokens) },
      drawnFrom,
    );
}

export interface CreatePayoutDeps extends PayoutFlowDeps {
  readonly ids: Ids;
  readonly candidates: PayoutCandidates;
  readonly sequences: Sequences;
}

/**
 * Takes a payout from asked-for to paid. Two commits and one call, when all is well. Whether it is the
 * recipient's turn is not read beforehand, for that could change before it is written: the first
 * commit itself breaks a rule of the database where it is not. Only then the sequence is read, to say why.
 */
export function createPayoutFlow(deps: CreatePayoutDeps): Operation<NewPayout, PayoutState, Answered> {
  const flow = new PayoutFlow(deps);
  return {
    name: CREATE_PAYOUT,
    readsFirst: false,
    async begin(ask, run, refused) {
      refuseForgottenKey(refused);
      if (refused) await refuseOutOfTurn(deps.sequences, run.merchantId, ask);
      return begin(deps, ask, run);
    },
    load: (payoutId, _params, _point, { merchantId }) => flow.read({ merchantId, paymentId: null, payoutId }),
    ...flow.steps,
  };
}

/** Opens the payout and route 1 with its first attempt: nothing is read, one statement writes it all. */
function begin(
  { seal, clock, ids, candidates, storage }: CreatePayoutDeps,
  ask: NewPayout,
  run: KeyedRun,
): Begun<PayoutState> {
  const now = clock.now();
  const id = ids.uuid();
  const { merchantId, actor } = run;
  const { reference: recipient, tokens } = ask.recipient;
  const { reference, amount, currency, previous, statementDescriptor, metadata } = ask;
  const keyAtPsp = pspIdempotencyKey.ofRequest(merchantId, CREATE_PAYOUT, run.key);
  const able = candidates(ask, keyAtPsp);
  const [first] = able;
  if (first === undefined) {
    throw new Problem(
      'no_route',
      'No PSP account has a token in recipient.tokens, makes payouts and takes this currency.',
    );
  }
  const payout: Payout = {
    merchantId,
    recipient,
    id,
    version: 1,
    reference,
    status: 'processing',
    amount,
    currency,
    statementDescriptor,
    metadata: { ...metadata },
    candidates: [...able],
    sealed: encryptTokens(seal, merchantId, id, tokens),
    psp: null,
    pspReference: null,
    failure: null,
    previous,
    createdAt: now,
    updatedAt: now,
  };
  const opening = {
    merchantId,
    paymentId: null,
    payoutId: id,
    entityKey: entityKey.send(id),
    operation: 'payout',
    amount,
    currency,
    pspIdempotencyKey: keyAtPsp,
  } as const;
  const stepResult = startOperation(opening, storage.accountAt(first), run, now);
  // It may be an e-mail address, and an audit record is never deleted: equal from different is all it tells.
  const recipientDigest = seal.digest(`payout-recipient:${merchantId}:${recipient}`);
  const detail = { amount, currency, recipient_digest: recipientDigest, previous, psp: first };
  const changes = [
    insert(payouts, payout),
    ...stepResult.changes,
    transitionTo(payout, { event: 'opened', from: null, actor }, now),
    audit({
      merchantId,
      id: ids.uuid(),
      at: now,
      actor,
      action: 'payout.opened',
      subject: `payout:${id}`,
      detail,
    }),
  ];
  const state: PayoutState = { payout, history: stepResult.history, tokens, call: stepResult.call };
  return { subjectId: id, params: {}, decision: makeCall(state, changes) };
}
