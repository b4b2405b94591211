import {
  type AccountSettings,
  type AdapterEntry,
  asked,
  given,
  isLocal,
  previous,
  required,
} from '../adapter-entry.js';
import { PaypalPsp, PUBLIC_URL } from './paypal.psp.js';
import { paypalReports, paypalTransactions } from './paypal.reports.js';
import { PaypalNotices } from './paypal.webhook.js';

export const paypalAdapter: AdapterEntry = {
  adapter: 'paypal',
  credentials: [
    { name: 'clientId', required: true, secret: false },
    required('clientSecret'),
    // PayPal signs by its certificate; this id is part of what it signs.
    { name: 'webhookId', required: false, secret: false },
    { name: 'webhookIdPrevious', required: false, secret: false },
  ],
  basePath: false,
  publicUrl: PUBLIC_URL,
  hosts: /^api-m(?:\.sandbox)?\.paypal\.com$/,
  dashboard: (id, isTest) =>
    `https://www.${isTest ? 'sandbox.' : ''}paypal.com/unifiedtransactions/?query=${id}`,
  account: ({ clientId = '' }, configured) => configured ?? clientId,
  takesAccount: () => true,
  mayBeTest: ({ baseUrl = PUBLIC_URL }) => isSandbox(new URL(baseUrl).hostname),
  missing: ({ credentials }) => previous('webhookId', credentials),
  create: paypal,
  check: (settings, call) => asked(paypal(settings), call),
  notices: ({ credentials: { webhookId, webhookIdPrevious }, baseUrl = PUBLIC_URL }) => {
    const webhookIds = given(webhookId, webhookIdPrevious);
    return webhookIds.length > 0 ? new PaypalNotices({ webhookIds, baseUrl }) : null;
  },
  reportFormats: [[paypalTransactions.list, () => paypalTransactions]],
  reports: paypalReports,
};

function isSandbox(host: string): boolean {
  return isLocal(host) || host.endsWith('.sandbox.paypal.com');
}

function paypal({ credentials, ...settings }: AccountSettings): PaypalPsp {
  const { clientId = '', clientSecret = '' } = credentials;
  return new PaypalPsp({ ...settings, clientId, clientSecret });
}
