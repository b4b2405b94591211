import { type Capabilities } from '../../src/psp/contract.js';
import { StripePsp } from '../../src/psp/stripe/stripe.psp.js';
import { type PspSubject } from './psp-under-test.js';

const secretKey = 'sk_test_averysecretkeyofstripe';

/** Stripe's test cards at one of the simulator's PSPs that speak Stripe's words. */
export function stripeSubject(psp: 'stripe' | 'keyless', capabilities?: Capabilities): PspSubject {
  return {
    psp,
    make: (baseUrl, timeoutMs, clock) =>
      new StripePsp({ baseUrl, secretKey, timeoutMs, clock, ...(capabilities ? { capabilities } : {}) }),
    secrets: [secretKey],
    tokens: {
      approved: 'pm_card_visa',
      softDecline: 'pm_card_chargeDeclinedDoNotHonor',
      hardDecline: 'pm_card_chargeDeclinedStolenCard',
      stepUpDecline: 'pm_decline_authentication_required',
      asksCustomer: 'pm_card_authenticationRequired',
      waits: 'pm_card_processing',
    },
    bankAccounts: {
      pays: 'ba_recipient_of_money',
      closed: 'ba_fail_account_closed',
      uncovered: 'ba_refuse_balance_insufficient',
    },
    refundsAreReceived: false,
  };
}
