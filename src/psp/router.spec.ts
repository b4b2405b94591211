import * as fc from 'fast-check';
import { runs } from '../../test/support/property-runs.js';
import { type Capabilities } from './contract.js';
import { candidates, explainRouting, type RoutingFacts } from './router.js';
import { type RoutingRule } from './routing-rule.js';

const able = (more: Partial<Capabilities> = {}): Capabilities => ({
  operations: ['charge', 'authorize'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: null, replays: 'none' },
  lookup: null,
  cancel: null,
  captures: 'whole',
  ...more,
});

const bank: Capabilities = able({ methods: { sepa: { needsMandate: true } } });
const pages: Capabilities = able({ methods: { card: {}, ideal: { withoutToken: true }, bancontact: {} } });

const offers: Readonly<Record<string, Capabilities>> = {
  a: able(),
  b: able({ currencies: ['EUR', 'USD'] }),
  c: able({ operations: ['charge'] }),
  d: able(),
  bank,
  pages,
};
const offerOf = (psp: string) => offers[psp] ?? null;

const facts = (more: Partial<RoutingFacts> = {}): RoutingFacts => ({
  operation: 'charge',
  amount: 1_000,
  currency: 'EUR',
  tokens: ['a', 'b', 'c', 'd'],
  ...more,
});

const route = (rules: readonly RoutingRule[], more: Partial<RoutingFacts> = {}, pick = 0) =>
  candidates(rules, facts(more), pick, offerOf);

describe('candidates', () => {
  it('takes the first rule that matches', () => {
    const rules: RoutingRule[] = [
      { when: { currency: ['EUR'], amountBelow: 1_000 }, order: ['a'] },
      { when: { currency: ['EUR'], amountFrom: 1_000 }, order: ['b', 'a'] },
      { order: ['c'] },
    ];
    expect(route(rules, { amount: 999 })).toEqual(['a']);
    expect(route(rules, { amount: 1_000 })).toEqual(['b', 'a']);
    expect(route(rules, { currency: 'JPY' })).toEqual(['c']);
  });

  it('does not match on what is not known', () => {
    const rules: RoutingRule[] = [{ when: { cardBrand: ['visa'], cardCountry: ['DE'] }, order: ['a'] }];
    expect(route(rules)).toEqual([]);
    expect(route(rules, { cardBrand: 'Visa' })).toEqual([]);
    expect(route(rules, { cardBrand: 'Visa', cardCountry: 'DE' })).toEqual(['a']);
  });

  it('stays with the first rule that matches, even when none of its accounts can', () => {
    expect(route([{ order: ['a'] }, { order: ['b'] }], { tokens: ['b'] })).toEqual([]);
  });

  it('leaves out who has no token, no such operation, no such currency, or does not exist', () => {
    const rules: RoutingRule[] = [{ order: ['nobody', 'a', 'b', 'c', 'd'] }];
    expect(route(rules, { tokens: ['b', 'c', 'd', 'nobody'] })).toEqual(['b', 'c', 'd']);
    expect(route(rules, { operation: 'authorize' })).toEqual(['a', 'b', 'd']);
    expect(route(rules, { currency: 'JPY' })).toEqual(['a', 'c', 'd']);
  });

  it('draws the first by weight and puts the others behind it, the heaviest first', () => {
    const rules: RoutingRule[] = [
      {
        split: [
          { psp: 'a', weight: 20 },
          { psp: 'b', weight: 70 },
          { psp: 'c', weight: 10 },
          { psp: 'd', weight: 0 },
        ],
      },
    ];
    expect(route(rules, {}, 0)).toEqual(['b', 'a', 'c', 'd']);
    expect(route(rules, {}, 0.75)).toEqual(['a', 'b', 'c', 'd']);
    expect(route(rules, {}, 0.95)).toEqual(['c', 'b', 'a', 'd']);
    // Of 30 left without b, a has two thirds.
    expect(route(rules, { currency: 'JPY' }, 0.66)).toEqual(['a', 'c', 'd']);
    expect(route(rules, { currency: 'JPY' }, 0.67)).toEqual(['c', 'a', 'd']);
    expect(route([{ split: [{ psp: 'd', weight: 0 }] }])).toEqual(['d']);
  });

  const everywhere: RoutingRule[] = [{ order: ['a', 'bank', 'pages'] }];

  it('leaves out accounts that do not take the payment method', () => {
    const tokens = ['a', 'bank', 'pages'];
    expect(route(everywhere, { tokens, method: 'card' })).toEqual(['a', 'pages']);
    expect(route(everywhere, { tokens, method: 'sepa' })).toEqual(['bank']);
    expect(route(everywhere, { tokens, method: 'klarna' })).toEqual([]);
  });

  it('asks without tokens those who take the method without one, and with tokens those who have one', () => {
    expect(route(everywhere, { tokens: [], method: 'ideal' })).toEqual(['pages']);
    expect(route(everywhere, { tokens: ['a'], method: 'ideal' })).toEqual([]);
    expect(route(everywhere, { tokens: [], method: 'bancontact' })).toEqual([]);
    expect(route(everywhere, { tokens: ['pages'], method: 'bancontact' })).toEqual(['pages']);
    expect(route(everywhere, { tokens: [], method: 'card' })).toEqual([]);
  });

  it('leaves out who captures once where parts will be captured', () => {
    const rules: RoutingRule[] = [{ order: ['a', 'b'] }];
    const several = (psp: string) =>
      ({ ...offers[psp]!, captures: psp === 'b' ? 'several' : 'one' }) as const;
    expect(candidates(rules, facts({ capturesInParts: true }), 0, several)).toEqual(['b']);
    expect(candidates(rules, facts(), 0, several)).toEqual(['a', 'b']);
    expect(explainRouting(rules, facts({ capturesInParts: true }), 0, several).accounts[0]).toMatchObject({
      because: 'it does not capture in parts',
    });
  });

  it('takes a rule for a payment method, or for all methods of a type', () => {
    const rules: RoutingRule[] = [
      { when: { method: ['ideal'] }, order: ['pages'] },
      { when: { method: ['bank_debit', 'wallet'] }, order: ['bank'] },
      { order: ['a'] },
    ];
    const tokens = ['a', 'bank', 'pages'];
    expect(route(rules, { tokens, method: 'ideal' })).toEqual(['pages']);
    expect(route(rules, { tokens, method: 'sepa' })).toEqual(['bank']);
    expect(route(rules, { tokens, method: 'card' })).toEqual(['a']);
    // A payout has none.
    expect(route(rules, { tokens })).toEqual(['a']);
    const { passed, accounts } = explainRouting(rules.slice(1), facts({ method: 'apple_pay' }), 0, offerOf);
    expect([passed, accounts]).toEqual([
      [],
      [{ psp: 'bank', weight: null, because: 'there is no token for it' }],
    ]);
    expect(explainRouting(rules, facts({ method: 'klarna', tokens: ['a'] }), 0, offerOf)).toMatchObject({
      passed: [
        { because: 'the payment method is none of ideal' },
        { because: 'the payment method is none of bank_debit, wallet' },
      ],
      accounts: [{ psp: 'a', because: 'it does not take klarna' }],
    });
    expect(explainRouting(everywhere, facts({ method: 'bancontact', tokens: [] }), 0, offerOf)).toMatchObject(
      {
        accounts: [{}, {}, { because: 'it takes bancontact only with a token' }],
      },
    );
  });

  it('says why: which rules did not match, and why an account is left out', () => {
    const rules: RoutingRule[] = [
      { when: { currency: ['JPY'] }, order: ['a'] },
      { when: { amountFrom: 5_000 }, order: ['a'] },
      { order: ['nobody', 'b', 'c', 'd'] },
    ];
    const explained = explainRouting(
      rules,
      facts({ operation: 'authorize', tokens: ['b', 'c', 'nobody'] }),
      0,
      offerOf,
    );
    expect(explained).toEqual({
      rule: 3,
      passed: [
        { rule: 1, because: 'the currency is none of JPY' },
        { rule: 2, because: 'the amount is below 5000' },
      ],
      order: ['b'],
      accounts: [
        { psp: 'nobody', weight: null, because: 'there is no such account, or it is disabled' },
        { psp: 'b', weight: null, because: null },
        { psp: 'c', weight: null, because: 'it does not offer the operation authorize' },
        { psp: 'd', weight: null, because: 'there is no token for it' },
      ],
    });
    expect(explainRouting(rules.slice(0, 2), facts(), 0, offerOf)).toMatchObject({ rule: null, order: [] });
  });

  const names = fc.constantFrom('a', 'b', 'c', 'd', 'nobody');
  const rule: fc.Arbitrary<RoutingRule> = fc.oneof(
    fc.record({ order: fc.array(names, { maxLength: 6 }) }),
    fc.record({
      split: fc.array(fc.record({ psp: names, weight: fc.integer({ min: 0, max: 100 }) }), { maxLength: 6 }),
    }),
  );
  const anyFacts: fc.Arbitrary<RoutingFacts> = fc.record({
    operation: fc.constantFrom('charge' as const, 'authorize' as const),
    amount: fc.nat(),
    currency: fc.constantFrom('EUR', 'USD', 'JPY'),
    tokens: fc.uniqueArray(names),
  });
  const pick = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('never names an account without a token, an unable one, or one twice; and is deterministic', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 3 }), anyFacts, pick, (rules, asked, number) => {
        const order = candidates(rules, asked, number, offerOf);
        expect(new Set(order).size).toBe(order.length);
        for (const psp of order) {
          expect(asked.tokens).toContain(psp);
          expect(offers[psp]?.operations).toContain(asked.operation);
          expect(offers[psp]?.currencies ?? [asked.currency]).toContain(asked.currency);
        }
        expect(candidates(rules, asked, number, offerOf)).toEqual(order);
        const explained = explainRouting(rules, asked, number, offerOf);
        expect(explained.order).toEqual(order);
        const able = explained.accounts.filter(({ because }) => because === null).map(({ psp }) => psp);
        expect(new Set(able)).toEqual(new Set(order));
      }),
      runs(2_000),
    );
  });

  it('gives every account of positive weight its share', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(weights, (drawn) => {
        const split = ['a', 'b', 'c', 'd'].map((psp, index) => ({ psp, weight: drawn[index]! }));
        const total = drawn.reduce((sum, weight) => sum + weight, 0);
        const firsts = Array.from({ length: 1_000 }, (_, n) => route([{ split }], {}, n / 1_000)[0]);
        for (const { psp, weight } of split) {
          const share = firsts.filter((first) => first === psp).length / 1_000;
          expect(Math.abs(share - weight / total)).toBeLessThanOrEqual(0.002);
        }
      }),
      { numRuns: 100 },
    );
  });
});
