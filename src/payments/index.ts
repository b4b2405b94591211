/**
 * payments: the payment, its lifecycle, one flow per file.
 */
export * from './payments.js';
