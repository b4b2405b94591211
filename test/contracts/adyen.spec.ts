import { AdyenPsp } from '../../src/psp/adyen/adyen.psp.js';
import { exercisePsp } from './exercise-psp.js';

const apiKey = 'AQEaverysecretapikeyofadyen';

exercisePsp('adyen', {
  psp: 'adyen',
  make: (origin, timeoutMs) =>
    new AdyenPsp({ baseUrl: `${origin}/v71`, apiKey, merchantAccount: 'PayonceECOM', timeoutMs }),
  secrets: [apiKey],
  tokens: {
    approved: '8415000000000001',
    softDecline: 'refuse_2',
    hardDecline: 'refuse_12',
    stepUpDecline: 'refuse_38',
    asksCustomer: 'redirect',
    waits: 'pending',
  },
});
