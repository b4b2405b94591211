import { Shop } from './stripe.mjs';

/** The shop hands its client's key on to Stripe. */
export const target = new Shop((idempotencyKey) => ({ idempotencyKey }));
