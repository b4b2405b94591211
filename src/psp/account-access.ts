/** The merchant of an operation, and its mode. */
export interface PspClient {
  readonly merchantId: string;
  /** It is of a merchant's test mode: no money of it may be real. */
  readonly isTest: boolean;
}

export interface AccountAccess {
  /** The merchants that the account is for; absent or null: it is shared by all. */
  readonly merchants?: ReadonlySet<string> | null;
  /** Nothing that it does moves real money. Absent: it does. */
  readonly isTest?: boolean;
  /** No payment or payout begins there; what began there goes on. */
  readonly isDisabled?: boolean;
}

/** Whether it is shared by all, or for this merchant among others. */
export function isFor({ merchants }: AccountAccess, merchantId: string): boolean {
  return merchants?.has(merchantId) ?? true;
}

/**
 * Why an operation of this client may not begin at the account, as the end of a sentence about the account; null
 * where it may. `liveReachesTest`: whether operations that are not of test mode may begin at accounts of test mode,
 * as on a developer's machine; in production a customer would have goods for no money.
 */
export function reasonToRefuse(
  account: AccountAccess,
  client: PspClient,
  liveReachesTest: boolean,
): string | null {
  const { isTest = false } = account;
  if (client.isTest && !isTest) return 'is not an account of test mode, and the credential is of test mode';
  if (!client.isTest && isTest && !liveReachesTest) {
    return 'is an account of test mode, and the credential is not of test mode';
  }
  return isFor(account, client.merchantId) ? null : 'is not for this merchant';
}
