import { CheckoutPsp } from '../../src/psp/checkout/checkout.psp.js';
import { type PspSubject } from './psp-under-test.js';

const secretKey = 'sk_sbox_averysecretkeyofcheckout';

/** Checkout.com's stored instruments at the simulator. */
export const checkoutSubject: PspSubject = {
  psp: 'checkout',
  make: (baseUrl, timeoutMs) => new CheckoutPsp({ baseUrl, secretKey, timeoutMs }),
  secrets: [secretKey],
  tokens: {
    approved: 'src_m2ooveyd2dxuzh277ft4obgkwm',
    softDecline: 'src_decline_20005',
    hardDecline: 'src_decline_20051',
    stepUpDecline: 'src_decline_20154',
    asksCustomer: 'src_3ds',
    waits: 'src_pending',
  },
  refundsAreReceived: true,
  answersWithoutAmount: true,
};
