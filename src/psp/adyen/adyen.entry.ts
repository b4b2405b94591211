import {
  type AccountSettings,
  type AdapterEntry,
  asked,
  given,
  hmacKey,
  isLocal,
  optional,
  previous,
  required,
} from '../adapter-entry.js';
import { type NotificationReader } from '../notification.js';
import { type AdyenOptions, AdyenPsp, PUBLIC_TRANSFERS_URL } from './adyen.psp.js';
import { adyenReport } from './adyen-report.js';
import { AdyenReports } from './adyen.reports.js';
import { AdyenNotices } from './adyen.webhook.js';

export const adyenAdapter: AdapterEntry = {
  adapter: 'adyen',
  credentials: [
    required('apiKey'),
    { name: 'merchantAccount', required: true, secret: false },
    hmacKey('hmacKey'),
    hmacKey('hmacKeyPrevious'),
    // Payouts; without a balance account there are none.
    { name: 'balanceAccount', required: false, secret: false },
    { name: 'transfersBaseUrl', required: false, secret: false, url: { takes: ['transfersApiKey'] } },
    optional('transfersApiKey'),
    // The keys of the balance platform's webhooks; the account's own if absent.
    hmacKey('transfersHmacKey'),
    hmacKey('transfersHmacKeyPrevious'),
    // Reports; without an address there are none.
    {
      name: 'reportsBaseUrl',
      required: false,
      secret: false,
      url: { takes: ['reportsApiKey', 'reportsPassword'] },
    },
    optional('reportsApiKey'),
    { name: 'reportsUser', required: false, secret: false },
    optional('reportsPassword'),
  ],
  basePath: true,
  publicUrl: 'https://checkout-test.adyen.com',
  // https://docs.adyen.com/development-resources/live-endpoints
  hosts: /^(?:[a-z0-9-]+\.)+(?:adyen|adyenpayments)\.com$/,
  dashboard: (id, isTest) =>
    `https://ca-${isTest ? 'test' : 'live'}.adyen.com/ca/ca/accounts/showTx.shtml?txType=Payment&pspReference=${id}`,
  account: ({ merchantAccount = '' }) => merchantAccount,
  payoutsAt: ({ balanceAccount, transfersBaseUrl }) =>
    balanceAccount === undefined
      ? null
      : { url: transfersBaseUrl ?? PUBLIC_TRANSFERS_URL, account: balanceAccount },
  takesAccount: ({ merchantAccount }, configured) => configured === merchantAccount,
  mayBeTest: ({ baseUrl, credentials: { transfersBaseUrl } }) =>
    given(baseUrl, transfersBaseUrl).every((url) => isAdyenTest(new URL(url).hostname)),
  // A configuration that says where payments go says where payouts go: never a test address beside a live one.
  missing: ({ baseUrl, credentials }) => [
    ...(baseUrl !== undefined && 'balanceAccount' in credentials && !('transfersBaseUrl' in credentials)
      ? ['transfersBaseUrl']
      : []),
    ...previous('hmacKey', credentials),
    ...previous('transfersHmacKey', credentials),
    ...missingForReports(credentials),
  ],
  create: adyen,
  check: (settings, call) => asked(adyen(settings), call),
  notices: ({ credentials }) => adyenNotices(credentials),
  reportsAreOf: ({ credentials: { merchantAccount } }) => merchantAccount,
  reportFormats: [['Modification Reference', adyenReport]],
  reports: ({ credentials: { merchantAccount, reportsBaseUrl, reportsApiKey, ...basic } }) => {
    if (reportsBaseUrl === undefined) return null;
    const { reportsUser: user = '', reportsPassword: password = '' } = basic;
    const signIn = reportsApiKey === undefined ? { user, password } : { apiKey: reportsApiKey };
    return new AdyenReports(reportsBaseUrl, signIn, adyenReport(merchantAccount));
  },
};

/** Adyen's test platform, or a simulator. */
function isAdyenTest(host: string): boolean {
  return isLocal(host) || host.endsWith('-test.adyen.com');
}

/** The address and one way to sign in go together. */
function missingForReports(written: object): string[] {
  const missing = (name: string) => (name in written ? [] : [name]);
  if ('reportsUser' in written) return [...missing('reportsPassword'), ...missing('reportsBaseUrl')];
  if ('reportsApiKey' in written || 'reportsPassword' in written) {
    return [...missing('reportsBaseUrl'), ...('reportsPassword' in written ? missing('reportsUser') : [])];
  }
  return 'reportsBaseUrl' in written ? ['reportsApiKey'] : [];
}

function adyenNotices(credentials: AccountSettings['credentials']): NotificationReader | null {
  const { merchantAccount = '', hmacKey: key, hmacKeyPrevious, balanceAccount } = credentials;
  const hmacKeys = given(key, hmacKeyPrevious);
  const own = given(credentials['transfersHmacKey'], credentials['transfersHmacKeyPrevious']);
  const ofTransfers = own.length > 0 ? own : hmacKeys;
  const transferHmacKeys = balanceAccount === undefined ? [] : ofTransfers;
  if (hmacKeys.length === 0 && transferHmacKeys.length === 0) return null;
  return new AdyenNotices({ merchantAccount, hmacKeys, balanceAccount, transferHmacKeys });
}

function adyen({ credentials, ...settings }: AccountSettings): AdyenPsp {
  const { apiKey = '', merchantAccount = '' } = credentials;
  return new AdyenPsp({ ...settings, apiKey, merchantAccount, ...payoutsOf(credentials) });
}

function payoutsOf(credentials: AccountSettings['credentials']): Pick<AdyenOptions, 'payouts'> {
  const { balanceAccount, transfersBaseUrl: baseUrl, transfersApiKey: apiKey } = credentials;
  if (balanceAccount === undefined) return {};
  return { payouts: { balanceAccount, ...(baseUrl ? { baseUrl } : {}), ...(apiKey ? { apiKey } : {}) } };
}
