import { PaypalPsp } from '../../src/psp/paypal/paypal.psp.js';
import { type PspSubject } from './psp-under-test.js';

const clientSecret = 'EAverysecretsecretofpaypal';

/** Cards that PayPal keeps in its vault, at the simulator. */
export const paypalSubject: PspSubject = {
  psp: 'paypal',
  make: (baseUrl, timeoutMs, clock) =>
    new PaypalPsp({ baseUrl, clientId: 'client', clientSecret, timeoutMs, clock }),
  secrets: [clientSecret],
  tokens: {
    approved: 'vault-a-card-that-is-approved',
    softDecline: 'vault-decline-5100',
    hardDecline: 'vault-decline-5120',
    stepUpDecline: 'vault-decline-5650',
    asksCustomer: 'vault-3ds',
    waits: 'vault-pending',
  },
  refundsAreReceived: true,
  readsPaymentFirst: true,
  staysOpenAfterDecline: true,
};
