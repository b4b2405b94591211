import { faultsOfHosts, faultsOfMoves, movedAddresses, withoutSecretsOf } from './addresses.js';
import { type PspEntry, STRICT } from './psp-entry.js';
import { adapterNamed } from './registry.js';

const adyen = (credentials: Record<string, string>, baseUrl?: string): PspEntry => ({
  name: 'a',
  adapter: 'adyen',
  ...(baseUrl === undefined ? {} : { baseUrl }),
  credentials: { apiKey: 'k', merchantAccount: 'm', ...credentials },
});
const stripe = (baseUrl: string): PspEntry => ({ name: 's', adapter: 'stripe', baseUrl, credentials: {} });

describe('the host of a stored account', () => {
  it.each([
    stripe('https://api.stripe.com'),
    adyen({}, 'https://checkout-test.adyen.com/v71'),
    adyen({}, 'https://1797a841fbb37ca7-Shop-checkout-live.adyenpayments.com/checkout/v71'),
    adyen({ transfersBaseUrl: 'https://balanceplatform-api-live.adyen.com/btl/v4' }),
    adyen({ reportsBaseUrl: 'https://ca-live.adyen.com/reports/download' }),
  ])('may be one of its PSP: %j', (entry) => {
    expect(faultsOfHosts(STRICT, entry)).toEqual([]);
  });

  it.each([
    [stripe('https://api.stripe.com.example.org'), '/baseUrl'],
    [stripe('https://stripe.com'), '/baseUrl'],
    [stripe('http://127.0.0.1:8080'), '/baseUrl'],
    [stripe('http://169.254.169.254'), '/baseUrl'],
    [{ ...stripe('https://api.stripe.com'), adapter: 'keyless' }, '/baseUrl'],
    [adyen({}, 'https://notadyen.com/v71'), '/baseUrl'],
    [adyen({}, 'https://adyen.com.example.org/v71'), '/baseUrl'],
    [adyen({ transfersBaseUrl: 'https://10.0.0.7/btl/v4' }), '/credentials/transfersBaseUrl'],
    [adyen({ reportsBaseUrl: 'https://intranet/reports' }), '/credentials/reportsBaseUrl'],
  ])('may be no other: %j', (entry, pointer) => {
    expect(faultsOfHosts(STRICT, entry)).toEqual([{ pointer, message: `is no host of ${entry.adapter}` }]);
    expect(faultsOfHosts({ ...STRICT, simulated: true }, entry)).toEqual([]);
  });

  it('may be this machine where nobody else reaches the service', () => {
    const near = stripe('http://127.0.0.1:8080');
    expect(faultsOfHosts({ simulated: false, exposed: false }, near)).toEqual([]);
  });
});

describe('a changed address', () => {
  const entry = adapterNamed('adyen')!;
  const url = 'https://ca-live.adyen.com';
  const before = adyen({ reportsBaseUrl: `${url}/reports`, reportsUser: 'u', reportsPassword: 'p' });
  const changed = (given: Record<string, string>, without: readonly string[] = []) => {
    const credentials = Object.entries({ ...before.credentials, ...given });
    const kept = credentials.filter(([name]) => !without.includes(name));
    const after = { ...before, credentials: Object.fromEntries(kept) };
    const moved = movedAddresses(entry, before, after);
    return {
      moved: moved.map(({ name }) => name),
      faults: faultsOfMoves(moved, after, given).map(({ pointer }) => pointer),
      kept: Object.keys(withoutSecretsOf(moved, after, given).credentials),
    };
  };

  it('is one with another origin, and drops the secrets that would be sent there', () => {
    const reportsBaseUrl = 'https://ca-test.adyen.com/reports';
    expect(changed({ reportsBaseUrl: `${url}/other` })).toMatchObject({ moved: [], faults: [] });
    expect(changed({ reportsBaseUrl }).faults).toEqual(['/credentials/reportsBaseUrl']);
    const { moved, faults, kept } = changed({ reportsBaseUrl, reportsApiKey: 'r' });
    expect([moved, faults]).toEqual([['reportsBaseUrl'], []]);
    expect(kept).not.toContain('reportsPassword');
    expect(kept).toEqual(expect.arrayContaining(['apiKey', 'reportsApiKey']));
  });

  it('is one that is new, or loses its key: the key of payments would be sent there', () => {
    const transfers = { transfersBaseUrl: 'https://balanceplatform-api-live.adyen.com', balanceAccount: 'B' };
    expect(changed(transfers).faults).toEqual(['/credentials/transfersBaseUrl']);
    expect(changed({ ...transfers, transfersApiKey: 't' }).faults).toEqual([]);
    expect(changed({}, ['reportsPassword', 'reportsUser']).faults).toEqual(['/credentials/reportsBaseUrl']);
  });
});
