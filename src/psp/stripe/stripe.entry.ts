import {
  type AccountSettings,
  type AdapterEntry,
  asked,
  given,
  previous,
  required,
  signingSecret,
} from '../adapter-entry.js';
import { accountInStripeKey, isAccountOfStripeKey, stripeAccount } from '../account.js';
import { keylessCapabilities, StripePsp } from './stripe.psp.js';
import { stripeBalance } from './stripe-balance.js';
import { stripeReport } from './stripe-report.js';
import { StripeReports } from './stripe.reports.js';
import { StripeNotices } from './stripe.webhook.js';

const stripeEntry = {
  credentials: [
    required('secretKey'),
    signingSecret('webhookSecret'),
    signingSecret('webhookSecretPrevious'),
  ],
  basePath: false,
  publicUrl: 'https://api.stripe.com',
  hosts: /^api\.stripe\.com$/,
  dashboard: (id, isTest) => `https://dashboard.stripe.com/${isTest ? 'test/' : ''}payments/${id}`,
  account: ({ secretKey = '' }, configured) => stripeAccount(secretKey, configured),
  takesAccount: ({ secretKey = '' }, configured) => isAccountOfStripeKey(secretKey, configured),
  // Stripe decides by the key alone, at any address.
  mayBeTest: ({ credentials: { secretKey = '' } }) => /^[sr]k_test_/.test(secretKey),
  missing: ({ credentials }) => previous('webhookSecret', credentials),
  notices: ({ credentials: { webhookSecret, webhookSecretPrevious } }) => {
    const secrets = given(webhookSecret, webhookSecretPrevious);
    return secrets.length > 0 ? new StripeNotices({ secrets }) : null;
  },
  check: (settings, call) => asked(stripe(settings), call),
  reportFormats: [
    ['balance_transaction_id', () => stripeReport],
    [stripeBalance.list, () => stripeBalance],
  ],
  reports: ({ credentials, ...settings }) =>
    new StripeReports({ ...settings, ...stripeKey(credentials, settings.account) }),
} satisfies Partial<AdapterEntry>;

function stripe({ credentials, ...settings }: AccountSettings): StripePsp {
  return new StripePsp({ ...settings, ...stripeKey(credentials, settings.account) });
}

/** The account that the key has to be of is asked for only where the key does not name it. */
function stripeKey({ secretKey = '' }: AccountSettings['credentials'], account: string | undefined) {
  return { secretKey, account: accountInStripeKey(secretKey) === null ? account : undefined };
}

export const stripeAdapter: AdapterEntry = {
  ...stripeEntry,
  adapter: 'stripe',
  create: stripe,
};

/** Speaks Stripe's API but remembers no Idempotency-Key: as many smaller PSPs do. */
export const keylessAdapter: AdapterEntry = {
  ...stripeEntry,
  adapter: 'keyless',
  hosts: null,
  create: ({ credentials, ...settings }) =>
    new StripePsp({
      ...settings,
      ...stripeKey(credentials, settings.account),
      capabilities: keylessCapabilities,
    }),
};
