import { GocardlessPsp } from '../../src/psp/gocardless/gocardless.psp.js';
import { type PspSubject } from './psp-under-test.js';

const accessToken = 'sandbox_averysecrettokenofgocardless';

/** Mandates of the simulator, whose banks decide at once. */
export const gocardlessSubject: PspSubject = {
  psp: 'gocardless',
  make: (baseUrl, timeoutMs, clock) => new GocardlessPsp({ baseUrl, accessToken, timeoutMs, clock }),
  secrets: [accessToken],
  tokens: {
    approved: 'MD_confirmed_at_once',
    softDecline: 'MD_failed_refer_to_payer',
    hardDecline: 'MD_failed_insufficient_funds',
    waits: 'MD0001',
  },
  refundsAreReceived: true,
  answersWithoutAmount: true,
  readsPaymentFirst: true,
  declinesLater: true,
};
