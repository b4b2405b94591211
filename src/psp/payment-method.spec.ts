import { describe, expect, it } from '@jest/globals';
import { faultsOfMethod, type MethodName, methodNames, methodRule } from './payment-method.js';

type Facts = Parameters<typeof faultsOfMethod>[0];

const asked = (name: MethodName, more: Partial<Facts> = {}) =>
  faultsOfMethod({
    name,
    currency: methodRule(name).currency ?? 'EUR',
    capture: 'automatic',
    capturesInParts: false,
    hasToken: true,
    returnUrl: 'https://shop.example/return',
    ...more,
  });

const pointers = (faults: ReturnType<typeof faultsOfMethod>) => faults.map(({ pointer }) => pointer);

describe('faults of a payment method', () => {
  it.each(methodNames)('are none in a request as %s wants it', (name) => {
    expect(asked(name)).toEqual([]);
  });

  it('are another currency than the one that it is paid in', () => {
    expect(asked('ideal', { currency: 'USD' })).toEqual([
      { pointer: '/currency', message: 'must be EUR: ideal is paid in no other' },
    ]);
    expect(asked('card', { currency: 'USD' })).toEqual([]);
  });

  it.each<[MethodName, string[]]>([
    ['sepa', ['/capture']],
    ['bancontact', ['/capture']],
    ['card', []],
    ['apple_pay', []],
    ['klarna', []],
  ])('of %s to be captured later are %j', (name, faults) => {
    expect(pointers(asked(name, { capture: 'manual' }))).toEqual(faults);
  });

  it('are parts of what is captured at once', () => {
    expect(pointers(asked('card', { capturesInParts: true }))).toEqual(['/capture_parts']);
    expect(asked('card', { capturesInParts: true, capture: 'manual' })).toEqual([]);
  });

  it('are a page to come back to that is missing, unless the customer is away', () => {
    expect(pointers(asked('paypal', { returnUrl: null }))).toEqual(['/return_url']);
    expect(asked('paypal', { returnUrl: null, initiator: 'merchant' })).toEqual([]);
    expect(asked('card', { returnUrl: null })).toEqual([]);
  });

  it('are tokens that are missing where nothing else says who pays', () => {
    expect(pointers(asked('google_pay', { hasToken: false }))).toEqual(['/payment_method/tokens']);
    expect(asked('ideal', { hasToken: false })).toEqual([]);
  });
});
