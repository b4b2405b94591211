import { MolliePsp } from '../../src/psp/mollie/mollie.psp.js';
import { type PspSubject } from './psp-under-test.js';

const apiKey = 'test_averysecretkeyofmollie';

/** Tokens of cards that were entered in Mollie's fields, at the simulator. */
export const mollieSubject: PspSubject = {
  psp: 'mollie',
  make: (baseUrl, timeoutMs, clock) => new MolliePsp({ baseUrl, apiKey, timeoutMs, clock }),
  secrets: [apiKey],
  tokens: {
    approved: 'tkn_a_card_that_is_approved',
    softDecline: 'tkn_decline_card_declined',
    hardDecline: 'tkn_decline_insufficient_funds',
    stepUpDecline: 'tkn_decline_authentication_required',
    asksCustomer: 'tkn_3ds',
    waits: 'tkn_pending',
  },
  refundsAreReceived: true,
};
