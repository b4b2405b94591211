import { adapterNamed } from './registry.js';

/** A PSP account, as far as its dashboard goes. */
interface DashboardAccount {
  readonly adapter: string;
  readonly baseUrl?: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/**
 * The page of this payment at the PSP, for people; null if there is no such page: the account is at a simulator or at a
 * bank, or the id has another form. Addresses: Stripe's and Adyen's documentation of their dashboards.
 */
export function dashboardUrl(account: DashboardAccount, pspReference: string | null): string | null {
  const entry = adapterNamed(account.adapter);
  if (!entry || pspReference === null || !/^\w{1,64}$/.test(pspReference)) return null;
  const { hostname } = new URL(account.baseUrl ?? entry.publicUrl);
  if (!entry.hosts?.test(hostname)) return null;
  return entry.dashboard?.(pspReference, entry.mayBeTest(account)) ?? null;
}
