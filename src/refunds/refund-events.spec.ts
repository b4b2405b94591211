import { refundEventOf } from './refund-events.js';
import { refundLifecycle, type RefundStatus } from './refund.lifecycle.js';

describe('what a merchant is told of a refund', () => {
  it.each<[RefundStatus, 'refunded' | 'failed' | 'asked_again', string | null]>([
    ['pending', 'refunded', 'refund.succeeded'],
    ['pending', 'failed', 'refund.failed'],
    ['failed', 'asked_again', null],
  ])('%s, %s: %s', (was, learned, type) => {
    expect(refundEventOf(was, refundLifecycle.after(was, learned))).toBe(type);
  });
});
