import fc from 'fast-check';
import { type AccountAccess, reasonToRefuse } from './account-access.js';
import { defaultPsps, parsePsps, type PspsFileError } from './psps-file.js';

const merchantId = '01900000-0000-7000-8000-000000000001';
const accounts: fc.Arbitrary<AccountAccess> = fc.record(
  { isTest: fc.boolean(), merchants: fc.constantFrom(null, new Set([merchantId]), new Set(['another'])) },
  { requiredKeys: [] },
);

describe('an operation', () => {
  it('of test mode begins at accounts of test mode alone, whatever else is allowed', () => {
    fc.assert(
      fc.property(accounts, fc.boolean(), (account, liveReachesTest) => {
        const reason = reasonToRefuse(account, { merchantId, isTest: true }, liveReachesTest);
        return reason !== null || account.isTest === true;
      }),
    );
  });

  it('that is not of test mode begins at accounts of test mode where that is allowed alone', () => {
    fc.assert(
      fc.property(accounts, fc.boolean(), (account, liveReachesTest) => {
        const reason = reasonToRefuse(account, { merchantId, isTest: false }, liveReachesTest);
        return reason !== null || account.isTest !== true || liveReachesTest;
      }),
    );
  });

  it('begins where mode and merchant fit', () => {
    const own = new Set([merchantId]);
    expect(reasonToRefuse({}, { merchantId, isTest: false }, false)).toBeNull();
    expect(reasonToRefuse({ isTest: true, merchants: own }, { merchantId, isTest: true }, false)).toBeNull();
    expect(reasonToRefuse({ isTest: true }, { merchantId, isTest: false }, true)).toBeNull();
    expect(reasonToRefuse({ merchants: new Set() }, { merchantId, isTest: false }, true)).toBe(
      'is not for this merchant',
    );
  });
});

describe('test: true', () => {
  const at = (entry: object) => {
    const text = JSON.stringify({ psps: [{ name: 'one', test: true, ...entry }] });
    try {
      return parsePsps(text, 'psps.json', {}, { simulated: true, exposed: false }).psps[0]!.test;
    } catch (error) {
      return (error as PspsFileError).problems.map(({ pointer }) => pointer);
    }
  };
  const stripe = (secretKey: string) => ({ adapter: 'stripe', credentials: { secretKey } });
  const adyen = (baseUrl?: string, transfersBaseUrl?: string) => ({
    adapter: 'adyen',
    ...(baseUrl ? { baseUrl } : {}),
    credentials: { apiKey: 'k', merchantAccount: 'm', ...(transfersBaseUrl ? { transfersBaseUrl } : {}) },
  });

  it.each([
    stripe('sk_test_1'),
    stripe('rk_test_1'),
    adyen(),
    adyen('https://checkout-test.adyen.com/v71', 'https://balanceplatform-api-test.adyen.com/btl/v4'),
    adyen('http://127.0.0.1:8430/v71'),
    adyen('http://simulator:8430/v71'),
  ])('is taken of %j', (entry) => expect(at(entry)).toBe(true));

  it.each([
    stripe('sk_live_1'),
    stripe('whatever'),
    { ...stripe('sk_live_1'), adapter: 'keyless', baseUrl: 'http://127.0.0.1:1' },
    adyen('https://prefix-checkout-live.adyenpayments.com/checkout/v71'),
    adyen('https://proxy.shop.example/v71'),
    adyen('https://checkout-test.adyen.com/v71', 'https://balanceplatform-api-live.adyen.com/btl/v4'),
  ])('is refused of %j', (entry) => expect(at(entry)).toEqual(['/psps/0/test']));

  it('is said of the simulator', () => {
    const { psps } = defaultPsps({ stripe: 'http://127.0.0.1:1', adyen: 'http://127.0.0.1:2' });
    expect(psps.map(({ test }) => test)).toEqual([true, true]);
  });
});
