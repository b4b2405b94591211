import { Registry } from 'prom-client';
import { ManualClock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { PspDirectory } from './psp-directory.js';
import { accountOf } from './psps-config.js';
import { parsePsps } from './psps-file.js';
import { type NamedAccounts, PspRouter, type RoutingFacts } from './router.js';

const [own, other] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'];
const file = (merchants: unknown) =>
  JSON.stringify({
    psps: [
      { name: 'shared', adapter: 'stripe', credentials: { secretKey: 'sk_1' } },
      { name: 'bound', adapter: 'stripe', credentials: { secretKey: 'sk_2' }, merchants },
    ],
    routing: [{ order: ['bound', 'shared'] }],
  });
const facts = (...tokens: string[]): RoutingFacts => ({
  operation: 'charge',
  amount: 1_000,
  currency: 'EUR',
  tokens,
});

describe('an account that is bound to merchants', () => {
  const config = parsePsps(file([own]), 'psps.json', {});
  const directory = new PspDirectory(
    config.psps.map((psp) => accountOf(psp)),
    {
      clock: new ManualClock(),
      metrics: new Registry(),
    },
  );
  const router = new PspRouter(config, directory);
  const candidates = (merchantId: string, ...tokens: string[]) =>
    router.candidates(facts(...tokens), 'AAAAAAAA', { merchantId, isTest: false });
  afterAll(() => directory.close());

  it('takes operations of theirs, beside one that is shared', () => {
    expect(candidates(own, 'shared', 'bound')).toEqual(['bound', 'shared']);
    expect(candidates(other, 'shared')).toEqual(['shared']);
  });

  it('refuses those of any other merchant, also where a shared one could take them', () => {
    for (const tokens of [['bound'], ['shared', 'bound']]) {
      expect(() => candidates(other, ...tokens)).toThrow('psp_account_refused: The PSP account bound is not');
    }
  });

  it('is still there for what is open: the name is known, and its promises', () => {
    expect(directory.has('bound')).toBe(true);
    expect(directory.reasonToRefuse('bound', { merchantId: other, isTest: false })).toBe(
      'is not for this merchant',
    );
    expect(directory.has('gone')).toBe(false);
    expect([own, other].map((merchantId) => directory.mayBegin('bound', merchantId))).toEqual([true, false]);
  });
});

it.each([[[]], [['Shop']], [[own, 7]], [own]])('is not bound to %j', (merchants) => {
  expect(() => parsePsps(file(merchants), 'psps.json', {})).toThrow('/psps/1/merchants');
});

describe('what a request names', () => {
  const psps = [
    { name: 'stripe', adapter: 'stripe', credentials: { secretKey: 'sk_1' } },
    {
      name: 'adyen',
      adapter: 'adyen',
      credentials: { apiKey: 'key', merchantAccount: 'Shop', balanceAccount: 'BA1' },
    },
    { name: 'strangers', adapter: 'stripe', credentials: { secretKey: 'sk_3' }, merchants: [other] },
  ];
  const config = parsePsps(
    JSON.stringify({
      psps,
      routing: [{ when: { currency: ['USD'] }, order: ['stripe'] }, { order: ['adyen', 'stripe'] }],
    }),
    'psps.json',
    {},
  );
  const directory = new PspDirectory(
    config.psps.map((psp) => accountOf(psp)),
    { clock: new ManualClock(), metrics: new Registry() },
  );
  const router = new PspRouter(config, directory);
  afterAll(() => directory.close());

  /** The candidates, or the pointers and messages of the refusal. */
  function asked(named: Omit<NamedAccounts, 'at'>, currency = 'EUR') {
    const client = { merchantId: own, isTest: false };
    const about = { operation: 'charge', amount: 1_000, currency, method: 'card' } as const;
    try {
      return router.candidatesFor({ at: '/payment_method', ...named }, about, 'AAAAAAAA', client);
    } catch (error) {
      return error instanceof Problem && error.code === 'validation_failed' ? error.more.errors : error;
    }
  }

  it('is refused with its place, and with the accounts of this merchant, where there is no such account', () => {
    const message = 'is no PSP account; there are stripe, adyen';
    expect(asked({ tokens: { stripe: 'pm_1', adyn: '8415' }, customers: { strpe: 'cus_1' } })).toEqual([
      { pointer: '/payment_method/tokens/adyn', message },
      { pointer: '/payment_method/customers/strpe', message },
    ]);
  });

  it.each([
    ['nobody', {}],
    ['a name that is too short', { customerReference: 'ab' }],
    ['the customer of another account', { customers: { stripe: 'cus_1' } }],
  ])('is refused where a token needs its customer, and there is %s', (_, more) => {
    const [fault] = asked({ tokens: { stripe: 'pm_1', adyen: '8415' }, ...more }) as { pointer: string }[];
    expect(fault).toMatchObject({ pointer: '/payment_method/customers/adyen' });
  });

  it.each([{ customers: { adyen: 'shopper-1' } }, { customerReference: 'customer-1' }])(
    'is taken with the customer of its token: %j',
    (more) => {
      expect(asked({ tokens: { stripe: 'pm_1', adyen: '8415' }, ...more })).toEqual(['adyen', 'stripe']);
    },
  );

  it('needs no customer for a payout', () => {
    const client = { merchantId: own, isTest: false };
    const about = { operation: 'payout', amount: 1_000, currency: 'EUR' } as const;
    const named = { at: '/recipient', tokens: { adyen: 'SE0000000000000000000001' } };
    expect(router.candidatesFor(named, about, 'AAAAAAAA', client)).toEqual(['adyen']);
  });

  it('needs no customer of an account that would not be asked', () => {
    expect(asked({ tokens: { stripe: 'pm_1', adyen: '8415' } }, 'USD')).toEqual(['stripe']);
  });
});
