import {
  type AccountSettings,
  type AdapterEntry,
  asked,
  given,
  previous,
  required,
  signingSecret,
} from '../adapter-entry.js';
import { CheckoutPsp, PUBLIC_URL } from './checkout.psp.js';
import { CheckoutNotices } from './checkout.webhook.js';

export const checkoutAdapter: AdapterEntry = {
  adapter: 'checkout',
  credentials: [
    required('secretKey'),
    { name: 'processingChannel', required: false, secret: false },
    signingSecret('webhookSecret'),
    signingSecret('webhookSecretPrevious'),
  ],
  basePath: false,
  publicUrl: PUBLIC_URL,
  // https://www.checkout.com/docs/developer-resources/api/api-endpoints: live accounts have a prefix of their own.
  hosts: /^(?:[a-z0-9]+\.)?api(?:\.sandbox)?\.checkout\.com$/,
  dashboard: (id, isTest) =>
    `https://dashboard.${isTest ? 'sandbox.' : ''}checkout.com/payments/all-payments/payment/${id}`,
  account: ({ secretKey = '', processingChannel }, configured) =>
    configured ?? processingChannel ?? secretKey,
  takesAccount: () => true,
  mayBeTest: ({ credentials: { secretKey = '' } }) => secretKey.startsWith('sk_sbox_'),
  missing: ({ credentials }) => previous('webhookSecret', credentials),
  create: checkout,
  check: (settings, call) => asked(checkout(settings), call),
  notices: ({ credentials: { webhookSecret, webhookSecretPrevious } }) => {
    const secrets = given(webhookSecret, webhookSecretPrevious);
    return secrets.length > 0 ? new CheckoutNotices({ secrets }) : null;
  },
};

function checkout({ credentials, ...settings }: AccountSettings): CheckoutPsp {
  const { secretKey = '', processingChannel } = credentials;
  return new CheckoutPsp({ ...settings, secretKey, processingChannel });
}
