import {
  type AccountSettings,
  type AdapterEntry,
  asked,
  given,
  optional,
  previous,
  required,
  signingSecret,
} from '../adapter-entry.js';
import { MolliePsp, PUBLIC_URL } from './mollie.psp.js';
import { mollieBalance, mollieReports } from './mollie.reports.js';
import { MollieNotices } from './mollie.webhook.js';

export const mollieAdapter: AdapterEntry = {
  adapter: 'mollie',
  credentials: [
    required('apiKey'),
    // A key names no profile: this stays where the key is replaced.
    { name: 'profileId', required: false, secret: false },
    signingSecret('webhookSecret'),
    signingSecret('webhookSecretPrevious'),
    // Sent with each payment: Mollie tells this address that there is news, and nobody else need be asked.
    { name: 'notificationUrl', required: false, secret: false },
    // A token of the organization with the permission balances.read; without it there are no reports.
    optional('reportsToken'),
  ],
  basePath: false,
  publicUrl: PUBLIC_URL,
  hosts: /^api\.mollie\.com$/,
  dashboard: (id) => `https://my.mollie.com/dashboard/payments/${id}`,
  account: ({ apiKey = '', profileId }, configured) => configured ?? profileId ?? apiKey,
  takesAccount: () => true,
  mayBeTest: ({ credentials: { apiKey = '' } }) => apiKey.startsWith('test_'),
  missing: ({ credentials }) => previous('webhookSecret', credentials),
  create: mollie,
  check: (settings, call) => asked(mollie(settings), call),
  notices: ({ credentials: { webhookSecret, webhookSecretPrevious, notificationUrl } }) => {
    const secrets = given(webhookSecret, webhookSecretPrevious);
    return secrets.length > 0 || notificationUrl !== undefined ? new MollieNotices({ secrets }) : null;
  },
  reportFormats: [[mollieBalance.list, () => mollieBalance]],
  reports: (settings) => {
    const { reportsToken } = settings.credentials;
    return reportsToken === undefined ? null : mollieReports(settings, reportsToken);
  },
};

function mollie({ credentials, ...settings }: AccountSettings): MolliePsp {
  const { apiKey = '', notificationUrl } = credentials;
  return new MolliePsp({ ...settings, apiKey, notificationUrl });
}
