import { type RoutingRulesView } from '../../src/console/installation-views.js';

export type Method = NonNullable<NonNullable<RoutingRulesView['rules'][number]['when']>['method']>[number];

/** Payment methods as people call them, with the types that routing may ask for. */
const labels: Readonly<Record<Method, string>> = {
  card: 'Card',
  wallet: 'Any wallet',
  apple_pay: 'Apple Pay',
  google_pay: 'Google Pay',
  paypal: 'PayPal',
  bank_redirect: 'Any bank redirect',
  ideal: 'iDEAL',
  bancontact: 'Bancontact',
  bank_debit: 'Any bank debit',
  sepa: 'SEPA debit',
  bacs: 'Bacs debit',
  ach: 'ACH debit',
  pay_later: 'Any pay later',
  klarna: 'Klarna',
};

export const methods = Object.entries(labels).map(([value, label]) => ({ value: value as Method, label }));

/** Payment methods without the types that stand for several. */
export const namedMethods = methods.filter(({ label }) => !label.startsWith('Any '));

export function methodLabel(method: Method): string {
  return labels[method];
}
