import { NestShop } from './node-idempotency.mjs';

export const target = new NestShop((idempotencyKey) => ({ idempotencyKey }));
