import { type PspRequest } from '../request-storage/psp-request.entity.js';
import { type PaymentState } from './payment-state.js';
import { reverseCompensation } from './refund-reversal.js';

it('opens that orphan effect again whose compensation failed, and no other of its route', () => {
  const payment = { merchantId: 'm', id: '01900000-0000-7000-8000-000000000002', captureMode: 'automatic' };
  const state = { payment } as PaymentState;
  const name = (object: string) => ({ entityKey: `payment-${payment.id}-orphan-3${object}` }) as PspRequest;
  expect(reverseCompensation(state, name(''))).toMatchObject({ key: { route: 3, object: 1 } });
  expect(reverseCompensation(state, name('-2'))).toMatchObject({ key: { route: 3, object: 2 } });
});
