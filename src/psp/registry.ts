import { type AdapterEntry } from './adapter-entry.js';
import { adyenAdapter } from './adyen/adyen.entry.js';
import { bankSepaAdapter } from './bank-sepa/bank-sepa.entry.js';
import { checkoutAdapter } from './checkout/checkout.entry.js';
import { squareAdapter } from './square/square.entry.js';
import { mollieAdapter } from './mollie/mollie.entry.js';
import { gocardlessAdapter } from './gocardless/gocardless.entry.js';
import { paypalAdapter } from './paypal/paypal.entry.js';
import { keylessAdapter, stripeAdapter } from './stripe/stripe.entry.js';

/** Every adapter there is. A new PSP is a folder beside these and a line here. */
export const adapters: readonly AdapterEntry[] = [
  stripeAdapter,
  keylessAdapter,
  adyenAdapter,
  checkoutAdapter,
  squareAdapter,
  mollieAdapter,
  gocardlessAdapter,
  paypalAdapter,
  bankSepaAdapter,
];

export function adapterNamed(adapter: string): AdapterEntry | undefined {
  return adapters.find((entry) => entry.adapter === adapter);
}
