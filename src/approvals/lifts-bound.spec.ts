import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.js';
import { recipientRules } from '../core/merchant-settings.js';
import { type PayoutLimit } from '../merchants/payout-limits.js';
import { type Bounds, liftsBound, loosens, widens } from './lifts-bound.js';

describe('a limit of payouts', () => {
  const figure = fc.option(fc.integer({ min: 0, max: 3 }), { nil: null });
  const name = fc.record({
    currency: fc.constantFrom('EUR', 'USD'),
    per: fc.constantFrom('merchant' as const, 'recipient' as const),
  });
  const limit = fc
    .tuple(name, figure, figure)
    .map(([named, amount, count]) => ({ ...named, amount, count }))
    .filter(({ amount, count }) => amount !== null || count !== null);
  const limits = fc.uniqueArray(limit, {
    selector: ({ currency, per }) => `${currency} ${per}`,
    maxLength: 4,
  });

  interface Day {
    readonly currency: string;
    readonly merchant: { readonly amount: number; readonly count: number };
    readonly recipient: { readonly amount: number; readonly count: number };
  }
  const figures = fc.record({
    amount: fc.integer({ min: 0, max: 4 }),
    count: fc.integer({ min: 0, max: 4 }),
  });
  const day: fc.Arbitrary<Day> = fc.record({
    currency: fc.constantFrom('EUR', 'USD'),
    merchant: figures,
    recipient: figures,
  });
  const letsThrough = (kept: readonly PayoutLimit[], { currency, ...paid }: Day): boolean => {
    const own = kept.filter((each) => each.currency === currency);
    if (kept.length > 0 && own.length === 0) return false;
    return own.every(
      ({ per, amount, count }) =>
        paid[per].amount <= (amount ?? Infinity) && paid[per].count <= (count ?? Infinity),
    );
  };

  it('that is set by one person lets nothing through that was refused before', () => {
    fc.assert(
      fc.property(limits, limit, fc.array(day, { minLength: 1, maxLength: 20 }), (before, to, days) => {
        if (loosens(before, to)) return;
        const others = before.filter(({ currency, per }) => currency !== to.currency || per !== to.per);
        for (const each of days) {
          if (letsThrough([...others, to], each)) expect(letsThrough(before, each)).toBe(true);
        }
      }),
      runs(5_000),
    );
  });

  it('that is the first, lower, or beside another of its currency takes one person', () => {
    const to: PayoutLimit = { currency: 'EUR', per: 'merchant', amount: 100, count: null };
    expect(loosens([], to)).toBe(false);
    expect(loosens([{ ...to, amount: 101 }], to)).toBe(false);
    expect(loosens([{ ...to, per: 'recipient' }], to)).toBe(false);
    expect(loosens([{ ...to, amount: 99 }], to)).toBe(true);
    expect(loosens([{ ...to, count: 5 }], to)).toBe(true);
    expect(loosens([{ ...to, currency: 'USD' }], to)).toBe(true);
  });
});

it('widens a rule of recipients towards any', () => {
  const wider = recipientRules.flatMap((before) => recipientRules.filter((after) => widens(before, after)));
  expect(wider).toEqual(['any', 'any', 'registered']);
});

describe('a change of a merchant', () => {
  const limit: PayoutLimit = { currency: 'EUR', per: 'merchant', amount: 100, count: null };
  const bounds: Bounds = { isTest: false, rule: 'approved', limits: [limit] };
  const merchant_id = 'm';
  const lifting = [
    { kind: 'set_payout_recipients', merchant_id, rule: 'any' },
    { kind: 'set_payout_limit', merchant_id, ...limit, amount: 101 },
    { kind: 'remove_payout_limit', merchant_id, currency: 'EUR', per: 'merchant' },
    { kind: 'allow_payouts', merchant_id, api_key: 'k', prefix: 'p' },
  ] as const;

  it.each(lifting)('lifts a bound, but for a merchant of test mode: $kind', (action) => {
    expect(liftsBound(action, bounds)).toBe(true);
    expect(liftsBound(action, { ...bounds, isTest: true })).toBe(false);
  });

  it('lifts none where it keeps or tightens it, or where there is none', () => {
    expect(liftsBound({ ...lifting[0], rule: 'approved' }, bounds)).toBe(false);
    expect(liftsBound({ ...lifting[1], amount: 100 }, bounds)).toBe(false);
    expect(liftsBound({ ...lifting[2], per: 'recipient' }, bounds)).toBe(false);
  });
});
