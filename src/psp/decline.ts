import { type DeclineAdvice, type DeclineCategory } from './contract.js';

/**
 * Which PSP may be tried after a decline. Insufficient funds, and everything the schemes call
 * final, is `never`: a second acquirer cannot change it, and reattempts are fined.
 */
export const adviceFor: Readonly<Record<DeclineCategory, DeclineAdvice>> = {
  do_not_honor: 'elsewhere',
  try_again_later: 'elsewhere',
  issuer_unavailable: 'elsewhere',
  processing_error: 'elsewhere',
  not_supported: 'elsewhere',
  authentication_required: 'authenticate',
  insufficient_funds: 'never',
  card_expired: 'never',
  card_invalid: 'never',
  card_lost_or_stolen: 'never',
  card_restricted: 'never',
  cvc_invalid: 'never',
  pin_invalid: 'never',
  limit_exceeded: 'never',
  fraud_suspected: 'never',
  revoked: 'never',
  blocked: 'never',
  authorization_canceled: 'never',
  account_invalid: 'never',
  declined: 'never',
};
