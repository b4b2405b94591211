import { type MerchantPageView } from '../../../src/ops/installation-views.js';

type PayoutLimit = MerchantPageView['payout_limits'][number];
export type OrphanPolicy = MerchantPageView['merchant']['orphans'];
export type RecipientRule = MerchantPageView['merchant']['payout_recipients'];

/** What an administrator may do to a merchant; which of it is being asked for. */
export type MerchantAct =
  | { readonly act: 'window'; readonly seconds: number }
  | { readonly act: 'key' }
  | {
      readonly act: 'rotate' | 'revoke';
      readonly id: string;
      readonly prefix: string;
      readonly paysOut: boolean;
    }
  | { readonly act: 'limit' }
  | { readonly act: 'unlimit'; readonly limit: PayoutLimit }
  | { readonly act: 'recipients'; readonly rule: RecipientRule }
  | { readonly act: 'orphans'; readonly policy: OrphanPolicy }
  | { readonly act: 'rate'; readonly perSecond: number | null };

export interface To<Act extends MerchantAct['act']> {
  readonly merchantId: string;
  readonly of: Extract<MerchantAct, { readonly act: Act }>;
  readonly close: () => void;
}

export const pathOf = (merchantId: string, act: string) =>
  `merchants/${encodeURIComponent(merchantId)}/${act}`;
