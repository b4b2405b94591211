import { type PspName } from '@payonce/simulator';

/** How an account's notifications are signed: the secret, and the address that the PSP was told. */
export interface Notified {
  readonly secret: string;
  readonly at: string;
}

/** An account as a PSPs file has it. */
export interface Account {
  readonly name: string;
  readonly adapter: string;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly credentials: Readonly<Record<string, string>>;
}

type Made = Pick<Account, 'baseUrl' | 'credentials'>;

const withSecret = (name: string, notified?: Notified) => (notified ? { [name]: notified.secret } : {});
const stripeLike = (baseUrl: string, notified?: Notified): Made => ({
  baseUrl,
  credentials: { secretKey: 'sk_test_demo', ...withSecret('webhookSecret', notified) },
});

const makers: Readonly<Record<PspName, (url: string, notified?: Notified) => Made>> = {
  stripe: stripeLike,
  keyless: stripeLike,
  adyen: (url, notified) => ({
    baseUrl: `${url}/v71`,
    credentials: { apiKey: 'demo', merchantAccount: 'PayonceDemo', ...withSecret('hmacKey', notified) },
  }),
  checkout: (baseUrl, notified) => ({
    baseUrl,
    credentials: { secretKey: 'sk_sbox_demo', ...withSecret('webhookSecret', notified) },
  }),
  square: (baseUrl, notified) => ({
    baseUrl,
    credentials: {
      accessToken: 'EAAAdemo',
      locationId: 'LDEMO',
      ...(notified ? { webhookSecret: notified.secret, notificationUrl: notified.at } : {}),
    },
  }),
  mollie: (baseUrl, notified) => ({
    baseUrl,
    credentials: {
      apiKey: 'test_demo',
      reportsToken: 'access_demo',
      ...(notified ? { webhookSecret: notified.secret, notificationUrl: notified.at } : {}),
    },
  }),
  gocardless: (baseUrl, notified) => ({
    baseUrl,
    credentials: { accessToken: 'sandbox_demo', ...withSecret('webhookSecret', notified) },
  }),
  paypal: (baseUrl, notified) => ({
    baseUrl,
    credentials: { clientId: 'demo', clientSecret: 'demo-secret', ...withSecret('webhookId', notified) },
  }),
};

/** An account at a PSP that the simulator plays at this address, under the PSP's name. */
export function accountAt(psp: PspName, url: string, timeoutMs: number, notified?: Notified): Account {
  return { name: psp, adapter: psp, timeoutMs, ...makers[psp](url, notified) };
}
