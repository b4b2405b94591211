import { type Refund } from './refund.entity.js';
import { refundViewOf } from './refund.view.js';

it('is the same bytes from memory and from jsonb, which keeps fields in an order of its own', () => {
  const failure = { category: 'declined', code: 'revoked', psp_code: null, message: 'No.' };
  const stored = { code: 'revoked', message: 'No.', category: 'declined', psp_code: null };
  const at = new Date(0);
  const refund = { id: 'r', status: 'failed', createdAt: at, updatedAt: at } as Refund;
  const text = (one: typeof failure) => JSON.stringify(refundViewOf({ ...refund, failure: one }));
  expect(text(stored)).toBe(text(failure));
});
