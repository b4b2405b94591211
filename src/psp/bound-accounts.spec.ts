import { Registry } from 'prom-client';
import { ManualClock } from '../core/clock.js';
import { PspDirectory } from './psp-directory.js';
import { accountOf } from './psps-config.js';
import { parsePsps } from './psps-file.js';
import { PspRouter, type RoutingFacts } from './router.js';

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
