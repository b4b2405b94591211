import { type ProblemField } from '../core/problem.js';
import { methodRule } from '../psp/payment-method.js';
import { type NewPayment } from './dto/create-payment.dto.js';

/** Faults of a payment that no PSP could take by its payment method, whichever accounts there are. */
export function faultsOfMethod({
  paymentMethod,
  currency,
  capture,
  returnUrl,
}: Pick<NewPayment, 'paymentMethod' | 'currency' | 'capture' | 'returnUrl'>): ProblemField[] {
  const { type, tokens, initiator } = paymentMethod;
  const name = paymentMethod.name ?? 'card';
  const { currency: only, authorizes, needsToken, redirects } = methodRule(name);
  const errors: ProblemField[] = [];
  if (only !== null && currency !== only) {
    errors.push({ pointer: '/currency', message: `must be ${only}: ${name} is paid in no other` });
  }
  if (!authorizes && capture === 'manual') {
    errors.push({ pointer: '/capture', message: `must be automatic: ${name} takes the money at once` });
  }
  if (redirects && returnUrl === null && initiator !== 'merchant') {
    errors.push({ pointer: '/return_url', message: `is required: ${name} sends the customer to its page` });
  }
  if (needsToken && Object.keys(tokens).length === 0) {
    errors.push({ pointer: '/payment_method/tokens', message: `is required for ${type} ${name}` });
  }
  return errors;
}
