/** The secrets of an account, as the configuration names them. */
export interface Signing {
  readonly secret: string;
  readonly next: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly names: { readonly secret: string; readonly previous: string };
  /** The credential that holds the address that is notified, where it is signed too. */
  readonly address?: string;
  /** Of an account beside this one, that shares the secret. Null where nothing but the secret tells. */
  readonly other: Readonly<Record<string, string>> | null;
  readonly hasAge: boolean;
  /** Whether a void is told of as the end of the payment, too. */
  readonly tellsOfEnd: boolean;
  /** Whether the PSP tells of a payment that waits; `waits`: of one that waits for the customer it does not. */
  readonly tellsOfWaiting: boolean | 'waits';
  /** False where a refund does not say of which payment it is. */
  readonly tellsParent?: false;
  /** False where notifications hold no amount. */
  readonly tellsAmounts?: false;
  /** False where a dispute is told of again only if it is won. */
  readonly tellsOfLoss?: false;
}
