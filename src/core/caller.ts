export const scopes = [
  'payments:read',
  'payments:write',
  'payouts:write',
  'recipients:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
] as const;
export type Scope = (typeof scopes)[number];

/** The scope with which a key sends money to others than those who paid. */
export const PAYOUTS = 'payouts:write' satisfies Scope;

/**
 * Whom a merchant pays out to. `any`: every recipient that a payout names; `registered`: those that it has registered,
 * with the tokens that it registered; `approved`: those of them that an operator has approved.
 */
export const recipientRules = ['any', 'registered', 'approved'] as const;
export type RecipientRule = (typeof recipientRules)[number];

/** `automatic`: an orphan effect is given back at once; `approve`: once a person approved. */
export const orphanPolicies = ['automatic', 'approve'] as const;
export type OrphanPolicy = (typeof orphanPolicies)[number];

/** The merchant and the key or service that a request was authenticated as. */
export interface Caller {
  readonly merchantId: string;
  /** `service:<name>` of a service that has no key: it is known by a signed token or a certificate. */
  readonly apiKeyId: string;
  /** The address that a request over HTTP came from. For audit records. */
  readonly sourceAddress?: string;
  readonly scopes: readonly Scope[];
  /** The key is taken only with a client certificate of its merchant. */
  readonly needsCertificate: boolean;
  /** It is of test mode: it reaches PSP accounts of test mode alone. */
  readonly isTest: boolean;
  /** The merchant's setting, see `Merchant`: here, so that no request reads it for itself. */
  readonly duplicateWindowS: number;
  /** The merchant's. */
  readonly payoutRecipients: RecipientRule;
  /** Requests a second that the merchant may send; null: as the configuration says. */
  readonly requestRate: number | null;
}

/** The caller's name in audit records: `api-key:<id>` or `service:<name>`. */
export function actorOf({ apiKeyId }: Pick<Caller, 'apiKeyId'>): string {
  return apiKeyId.startsWith(SERVICE) ? apiKeyId : `api-key:${apiKeyId}`;
}

export const SERVICE = 'service:';
