import { payoutEventOf } from './payout-events.js';
import { payoutLifecycle, payoutStatuses } from './payout.lifecycle.js';

describe('what a merchant is told of a payout', () => {
  it.each([
    ['paid', 'payout.paid'],
    ['failed', 'payout.failed'],
  ] as const)('processing, %s: %s', (learned, type) => {
    expect(payoutEventOf('processing', payoutLifecycle.after('processing', learned))).toBe(type);
  });

  it('is nothing where nothing has changed', () => {
    for (const status of payoutStatuses) expect(payoutEventOf(status, status)).toBeNull();
  });
});
