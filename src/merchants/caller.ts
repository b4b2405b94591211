export const scopes = ['payments:read', 'payments:write', 'payouts:write'] as const;
export type Scope = (typeof scopes)[number];

/** Whoever a request was authenticated as. */
export interface Caller {
  readonly merchantId: string;
  readonly apiKeyId: string;
  readonly scopes: readonly Scope[];
  /** The merchant's: see `Merchant`. Stands here so that no request reads it for itself. */
  readonly duplicateWindowS: number;
}

/** Turns credentials into a caller. */
export interface Authenticator {
  /** `bearer` is what followed "Bearer ". Throws Problem `unauthorized`. */
  authenticate(bearer: string): Promise<Caller>;
}
