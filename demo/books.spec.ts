import { type BookEntry, compare, entriesOf, type LedgerEffect, money, totalsOf } from './books.js';

const paymentId = '01a1fe05-a425-7596-8a45-7f1b3536c0eb';

const effect: LedgerEffect = {
  psp: 'stripe',
  operation: 'charge',
  psp_reference: 'pi_1',
  reference: `payment-${paymentId}-charge`,
  amount: 2_000,
  currency: 'USD',
};

const entry: BookEntry = {
  paymentId,
  order: 'order-1',
  operation: 'charge',
  effects: 1,
  open: false,
  psp: 'stripe',
  amount: 2_000,
  currency: 'USD',
};

const declined: BookEntry = { ...entry, effects: 0, psp: null };

describe('holding the ledgers against the books', () => {
  it('agrees where both say the same, and where nothing happened', () => {
    const { rows, doubled, complaints } = compare([effect], [entry]);
    expect(rows).toEqual([
      {
        order: 'order-1',
        operation: 'charge',
        psp: 'stripe',
        currency: 'USD',
        ledger: { effects: 1, amount: 2_000 },
        books: { effects: 1, amount: 2_000 },
        complaint: null,
      },
    ]);
    expect({ doubled, complaints }).toEqual({ doubled: 0, complaints: [] });
    expect(compare([], [declined])).toMatchObject({ doubled: 0, complaints: [] });
  });

  it('fails on an effect that was made twice, at one PSP or at two', () => {
    for (const psp of ['stripe', 'adyen']) {
      const { doubled, complaints } = compare([effect, { ...effect, psp, psp_reference: 'two' }], [entry]);
      expect(doubled).toBe(1);
      expect(complaints).toEqual([expect.stringContaining('order-1, charge: done 2 times')]);
    }
  });

  it('fails on an effect that is missing in the ledgers', () => {
    expect(compare([], [entry])).toMatchObject({
      doubled: 0,
      complaints: ['order-1, charge: our books say stripe did it, and no ledger has it.'],
    });
  });

  it('fails on an effect that is missing in the books', () => {
    expect(compare([effect], [declined]).complaints).toEqual([
      expect.stringMatching(/^order-1, charge: stripe has charge 20\.00 USD.* nothing happened\.$/),
    ]);
  });

  it.each([
    {
      of: 'a payment that the books do not have',
      reference: 'payment-00000000-0000-7000-8000-000000000000-charge',
    },
    { of: 'something that is no payment of ours', reference: 'invoice-1' },
    { of: 'nobody knows what', reference: null },
  ])('fails on an effect of $of', ({ reference }) => {
    const stray = { ...effect, reference, psp_reference: 'pi_2' };
    const { rows, complaints } = compare([effect, stray], [entry]);
    expect(rows).toHaveLength(2);
    expect(complaints).toEqual(['Our books know nothing of this: stripe has charge 20.00 USD, pi_2.']);
    expect(compare([effect, stray, stray], [entry]).doubled).toBe(1);
  });

  it.each([
    { what: 'amount', other: { amount: 2_001 } },
    { what: 'currency', other: { currency: 'EUR' } },
    { what: 'PSP', other: { psp: 'adyen' } },
  ])('fails on another $what', ({ other }) => {
    expect(compare([{ ...effect, ...other }], [entry]).complaints).toHaveLength(1);
  });

  it('fails on an operation that is undecided, whatever the ledgers say', () => {
    const open = { ...declined, open: true };
    for (const ledger of [[], [effect]]) {
      expect(compare(ledger, [open]).complaints).toEqual([
        'order-1, charge: our books do not know yet what became of it.',
      ]);
    }
  });

  it('tells operations of one payment apart, which a PSP knows by the payment', () => {
    const authorize = { ...effect, operation: 'authorize', reference: `payment-${paymentId}-authorize` };
    const capture = { ...authorize, operation: 'capture', amount: 500 };
    const books = [
      { ...entry, operation: 'authorize' },
      { ...entry, operation: 'capture', amount: 500 },
    ];
    expect(compare([authorize, capture], books)).toMatchObject({ doubled: 0, complaints: [] });
    expect(compare([authorize, capture, capture], books).doubled).toBe(1);
  });
});

describe('the books', () => {
  const payment = {
    id: paymentId,
    reference: 'order-1',
    amount: 2_000,
    amount_captured: 500,
    amount_refunded: 200,
    currency: 'USD',
  };
  const attempt = {
    entity_key: `payment-${paymentId}-authorize`,
    route: 1,
    psp: 'adyen',
    verdict: 'ruled_out',
  };

  it('are made of what the API tells: the route that took effect, one entry for each operation', () => {
    const second = { ...attempt, route: 2, psp: 'stripe', verdict: 'effective' };
    const capture = { ...second, entity_key: `payment-${paymentId}-capture`, route: 1 };
    const refund = { ...capture, entity_key: `payment-${paymentId}-refund` };
    expect(entriesOf(payment, [attempt, second, second, capture, refund])).toEqual([
      { ...entry, operation: 'authorize' },
      { ...entry, operation: 'capture', amount: 500 },
      { ...entry, operation: 'refund', amount: 200 },
    ]);
  });

  it('have no effect where every route was ruled out, and say where one is open', () => {
    expect(entriesOf(payment, [attempt])).toEqual([{ ...declined, operation: 'authorize' }]);
    expect(entriesOf(payment, [{ ...attempt, verdict: 'open' }])).toMatchObject([{ open: true, effects: 0 }]);
  });

  it('notice two routes that both took effect', () => {
    const both = [1, 2].map((route) => ({ ...attempt, route, verdict: 'effective' }));
    const entries = entriesOf(payment, both);
    expect(entries).toMatchObject([{ effects: 2 }]);
    const once = { ...effect, psp: 'adyen', operation: 'authorize' };
    expect(compare([once], entries).complaints).toEqual([
      'order-1, authorize: our books hold it as done 2 times.',
    ]);
  });
});

it('sums up by PSP and currency what customers paid: charges and captures', () => {
  const held = { ...effect, operation: 'authorize', amount: 900 };
  expect(totalsOf([effect, held, { ...effect, psp: 'adyen' }], [entry, declined])).toEqual([
    { psp: 'adyen', currency: 'USD', ledger: { effects: 1, taken: 2_000 }, books: { effects: 0, taken: 0 } },
    {
      psp: 'stripe',
      currency: 'USD',
      ledger: { effects: 2, taken: 2_000 },
      books: { effects: 1, taken: 2_000 },
    },
  ]);
});

it('writes money with the decimals of its currency', () => {
  expect([money(4_990, 'EUR'), money(500, 'JPY'), money(1_234, 'KWD')]).toEqual([
    '49.90 EUR',
    '500 JPY',
    '1.234 KWD',
  ]);
});
