import { type Order } from '../../src/payments/order.entity.js';
import { type Payment } from '../../src/payments/payment.entity.js';
import { type Refund } from '../../src/refunds/refund.entity.js';

const at = new Date('2026-01-01T00:00:00Z');

/** A payment of 1,000 minor units, authorized at Adyen. */
export function paymentFixture(differences: Partial<Payment> = {}): Payment {
  return {
    merchantId: 'm',
    id: 'p',
    version: 3,
    reference: 'order-1',
    status: 'authorized',
    captureMode: 'manual',
    amount: 1_000,
    amountCaptured: 0,
    amountRefunded: 0,
    captureReserved: 0,
    refundReserved: 0,
    currency: 'EUR',
    cardBrand: null,
    cardCountry: null,
    returnUrl: null,
    statementDescriptor: null,
    metadata: {},
    candidates: ['adyen'],
    cancelBeforeFailover: false,
    sealed: null,
    psp: 'adyen',
    pspReference: 'A1',
    failure: null,
    nextAction: null,
    createdAt: at,
    updatedAt: at,
    ...differences,
  };
}

/** A pending refund of 100 minor units of that payment. */
/** An order of 10.00 EUR that its one payment holds, and has not paid. */
export function orderFixture(differences: Partial<Order> = {}): Order {
  const at = new Date('2026-01-01T00:00:00Z');
  return {
    merchantId: 'm',
    reference: 'order-77',
    id: 'id of the order',
    version: 4,
    currency: 'EUR',
    inParts: false,
    amountDue: 1_000,
    amountLive: 1_000,
    amountPaid: 0,
    amountOverpaid: 0,
    createdAt: at,
    updatedAt: at,
    ...differences,
  };
}

export function refundFixture(differences: Partial<Refund> = {}): Refund {
  return {
    merchantId: 'm',
    entityKey: 'payment-p-refund',
    id: 'r',
    paymentId: 'p',
    reference: null,
    status: 'pending',
    amount: 100,
    currency: 'EUR',
    reason: null,
    metadata: {},
    psp: 'adyen',
    pspReference: null,
    failure: null,
    createdAt: at,
    updatedAt: at,
    ...differences,
  };
}
