import { AdyenPsp } from '../../src/psp/adyen/adyen.psp.js';
import { exercisePsp } from './exercise-psp.js';

const apiKey = 'AQEaverysecretapikeyofadyen';
const transfersApiKey = 'AQEanothersecretapikeyofadyen';

exercisePsp('adyen', {
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
});
