/** What becomes of a payout to a bank account, which the PSP's token of it decides. */
export type PayoutBehaviour =
  | { readonly does: 'pay' }
  /** Accepted for later: the answer says no more than that it was received. */
  | { readonly does: 'receive' }
  /** A payout that is there, and failed; no money moves. */
  | { readonly does: 'fail'; readonly code: string }
  /** The request itself is refused. */
  | { readonly does: 'refuse'; readonly code: string };

/** https://docs.stripe.com/error-codes: what Stripe refuses a payout with, in these words. */
const STRIPE_REFUSALS: Readonly<Record<string, string>> = {
  balance_insufficient: 'You have insufficient available funds in your Stripe account.',
  bank_account_unusable: 'The bank account provided cannot be used for payouts.',
  payouts_not_allowed: 'Payouts are currently disabled on this account.',
};

/** https://docs.stripe.com/api/payouts/failures: failure_code and what is said with it. */
const STRIPE_FAILURES: Readonly<Record<string, string>> = {
  account_closed: 'The bank account has been closed.',
  account_frozen: 'The bank account has been frozen.',
  no_account: 'The bank account could not be located.',
  invalid_account_number: 'The bank account number is invalid.',
  insufficient_funds: 'Your Stripe account has insufficient funds to cover the payout.',
};

/** `ba_fail_<failure_code>`, `ba_refuse_<error code>`, any other `ba_…` or `card_…`; else undefined. */
export function stripeDestination(token: string): PayoutBehaviour | undefined {
  if (token.startsWith('ba_fail_')) return stripePayoutDecline(token.slice('ba_fail_'.length));
  if (token.startsWith('ba_refuse_')) return { does: 'refuse', code: token.slice('ba_refuse_'.length) };
  return /^(ba|card)_/.test(token) ? { does: 'pay' } : undefined;
}

/** What a code means that is named by a fault or a token. */
export function stripePayoutDecline(code: string): PayoutBehaviour {
  return { does: Object.hasOwn(STRIPE_REFUSALS, code) ? 'refuse' : 'fail', code };
}

export function stripeRefusalMessage(code: string): string {
  return STRIPE_REFUSALS[code] ?? 'The payout cannot be created.';
}

export function stripeFailureMessage(code: string): string {
  return STRIPE_FAILURES[code] ?? 'The bank could not process the payout.';
}

/** transferInstrumentId: `refuse_<reason>`, `received`, `error`; anything else is paid. */
export function adyenTransferInstrument(token: string): PayoutBehaviour {
  if (token.startsWith('refuse_')) return { does: 'refuse', code: token.slice('refuse_'.length) };
  if (token === 'received') return { does: 'receive' };
  if (token === 'error') return { does: 'fail', code: 'error' };
  return { does: 'pay' };
}
