import { reverseCompensation } from './orphan.js';
import { type Payment } from './payment.entity.js';

it('opens that orphan effect again whose compensation failed, and no other of its route', () => {
  const payment = {
    merchantId: 'm',
    id: '01900000-0000-7000-8000-000000000002',
    captureMode: 'automatic',
  } as Payment;
  const name = (object: string) => `payment-${payment.id}-orphan-3${object}`;
  expect(reverseCompensation(payment, name(''))).toMatchObject({ key: { route: 3, object: 1 } });
  expect(reverseCompensation(payment, name('-2'))).toMatchObject({ key: { route: 3, object: 2 } });
});
