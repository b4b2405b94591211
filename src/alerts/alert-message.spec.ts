import { messageOf } from './alert-message.js';
import { alertKinds, type Waiting } from './alert-rules.js';

const waiting = (differences: Partial<Waiting> = {}): Waiting => ({
  list: 'stuck',
  count: 3,
  oldestAt: new Date('2026-11-22T02:14:09Z'),
  newestAt: new Date('2026-11-22T02:20:00Z'),
  money: [
    { currency: 'EUR', amount: 12_999 },
    { currency: 'JPY', amount: 1_200 },
  ],
  ...differences,
});

describe('an alert in words', () => {
  it('says how much waits since when, what it is about and what to do', () => {
    expect(messageOf('new', waiting(), 'https://pay.example/ops/')).toEqual({
      event: 'new',
      kind: 'stuck',
      count: 3,
      source: 'pay.example',
      summary:
        'Payonce: 3 operations are stuck (129.99 EUR, 1200 JPY), the oldest since 2026-11-22T02:14Z: find out what the PSP did',
      link: 'https://pay.example/ops/stuck',
    });
    const one = messageOf('reminder', waiting({ list: 'approvals', count: 1, money: [] }), null);
    expect(one.summary).toBe(
      'Payonce: still: 1 request waits for approval, the oldest since 2026-11-22T02:14Z: a second person decides',
    );
    expect([one.source, one.link]).toEqual(['payonce', null]);
  });

  it('names three currencies', () => {
    const money = ['EUR', 'USD', 'GBP', 'CHF', 'SEK'].map((currency) => ({ currency, amount: 100 }));
    expect(messageOf('new', waiting({ money }), null).summary).toContain(
      '(1.00 EUR, 1.00 USD, 1.00 GBP, 2 more currencies)',
    );
  });

  it('says of each list that it is empty again', () => {
    const none = { count: 0, oldestAt: null, newestAt: null, money: [] };
    expect(alertKinds.map((list) => messageOf('over', { list, ...none }, null).summary)).toEqual([
      'Payonce: no operations are stuck any more',
      'Payonce: no orphan effects wait any more',
      'Payonce: no breaks are open any more',
      'Payonce: no disputes are open any more',
      'Payonce: no disputes are open whose answers are due within three days any more',
      'Payonce: no requests wait for approval any more',
      'Payonce: no reports of PSPs are late or were refused any more',
    ]);
  });
});
