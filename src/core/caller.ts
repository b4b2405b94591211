import { type MerchantSettings } from './merchant-settings.js';

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
 * The merchant and the key or service that a request was authenticated as; with the merchant's settings, so that no
 * request reads them for itself.
 */
export interface Caller extends MerchantSettings {
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
}

/** The caller's name in audit records: `api-key:<id>` or `service:<name>`. */
export function actorOf({ apiKeyId }: Pick<Caller, 'apiKeyId'>): string {
  return apiKeyId.startsWith(SERVICE) ? apiKeyId : `api-key:${apiKeyId}`;
}

export const SERVICE = 'service:';
