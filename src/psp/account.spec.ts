import { accountFingerprint, isSameAccount } from './account.js';
import { type PspConfig } from './psp-entry.js';
import { accountOf } from './psps-config.js';

const rest = 'a'.repeat(90);
const keyOf = (account: string, prefix = 'sk_live_5') => `${prefix}${account}${rest}`;
const [one, other] = ['1HxyzAbCdEfGhIjK', '1OtherAbCdEfGhIj'];

function fingerprintOf(more: Partial<PspConfig>): string {
  const config = { name: 'psp', adapter: 'stripe', timeoutMs: 1_000, credentials: {}, ...more };
  const account = accountOf(config);
  void account.adapter.close();
  return account.fingerprint;
}
const stripe = (secretKey: string, more: Partial<PspConfig> = {}) =>
  fingerprintOf({ credentials: { secretKey }, ...more });
const adyen = (merchantAccount: string, apiKey: string, baseUrl = 'https://checkout.example/v71') =>
  fingerprintOf({ adapter: 'adyen', baseUrl, credentials: { merchantAccount, apiKey } });

describe('the fingerprint of an account', () => {
  it('stays when the key of the account is replaced, where the key says whose it is', () => {
    expect(stripe(keyOf(one))).toBe(stripe(`${keyOf(one)}b`));
    expect(stripe(keyOf(one))).toBe(stripe(keyOf(one, 'rk_live_5')));
    expect(adyen('Shop', 'a')).toBe(adyen('Shop', 'b'));
  });

  it('is another for another account, live or test, adapter or address', () => {
    const all = [
      stripe(keyOf(one)),
      stripe(keyOf(other)),
      stripe(keyOf(one, 'sk_test_5')),
      stripe(keyOf(one), { adapter: 'keyless' }),
      stripe(keyOf(one), { baseUrl: 'http://127.0.0.1:8420' }),
      adyen('Shop', 'a'),
      adyen('ShopToo', 'a'),
      adyen('Shop', 'a', 'https://other.example/v71'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('of payouts covers what they are taken from and where they go, and that of payments does not', () => {
    const of = (more: object) => {
      const credentials = { merchantAccount: 'Shop', apiKey: 'a', balanceAccount: 'BA1', ...more };
      const account = accountOf({ name: 'psp', adapter: 'adyen', timeoutMs: 1_000, credentials });
      void account.adapter.close();
      return account;
    };
    const [as, balance, address] = [
      of({}),
      of({ balanceAccount: 'BA2' }),
      of({ transfersBaseUrl: 'https://balanceplatform-api-live.adyen.com/btl/v4' }),
    ];
    expect(new Set([as, balance, address].map(({ payoutsFingerprint }) => payoutsFingerprint)).size).toBe(3);
    expect(new Set([as, balance, address].map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(isSameAccount(as.payoutsFingerprint!, balance.payoutsFingerprint!)).toBe(false);
    // A route that was opened before: its account is known, and no part of it.
    expect(isSameAccount(as.fingerprint, as.payoutsFingerprint!)).toBe(true);
    expect(isSameAccount(adyen('ShopToo', 'a'), as.payoutsFingerprint!)).toBe(false);
    expect(isSameAccount(as.payoutsFingerprint!, as.fingerprint)).toBe(false);
  });

  it('is of the key itself where it says nothing, unless the file names the account', () => {
    expect(stripe('sk_live_old_one')).not.toBe(stripe('sk_live_old_two'));
    const account = `acct_${one}`;
    expect(stripe('sk_live_old_one', { account })).toBe(stripe('sk_live_old_two', { account }));
    expect(stripe('sk_live_old_one', { account })).toBe(stripe(keyOf(one)));
  });

  it('knows the public address, and no path', () => {
    const named = { adapter: 'stripe', account: 'a' };
    expect(stripe(keyOf(one), { baseUrl: 'https://api.stripe.com' })).toBe(stripe(keyOf(one)));
    expect(adyen('Shop', 'a', 'https://checkout.example/v72')).toBe(adyen('Shop', 'a'));
    expect(accountFingerprint({ ...named, url: 'https://a.example/x' })).toMatch(/^[\w-]{22}$/);
  });
});
