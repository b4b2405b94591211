import { dashboardUrl } from './dashboard.js';

const stripe = (secretKey: string, baseUrl?: string) => ({
  adapter: 'stripe',
  credentials: { secretKey },
  ...(baseUrl === undefined ? {} : { baseUrl }),
});
const adyen = (baseUrl?: string) => ({
  adapter: 'adyen',
  credentials: {},
  ...(baseUrl === undefined ? {} : { baseUrl }),
});
const STRIPE = 'https://dashboard.stripe.com';
const ADYEN = 'adyen.com/ca/ca/accounts/showTx.shtml?txType=Payment&pspReference=';

it.each([
  [stripe('sk_live_1'), 'pi_1', `${STRIPE}/payments/pi_1`],
  [stripe('rk_test_1'), 'pi_1', `${STRIPE}/test/payments/pi_1`],
  [stripe('sk_test_1', 'http://127.0.0.1:8420'), 'pi_1', null],
  [stripe('sk_live_1', 'https://api.stripe.com.example'), 'pi_1', null],
  [adyen(), 'ABC123', `https://ca-test.${ADYEN}ABC123`],
  [
    adyen('https://1797-Shop-checkout-live.adyenpayments.com/checkout/v71'),
    'A1',
    `https://ca-live.${ADYEN}A1`,
  ],
  [adyen('http://127.0.0.1:8430/v71'), 'A1', null],
  [adyen('https://notadyen.com'), 'A1', null],
  [
    { adapter: 'checkout', credentials: { secretKey: 'sk_sbox_1' } },
    'pay_1',
    'https://dashboard.sandbox.checkout.com/payments/all-payments/payment/pay_1',
  ],
  [
    { adapter: 'checkout', credentials: { secretKey: 'sk_1' }, baseUrl: 'https://abc123.api.checkout.com' },
    'pay_1',
    'https://dashboard.checkout.com/payments/all-payments/payment/pay_1',
  ],
  [{ adapter: 'bank-sepa', credentials: {} }, 'A1', null],
  [stripe('sk_live_1'), null, null],
  [stripe('sk_live_1'), '../../login?next=', null],
])('%j shows %s at %s', (account, reference, url) => {
  expect(dashboardUrl(account, reference)).toBe(url);
});
