import {
  type AccountSettings,
  type AdapterEntry,
  asked,
  given,
  previous,
  required,
  signingSecret,
} from '../adapter-entry.js';
import { GocardlessPsp, PUBLIC_URL } from './gocardless.psp.js';
import { gocardlessPayouts, gocardlessReports } from './gocardless.reports.js';
import { GocardlessNotices } from './gocardless.webhook.js';

export const gocardlessAdapter: AdapterEntry = {
  adapter: 'gocardless',
  credentials: [
    required('accessToken'),
    // A token names no creditor: this stays where the token is replaced.
    { name: 'creditorId', required: false, secret: false },
    signingSecret('webhookSecret'),
    signingSecret('webhookSecretPrevious'),
  ],
  basePath: false,
  publicUrl: PUBLIC_URL,
  hosts: /^api(?:-sandbox)?\.gocardless\.com$/,
  dashboard: (id, isTest) => `https://manage${isTest ? '-sandbox' : ''}.gocardless.com/payments/${id}`,
  account: ({ accessToken = '', creditorId }, configured) => configured ?? creditorId ?? accessToken,
  takesAccount: () => true,
  mayBeTest: ({ credentials: { accessToken = '' } }) => accessToken.startsWith('sandbox_'),
  missing: ({ credentials }) => previous('webhookSecret', credentials),
  create: gocardless,
  check: (settings, call) => asked(gocardless(settings), call),
  notices: ({ credentials: { webhookSecret, webhookSecretPrevious } }) => {
    const secrets = given(webhookSecret, webhookSecretPrevious);
    return secrets.length > 0 ? new GocardlessNotices({ secrets }) : null;
  },
  reportFormats: [[gocardlessPayouts.list, () => gocardlessPayouts]],
  reports: gocardlessReports,
};

function gocardless({ credentials, ...settings }: AccountSettings): GocardlessPsp {
  return new GocardlessPsp({ ...settings, accessToken: credentials['accessToken'] ?? '' });
}
