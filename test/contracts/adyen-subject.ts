import { AdyenPsp } from '../../src/psp/adyen/adyen.psp.js';
import { type PspSubject } from './psp-under-test.js';

const apiKey = 'AQEaverysecretapikeyofadyen';
const transfersApiKey = 'AQEanothersecretapikeyofadyen';

/** Adyen's stored cards and transfer instruments at the simulator. */
export const adyenSubject: PspSubject = {
  psp: 'adyen',
  make: (origin, timeoutMs) =>
    new AdyenPsp({
      baseUrl: `${origin}/v71`,
      apiKey,
      merchantAccount: 'PayonceECOM',
      timeoutMs,
      payouts: { balanceAccount: 'BA1', baseUrl: `${origin}/btl/v4`, apiKey: transfersApiKey },
    }),
  secrets: [apiKey, transfersApiKey],
  tokens: {
    approved: '8415000000000001',
    softDecline: 'refuse_2',
    hardDecline: 'refuse_12',
    stepUpDecline: 'refuse_38',
    asksCustomer: 'redirect',
    waits: 'pending',
  },
  bankAccounts: {
    pays: 'SE00000000000000000000001',
    closed: 'refuse_counterpartyAccountClosed',
    uncovered: 'refuse_notEnoughBalance',
  },
  refundsAreReceived: true,
};
