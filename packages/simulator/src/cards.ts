/** What the issuer behind a token does. */
export type Behaviour =
  | { readonly does: 'approve' }
  | { readonly does: 'decline'; readonly code: string }
  | { readonly does: 'authenticate' }
  | { readonly does: 'wait' };

/** Stripe's own test tokens, and `pm_decline_<decline_code>` for every code. */
const STRIPE_DECLINES: Readonly<Record<string, string>> = {
  chargeDeclined: 'generic_decline',
  chargeDeclinedDoNotHonor: 'do_not_honor',
  chargeDeclinedInsufficientFunds: 'insufficient_funds',
  chargeDeclinedLostCard: 'lost_card',
  chargeDeclinedStolenCard: 'stolen_card',
  chargeDeclinedExpiredCard: 'expired_card',
  chargeDeclinedIncorrectCvc: 'incorrect_cvc',
  chargeDeclinedProcessingError: 'processing_error',
  chargeDeclinedFraudulent: 'fraudulent',
  chargeDeclinedVelocityLimitExceeded: 'card_velocity_exceeded',
};

export function stripeToken(token: string): Behaviour | undefined {
  if (token.startsWith('pm_decline_')) return { does: 'decline', code: token.slice('pm_decline_'.length) };
  if (!/^(pm|card|src|tok)_/.test(token)) return undefined;
  const name = token.replace(/^(pm|tok)_(card_)?(visa_|mastercard_)?/, '');
  if (Object.hasOwn(STRIPE_DECLINES, name)) return { does: 'decline', code: STRIPE_DECLINES[name] ?? name };
  if (name === 'authenticationRequired' || name === 'threeDSecure2Required') return { does: 'authenticate' };
  if (name === 'processing') return { does: 'wait' };
  return { does: 'approve' };
}

const DEBITS = new Set(['sepa_debit', 'bacs_debit', 'us_bank_account']);

/**
 * The customer is asked on the page of the bank or the wallet, and a bank answers a debit days later. Tokens that
 * decline do so at once.
 */
export function stripeMethod(type: string, token: string): Behaviour {
  const behaviour = stripeToken(token) ?? { does: 'approve' };
  if (type === 'card' || behaviour.does === 'decline') return behaviour;
  return { does: DEBITS.has(type) ? 'wait' : 'authenticate' };
}

/** What becomes of refunds to this card: Stripe's own test tokens `…refundFail` and `…pendingRefund`. */
export function stripeRefundToken(token: string): 'succeeded' | 'pending' | 'failed' {
  if (token.endsWith('_refundFail')) return 'failed';
  return token.endsWith('_pendingRefund') ? 'pending' : 'succeeded';
}

/** Codes that Stripe names on the error itself, without a decline_code. */
const STRIPE_OWN_CODES = new Set(['expired_card', 'incorrect_cvc', 'processing_error', 'incorrect_number']);

const STRIPE_MESSAGES: Readonly<Record<string, string>> = {
  insufficient_funds: 'Your card has insufficient funds.',
  expired_card: 'Your card has expired.',
  incorrect_cvc: "Your card's security code is incorrect.",
  processing_error: 'An error occurred while processing your card. Try again in a little bit.',
  incorrect_number: 'Your card number is incorrect.',
  authentication_required: 'Your card was declined. This transaction requires authentication.',
  authentication_not_handled: 'Your card was declined. This transaction requires authentication.',
};

export interface StripeDecline {
  readonly code: string;
  readonly decline_code?: string;
  readonly message: string;
}

export function stripeDecline(code: string): StripeDecline {
  const message = STRIPE_MESSAGES[code] ?? 'Your card was declined.';
  if (STRIPE_OWN_CODES.has(code)) return { code, message };
  if (code === 'authentication_required' || code === 'authentication_not_handled') {
    return { code: 'authentication_required', decline_code: code, message };
  }
  return { code: 'card_declined', decline_code: code, message };
}

/** How the shopper is to act. */
export type AdyenAction = 'redirect' | 'redirect_post' | 'redirect_long' | 'fingerprint' | 'challenge';

/**
 * storedPaymentMethodId: `refuse_<code>`, `redirect`, `redirect_post`, `redirect_long`, `redirect_refuse_<code>`,
 * `threeds2`, `pending`, `received`, `error`.
 */
export type AdyenBehaviour =
  | Exclude<Behaviour, { does: 'authenticate' }>
  | {
      readonly does: 'authenticate';
      readonly action: AdyenAction;
      /** What the issuer says afterwards; absent: yes. */
      readonly refusal?: string;
    }
  | { readonly does: 'receive' }
  | { readonly does: 'fail' };

const ADYEN_ACTIONS: Readonly<Record<string, AdyenAction>> = {
  redirect: 'redirect',
  redirect_post: 'redirect_post',
  redirect_long: 'redirect_long',
  threeds2: 'fingerprint',
};
const REDIRECT_REFUSE = 'redirect_refuse_';

export function adyenToken(token: string): AdyenBehaviour {
  if (token.startsWith('refuse_')) return { does: 'decline', code: token.slice('refuse_'.length) };
  if (token.startsWith(REDIRECT_REFUSE)) {
    return { does: 'authenticate', action: 'redirect', refusal: token.slice(REDIRECT_REFUSE.length) };
  }
  const action = Object.hasOwn(ADYEN_ACTIONS, token) ? ADYEN_ACTIONS[token] : undefined;
  if (action !== undefined) return { does: 'authenticate', action };
  if (token === 'pending') return { does: 'wait' };
  if (token === 'received') return { does: 'receive' };
  if (token === 'error') return { does: 'fail' };
  return { does: 'approve' };
}

/** refusalReasonCode to refusalReason, as Adyen documents them. */
const ADYEN_REASONS: Readonly<Record<string, string>> = {
  '2': 'Refused',
  '3': 'Referral',
  '4': 'Acquirer Error',
  '5': 'Blocked Card',
  '6': 'Expired Card',
  '7': 'Invalid Amount',
  '8': 'Invalid Card Number',
  '9': 'Issuer Unavailable',
  '10': 'Not supported',
  '11': '3D Not Authenticated',
  '12': 'Not enough balance',
  '14': 'Acquirer Fraud',
  '15': 'Cancelled',
  '16': 'Shopper Cancelled',
  '17': 'Invalid Pin',
  '18': 'Pin tries exceeded',
  '19': 'Pin validation not possible',
  '20': 'FRAUD',
  '21': 'Not Submitted',
  '22': 'FRAUD-CANCELLED',
  '23': 'Transaction Not Permitted',
  '24': 'CVC Declined',
  '25': 'Restricted Card',
  '26': 'Revocation Of Auth',
  '27': 'Declined Non Generic',
  '28': 'Withdrawal amount exceeded',
  '29': 'Withdrawal count exceeded',
  '31': 'Issuer Suspected Fraud',
  '32': 'AVS Declined',
  '33': 'Card requires online pin',
  '34': 'No checking account available on Card',
  '35': 'No savings account available on Card',
  '36': 'Mobile pin required',
  '37': 'Contactless fallback',
  '38': 'Authentication required',
  '39': 'RReq not received from DS',
  '40': 'Current AID is in Penalty Box',
  '41': 'CVM Required Restart Payment',
  '42': '3DS Authentication Error',
  '43': 'Online PIN required',
  '44': 'Try another interface',
  '45': 'Chip downgrade mode',
  '46': 'Transaction blocked by Adyen to prevent excessive retry fees',
};

export function adyenReason(code: string): string {
  return ADYEN_REASONS[code] ?? 'Refused';
}
