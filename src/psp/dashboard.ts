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
  const isTest = entry.mayBeTest(account);
  if (hostname === 'api.stripe.com') {
    return `https://dashboard.stripe.com/${isTest ? 'test/' : ''}payments/${pspReference}`;
  }
  if (/(?:^|\.)adyen(?:payments)?\.com$/.test(hostname)) {
    const page = 'ca/ca/accounts/showTx.shtml?txType=Payment&pspReference=';
    return `https://ca-${isTest ? 'test' : 'live'}.adyen.com/${page}${pspReference}`;
  }
  return null;
}
