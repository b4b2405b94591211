import { type Stripe } from 'stripe';
import { markUnsent } from '../network-error.js';
import { isAccountNamed } from '../account.js';

/**
 * Holds a secret key that does not name its account to the configured one: Stripe is asked before the first request under
 * the key. A key of another account knows nothing of what was sent, and would do it again.
 * https://docs.stripe.com/api/accounts/retrieve (read 2026-11)
 */
export class StripeAccount {
  private isConfirmed: boolean;

  /** @param account as configured; undefined where the key names its account, or nothing is configured */
  constructor(
    private readonly stripe: Stripe,
    private readonly account: string | undefined,
  ) {
    this.isConfirmed = account === undefined;
  }

  /** @throws an error that proves that nothing of the operation was sent */
  async confirm(options?: Stripe.RequestOptions): Promise<void> {
    if (this.isConfirmed) return;
    const { id } = await this.stripe.accounts.retrieveCurrent({}, options).catch((cause: unknown) => {
      throw unsent('account_not_confirmed', 'Stripe did not say whose the secret key is', cause);
    });
    if (!isAccountNamed(id, this.account!)) {
      throw unsent('wrong_account', 'The secret key is of another account than the one that is configured');
    }
    this.isConfirmed = true;
  }
}

/** No error of the SDK, which could be read as an answer about the operation. */
function unsent(code: string, message: string, cause?: unknown): Error {
  return markUnsent(Object.assign(new Error(message, { cause }), { code }));
}
