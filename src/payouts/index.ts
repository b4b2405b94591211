/**
 * payouts: money out, one payout after another for each recipient.
 */
export { createPayoutFlow, type CreatePayoutDeps, type PayoutCandidates } from './create-payout.flow.js';
export { PayoutFlow, type PayoutFlowDeps } from './payout-flow.js';
export {
  type Payout,
  PayoutEntity,
  payouts,
  PayoutTransitionEntity,
  payoutTransitions,
} from './payout.entity.js';
export { type PayoutEventType, payoutEventTypes } from './payout-events.js';
export { payoutLifecycle } from './payout.lifecycle.js';
export { PayoutReader } from './payout.reader.js';
export { type PayoutsDeps, PayoutsService } from './payouts.service.js';
export { type Sequences, type Tail } from './sequence.js';
export * from './payouts.js';
