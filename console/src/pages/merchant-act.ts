import { type MerchantPageView, type SettingView } from '../../../src/console/installation-views.js';

type PayoutLimit = MerchantPageView['payout_limits'][number];

/** What an administrator may do to a merchant; which of it is being asked for. */
export type MerchantAct =
  | { readonly act: 'set'; readonly setting: SettingView }
  | { readonly act: 'rename'; readonly name: string }
  | { readonly act: 'key' }
  | {
      readonly act: 'rotate' | 'revoke';
      readonly id: string;
      readonly prefix: string;
      readonly paysOut: boolean;
    }
  | { readonly act: 'endpoint' }
  | {
      readonly act: 'endpoint-act';
      readonly way: 'rotate' | 'disable' | 'enable' | 'ping';
      readonly id: string;
      readonly url: string;
    }
  | { readonly act: 'limit' }
  | { readonly act: 'unlimit'; readonly limit: PayoutLimit };

export interface To<Act extends MerchantAct['act']> {
  readonly merchantId: string;
  readonly of: Extract<MerchantAct, { readonly act: Act }>;
  readonly close: () => void;
}

export const pathOf = (merchantId: string, act: string) =>
  `merchants/${encodeURIComponent(merchantId)}/${act}`;
