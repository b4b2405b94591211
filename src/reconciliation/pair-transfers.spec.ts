import fc from 'fast-check';
import { type Booking, pairTransfers, type Transfer } from './pair-transfers.js';

const DAY_MS = 24 * 3_600_000;
const day = (n: number) => new Date(Date.parse('2026-11-01T00:00:00Z') + n * DAY_MS);

function transfer(key: string, over: Partial<Transfer> = {}): Transfer {
  return { key, currency: 'EUR', amount: 10_000, at: day(10), names: [`po_000${key}`], ...over };
}
function booking(key: string, over: Partial<Booking> = {}): Booking {
  return { key, currency: 'EUR', amount: 10_000, at: day(11), texts: [], ...over };
}
const pairsOf = (...given: Parameters<typeof pairTransfers>) =>
  [...pairTransfers(...given)].map(([key, { key: booked }]) => `${key}:${booked}`).toSorted();

describe('the bank booking of a transfer', () => {
  it.each<[string, Partial<Booking>, boolean]>([
    ['has its amount', {}, true],
    ['has another amount', { amount: 9_999 }, false],
    ['has another currency', { currency: 'USD' }, false],
    ['is of the day of the transfer', { at: day(9.5) }, true],
    ['is older than the transfer', { at: day(8) }, false],
    ['is ten days later', { at: day(20) }, true],
    ['is later than that', { at: day(20.1) }, false],
  ])('%s', (_what, over, isIts) => {
    expect(pairsOf([transfer('1')], [booking('a', over)])).toEqual(isIts ? ['1:a'] : []);
  });

  it('is the one that the bank names, though another one is earlier', () => {
    const named = booking('late', { at: day(13), texts: ['STRIPE po_0002 TX'] });
    expect(pairsOf([transfer('1'), transfer('2')], [booking('early'), named])).toEqual(['1:early', '2:late']);
  });

  it('is none that names another transfer', () => {
    const named = booking('a', { texts: ['po_0002'] });
    expect(pairsOf([transfer('1'), transfer('2', { at: day(30) })], [named])).toEqual([]);
  });

  it('is not found by a name that is too short to mean anything', () => {
    const short = [transfer('1', { names: ['7'] }), transfer('2', { at: day(10.5), names: ['9'] })];
    expect(pairsOf(short, [booking('a', { texts: ['9'] })])).toEqual(['1:a']);
  });
});

const transfers = fc.uniqueArray(
  fc.record({
    key: fc.string({ minLength: 1, maxLength: 3 }),
    amount: fc.constantFrom(100, 200),
    currency: fc.constantFrom('EUR', 'USD'),
    at: fc.integer({ min: 0, max: 30 }).map(day),
    names: fc.array(fc.constantFrom('batch-01', 'batch-02', 'batch-03'), { maxLength: 2 }),
  }),
  { selector: ({ key }) => key, maxLength: 12 },
);
const bookings = transfers.map((all) => all.map(({ names: texts, ...rest }) => ({ ...rest, texts })));

it('pairs alike money, each booking once, in whatever order both are read', () => {
  fc.assert(
    fc.property(transfers, bookings, (some, booked) => {
      const pairs = pairTransfers(some, booked);
      expect(new Set([...pairs.values()].map(({ key }) => key)).size).toBe(pairs.size);
      for (const [key, found] of pairs) {
        const { currency, amount } = some.find((each) => each.key === key)!;
        expect(found).toMatchObject({ currency, amount });
      }
      expect(pairTransfers(some.toReversed(), booked.toReversed())).toEqual(pairs);
    }),
  );
});

it('leaves no transfer and booking apart that are alike, in time and without a name', () => {
  const nameless = <Each extends { names: string[] }>(all: Each[]) =>
    all.map((each) => ({ ...each, names: [] }));
  fc.assert(
    fc.property(transfers.map(nameless), transfers.map(nameless), (some, others) => {
      const booked = others.map(({ names: texts, ...rest }) => ({ ...rest, texts }));
      const pairs = pairTransfers(some, booked);
      const taken = new Set([...pairs.values()].map(({ key }) => key));
      for (const left of some.filter(({ key }) => !pairs.has(key))) {
        const fitting = booked.filter(
          ({ key, amount, currency, at }) =>
            !taken.has(key) &&
            amount === left.amount &&
            currency === left.currency &&
            at.getTime() >= left.at.getTime() - DAY_MS &&
            at.getTime() <= left.at.getTime() + 10 * DAY_MS,
        );
        expect(fitting).toEqual([]);
      }
    }),
  );
});
