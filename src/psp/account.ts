import { createHash } from 'node:crypto';

/** Which account it is that a name stands for: what must be the same for a PSP to know our keys and names. */
export interface AccountIdentity {
  readonly adapter: string;
  /** The address of the account. */
  readonly url: string;
  /** The PSP's name of the account, or its credentials if that name is not known. */
  readonly account: string;
}

/**
 * A digest of it, stored on every route. The same name may stand for another account after a restart, and
 * that one knows nothing of what the first was sent. Paths do not count: versions of an API change.
 */
export function accountFingerprint({ adapter, url, account }: AccountIdentity): string {
  const text = JSON.stringify([adapter, new URL(url).origin, account]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** The same with the part of the account that only some operations use: where payouts go, and what they are taken from. */
export function withPart(fingerprint: string, part: Pick<AccountIdentity, 'url' | 'account'>): string {
  return `${fingerprint}.${accountFingerprint({ adapter: '', ...part })}`;
}

/** Both are of one account. A route that was opened before its part was recorded is known by the account alone. */
export function isSameAccount(opened: string, configured: string): boolean {
  return opened === configured || (!opened.includes('.') && configured.startsWith(`${opened}.`));
}

/** "sk_live_51…": behind the 5 stand the 16 characters that the account's id has behind `acct_`. */
const MODERN_KEY = /^[sr]k_(live|test)_5(1[A-Za-z0-9]{15})[A-Za-z0-9]{40,}$/;

/** The account that a secret key of Stripe's names; null for the older keys, which name none. */
export function accountInStripeKey(secretKey: string): string | null {
  const [, mode, account] = MODERN_KEY.exec(secretKey) ?? [];
  return account === undefined ? null : `${mode} ${account}`;
}

/** The part that every key of one account at Stripe shares, live or test; else the key itself. */
export function stripeAccount(secretKey: string, configured: string | undefined): string {
  const known = accountInStripeKey(secretKey);
  if (known !== null) return known;
  if (configured === undefined) return secretKey;
  return `${/_test_/.test(secretKey) ? 'test' : 'live'} ${withoutPrefix(configured)}`;
}

/** True if Stripe's id is the configured account, which may be written without `acct_`. */
export function isAccountNamed(id: string, configured: string): boolean {
  return withoutPrefix(id) === withoutPrefix(configured);
}

/** Whether a configured account can be the one that the key names. */
export function isAccountOfStripeKey(secretKey: string, configured: string): boolean {
  const known = accountInStripeKey(secretKey);
  return known === null || known.endsWith(` ${withoutPrefix(configured)}`);
}

function withoutPrefix(account: string): string {
  return account.replace(/^acct_/, '');
}
