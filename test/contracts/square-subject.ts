import { SquarePsp } from '../../src/psp/square/square.psp.js';
import { type PspSubject } from './psp-under-test.js';

const accessToken = 'EAAAlaverysecrettokenofsquare';

/** Square's payment tokens at the simulator. It sends no customer anywhere: 3-D Secure comes before its token. */
export const squareSubject: PspSubject = {
  psp: 'square',
  make: (baseUrl, timeoutMs, clock) =>
    new SquarePsp({ baseUrl, accessToken, locationId: 'L1', timeoutMs, clock }),
  secrets: [accessToken],
  tokens: {
    approved: 'cnon:card-nonce-ok',
    softDecline: 'cnon:decline-GENERIC_DECLINE',
    hardDecline: 'cnon:decline-INSUFFICIENT_FUNDS',
    stepUpDecline: 'cnon:decline-CARD_DECLINED_VERIFICATION_REQUIRED',
    waits: 'bauth:ok',
  },
  refundsAreReceived: true,
  keysAtCreationAlone: true,
  readsEachRefund: true,
};
