import { Shop } from './stripe.mjs';

/** The shop gives no key: the SDK makes one for each call, which covers the retries of that call alone. */
export const target = new Shop(() => ({}));
