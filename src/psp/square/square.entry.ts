import {
  type AccountSettings,
  type AdapterEntry,
  asked,
  given,
  isLocal,
  previous,
  required,
  signingSecret,
} from '../adapter-entry.js';
import { PUBLIC_URL, SquarePsp } from './square.psp.js';
import { squarePayouts, squareReports } from './square.reports.js';
import { SquareNotices } from './square.webhook.js';

export const squareAdapter: AdapterEntry = {
  adapter: 'square',
  credentials: [
    required('accessToken'),
    { name: 'locationId', required: true, secret: false },
    signingSecret('webhookSecret'),
    signingSecret('webhookSecretPrevious'),
    // Signed with each notification, and not told by it: a proxy may have changed the address that arrives here.
    { name: 'notificationUrl', required: false, secret: false },
  ],
  basePath: false,
  publicUrl: PUBLIC_URL,
  hosts: /^connect\.squareup(?:sandbox)?\.com$/,
  dashboard: (id, isTest) =>
    `https://app.squareup${isTest ? 'sandbox' : ''}.com/dashboard/sales/transactions/${id}`,
  account: ({ locationId = '' }) => locationId,
  takesAccount: ({ locationId }, configured) => configured === locationId,
  mayBeTest: ({ baseUrl = PUBLIC_URL }) => isSandbox(new URL(baseUrl).hostname),
  missing: ({ credentials }) => [
    ...previous('webhookSecret', credentials),
    ...('webhookSecret' in credentials && !('notificationUrl' in credentials) ? ['notificationUrl'] : []),
  ],
  create: square,
  check: (settings, call) => asked(square(settings), call),
  notices: ({ credentials: { webhookSecret, webhookSecretPrevious, notificationUrl } }) => {
    const secrets = given(webhookSecret, webhookSecretPrevious);
    return secrets.length > 0 && notificationUrl !== undefined
      ? new SquareNotices({ secrets, notificationUrl })
      : null;
  },
  reportFormats: [[squarePayouts.list, () => squarePayouts]],
  reports: squareReports,
};

function isSandbox(host: string): boolean {
  return isLocal(host) || host.endsWith('.squareupsandbox.com');
}

function square({ credentials, ...settings }: AccountSettings): SquarePsp {
  const { accessToken = '', locationId = '' } = credentials;
  return new SquarePsp({ ...settings, accessToken, locationId });
}
