/**
 * payments: the payment, its lifecycle, one flow per file.
 */
export { type Route, type Routing } from './create-payment.flow.js';
export { DuplicateGuardEntity, duplicateGuards } from './duplicate-guard.js';
export { DuplicateRetention } from './duplicate-retention.js';
export { PaymentEntity, payments, PaymentTransitionEntity, paymentTransitions } from './payment.entity.js';
export { type PaymentEventType, paymentEventTypes } from './payment-events.js';
export { paymentLifecycle } from './payment.lifecycle.js';
export { PaymentReader } from './payment.reader.js';
export { OrphanKeeper, type OrphanReport } from './orphan-keeper.js';
export { PaymentResolver } from './payment-resolver.js';
export { type PaymentFlows, paymentFlows, type PaymentsDeps, PaymentsService } from './payments.service.js';
export * from './payments.js';
