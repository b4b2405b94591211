import { audit, type Ids, insert, Problem } from '../kernel/index.js';
import { type Begun, type Flow, moveTo, type Run } from '../idempotency/index.js';
import { entityKey, open } from '../request-storage/index.js';
import { type Payout, payouts } from './payout.entity.js';
import { PayoutFlow, type PayoutFlowDeps } from './payout-flow.js';
import { type PayoutState, sealTokens, transitionTo } from './payout-state.js';
import { type PayoutAsk } from './payouts.js';
import { refuseOutOfTurn, type Sequences } from './sequence.js';

export const CREATE_PAYOUT = 'POST /v1/payouts';

/** Picks the PSP accounts that may be asked, best first. */
export type PayoutCandidates = (ask: PayoutAsk, payoutId: string) => readonly string[];

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
export function createPayoutFlow(deps: CreatePayoutDeps): Flow<PayoutAsk, PayoutState> {
  const flow = new PayoutFlow(deps);
  return {
    operation: CREATE_PAYOUT,
    readsFirst: false,
    async begin(ask, run, refused) {
      if (refused > 0) await refuseOutOfTurn(deps.sequences, run.merchantId, ask);
      return begin(deps, ask, run);
    },
    load: (payoutId, _params, _point, { merchantId }) => flow.read({ merchantId, paymentId: null, payoutId }),
    resume: (state, run) => flow.next(state, run),
    busy: (state) => flow.paused(state, deps.clock.now()),
    phases: flow.phases,
  };
}

/** Opens the payout and route 1 with its first attempt: nothing is read, one statement writes it all. */
function begin(
  { seal, clock, ids, candidates }: CreatePayoutDeps,
  ask: PayoutAsk,
  run: Run,
): Begun<PayoutState> {
  const now = clock.now();
  const id = ids.uuid();
  const { merchantId, actor, lockToken: token, leaseMs, traceId } = run;
  const { reference: recipient, tokens } = ask.recipient;
  const { reference, amount, currency, previous, statementDescriptor, metadata } = ask;
  const able = candidates(ask, id);
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
    sealed: sealTokens(seal, merchantId, id, tokens),
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
  } as const;
  const driven = open(opening, first, { token, leaseMs, traceId }, now);
  const detail = { amount, currency, recipient, previous, psp: first };
  const changes = [
    insert(payouts, payout),
    ...driven.changes,
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
  const state: PayoutState = { payout, story: driven.story, tokens, call: driven.call };
  return { subjectId: id, params: {}, decision: moveTo('accepted', state, changes) };
}
