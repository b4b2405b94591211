import { isLoopback } from '../config/config.js';
import { type Clock } from '../core/clock.js';
import { type AdyenOptions, AdyenPsp, PUBLIC_TRANSFERS_URL } from './adyen/adyen.psp.js';
import { AdyenNotices } from './adyen/adyen.webhook.js';
import { accountInStripeKey, type AccountIdentity, isAccountOfStripeKey, stripeAccount } from './account.js';
import { type BankInstructions } from './bank-sepa/bank-instructions.js';
import { dropKeyOf, openDrop } from './bank-sepa/bank-drop.js';
import { BankReports } from './bank-sepa/bank-reports.js';
import { BankSepaPsp } from './bank-sepa/bank-sepa.psp.js';
import { type BankSettings } from './bank-sepa/bank-settings.js';
import { CheckoutPsp, PUBLIC_URL } from './checkout/checkout.psp.js';
import { CheckoutNotices } from './checkout/checkout.webhook.js';
import { type CallContext, type PspAdapter } from './contract.js';
import { type NotificationReader } from './notification.js';
import { type ReportSource } from './psp-reports.js';
import { AdyenReports } from './adyen/adyen.reports.js';
import { StripeReports } from './stripe/stripe.reports.js';
import { keylessCapabilities, StripePsp } from './stripe/stripe.psp.js';
import { StripeNotices } from './stripe/stripe.webhook.js';

/** The settings of an account, with its references to the environment resolved. */
export interface AccountSettings {
  readonly name: string;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly credentials: Readonly<Record<string, string>>;
  /** The PSP's name of the account, where the file says it. */
  readonly account?: string;
  /** The settings of a bank that speaks in files, with the store of its instructions. */
  readonly bank?: BankSettings;
  readonly instructions?: BankInstructions | undefined;
  readonly clock: Clock;
}

export interface Credential {
  readonly name: string;
  readonly required: boolean;
  /** The name of an account is no secret and may appear in a message. */
  readonly secret: boolean;
  /** It is an address, and checked as baseUrl is; `takes`: the secrets that are sent there. */
  readonly url?: { readonly takes: readonly string[] };
  /** The form of the credential, and a description that does not show it. */
  readonly form?: { readonly pattern: RegExp; readonly message: string };
}

export interface AdapterEntry {
  /** The value of `adapter` in the configuration. */
  readonly adapter: string;
  readonly credentials: readonly Credential[];
  /** Whether baseUrl may have a path. */
  readonly basePath: boolean;
  /** The address of the PSP unless baseUrl names another. */
  readonly publicUrl: string;
  /** The hosts of the PSP itself; null: it is none that there is. */
  readonly hosts: RegExp | null;
  /** The page of a payment, by the PSP's id, for people. Absent: there is none. */
  dashboard?(pspReference: string, isTest: boolean): string;
  /**
   * The account part of the credentials, for its fingerprint: it stays what it is when a key is replaced.
   * `configured`: what the file says that the account is called.
   */
  account(credentials: Readonly<Record<string, string>>, configured?: string, bank?: BankSettings): string;
  /** The address and the account of payouts where they are not those of payments. null: there are none. */
  payoutsAt?(credentials: Readonly<Record<string, string>>): Pick<AccountIdentity, 'url' | 'account'> | null;
  /**
   * Whether the file may say that nothing at this account is real money. False unless its key or each of its addresses
   * shows that it is not live.
   */
  mayBeTest(settings: Pick<AccountSettings, 'baseUrl' | 'credentials'>): boolean;
  /** It is spoken to in files: `bank` says how. */
  readonly speaksInFiles?: true;
  /** Whether the file may say what the account is called, and this is not contradicted by the credentials. */
  takesAccount(credentials: Readonly<Record<string, string>>, configured: string): boolean;
  /** Credentials that an entry needs because of its other fields, beyond those that every entry needs. */
  missing?(written: { readonly baseUrl?: string; readonly credentials: object }): readonly string[];
  create(settings: AccountSettings): PspAdapter;
  /**
   * Asks for something that changes nothing, by the credentials of payments. Returns what it shows, for people.
   * @throws what the PSP refuses
   */
  check(settings: AccountSettings, call: CallContext): Promise<string>;
  /** Null where the account has no secret to check notifications by: then none is taken. */
  notices(settings: Pick<AccountSettings, 'credentials'>): NotificationReader | null;
  /** The PSP's name of the account in its reports, where a report may be about others too. */
  reportsAreOf?(settings: Pick<AccountSettings, 'credentials' | 'bank'>): string | undefined;
  /** Null where the account has no credentials for it. */
  reports?(
    settings: Omit<AccountSettings, 'clock'> & { readonly clock: Pick<Clock, 'timer'> },
  ): ReportSource | null;
}

const required = (name: string): Credential => ({ name, required: true, secret: true });
const optional = (name: string): Credential => ({ name, required: false, secret: true });

/** Blanks come of copying, and no signature would ever fit. */
const signingSecret = (name: string): Credential => ({
  ...optional(name),
  form: { pattern: /^\S+$/, message: 'must have no blanks' },
});

/** A key that is no hexadecimal would be read as a shorter one, and in the end as an empty one. */
const hmacKey = (name: string): Credential => ({
  ...optional(name),
  form: {
    pattern: /^(?:[0-9A-Fa-f]{2}){16,128}$/,
    message: 'must be hexadecimal, 32 to 256 characters and an even number of them',
  },
});

/** The secret before the last one is of no use alone: an operator who rotates has both. */
const previous = (name: string, written: object): string[] =>
  `${name}Previous` in written && !(name in written) ? [name] : [];

const stripeEntry = {
  credentials: [
    required('secretKey'),
    signingSecret('webhookSecret'),
    signingSecret('webhookSecretPrevious'),
  ],
  basePath: false,
  publicUrl: 'https://api.stripe.com',
  hosts: /^api\.stripe\.com$/,
  dashboard: (id, isTest) => `https://dashboard.stripe.com/${isTest ? 'test/' : ''}payments/${id}`,
  account: ({ secretKey = '' }, configured) => stripeAccount(secretKey, configured),
  takesAccount: ({ secretKey = '' }, configured) => isAccountOfStripeKey(secretKey, configured),
  // Stripe decides by the key alone, at any address.
  mayBeTest: ({ credentials: { secretKey = '' } }) => /^[sr]k_test_/.test(secretKey),
  missing: ({ credentials }) => previous('webhookSecret', credentials),
  notices: ({ credentials: { webhookSecret, webhookSecretPrevious } }) => {
    const secrets = given(webhookSecret, webhookSecretPrevious);
    return secrets.length > 0 ? new StripeNotices({ secrets }) : null;
  },
  check: (settings, call) => asked(stripe(settings), call),
  reports: ({ credentials, ...settings }) =>
    new StripeReports({ ...settings, ...stripeKey(credentials, settings.account) }),
} satisfies Partial<AdapterEntry>;

function stripe({ credentials, ...settings }: AccountSettings): StripePsp {
  return new StripePsp({ ...settings, ...stripeKey(credentials, settings.account) });
}

type Checked = Pick<PspAdapter, 'close'> & { check(call: CallContext): Promise<string> };

/** Asks by an adapter of its own, whose sockets nobody else uses. */
async function asked(adapter: Checked, call: CallContext): Promise<string> {
  try {
    return await adapter.check(call);
  } finally {
    await adapter.close();
  }
}

/** The account that the key has to be of is asked for only where the key does not name it. */
function stripeKey({ secretKey = '' }: AccountSettings['credentials'], account: string | undefined) {
  return { secretKey, account: accountInStripeKey(secretKey) === null ? account : undefined };
}

function given(...values: readonly (string | undefined)[]): string[] {
  return values.filter((value) => value !== undefined);
}

/** Every adapter there is. A new PSP is a folder beside these and a line here. */
export const adapters: readonly AdapterEntry[] = [
  {
    ...stripeEntry,
    adapter: 'stripe',
    create: stripe,
  },
  {
    // Speaks Stripe's API but remembers no Idempotency-Key: as many smaller PSPs do.
    ...stripeEntry,
    adapter: 'keyless',
    hosts: null,
    create: ({ credentials, ...settings }) =>
      new StripePsp({
        ...settings,
        ...stripeKey(credentials, settings.account),
        capabilities: keylessCapabilities,
      }),
  },
  {
    adapter: 'adyen',
    credentials: [
      required('apiKey'),
      { name: 'merchantAccount', required: true, secret: false },
      hmacKey('hmacKey'),
      hmacKey('hmacKeyPrevious'),
      // Payouts; without a balance account there are none.
      { name: 'balanceAccount', required: false, secret: false },
      { name: 'transfersBaseUrl', required: false, secret: false, url: { takes: ['transfersApiKey'] } },
      optional('transfersApiKey'),
      // The keys of the balance platform's webhooks; the account's own if absent.
      hmacKey('transfersHmacKey'),
      hmacKey('transfersHmacKeyPrevious'),
      // Reports; without an address there are none.
      {
        name: 'reportsBaseUrl',
        required: false,
        secret: false,
        url: { takes: ['reportsApiKey', 'reportsPassword'] },
      },
      optional('reportsApiKey'),
      { name: 'reportsUser', required: false, secret: false },
      optional('reportsPassword'),
    ],
    basePath: true,
    publicUrl: 'https://checkout-test.adyen.com',
    // https://docs.adyen.com/development-resources/live-endpoints
    hosts: /^(?:[a-z0-9-]+\.)+(?:adyen|adyenpayments)\.com$/,
    dashboard: (id, isTest) =>
      `https://ca-${isTest ? 'test' : 'live'}.adyen.com/ca/ca/accounts/showTx.shtml?txType=Payment&pspReference=${id}`,
    account: ({ merchantAccount = '' }) => merchantAccount,
    payoutsAt: ({ balanceAccount, transfersBaseUrl }) =>
      balanceAccount === undefined
        ? null
        : { url: transfersBaseUrl ?? PUBLIC_TRANSFERS_URL, account: balanceAccount },
    takesAccount: ({ merchantAccount }, configured) => configured === merchantAccount,
    mayBeTest: ({ baseUrl, credentials: { transfersBaseUrl } }) =>
      given(baseUrl, transfersBaseUrl).every((url) => isAdyenTest(new URL(url).hostname)),
    // A configuration that says where payments go says where payouts go: never a test address beside a live one.
    missing: ({ baseUrl, credentials }) => [
      ...(baseUrl !== undefined && 'balanceAccount' in credentials && !('transfersBaseUrl' in credentials)
        ? ['transfersBaseUrl']
        : []),
      ...previous('hmacKey', credentials),
      ...previous('transfersHmacKey', credentials),
      ...missingForReports(credentials),
    ],
    create: adyen,
    check: (settings, call) => asked(adyen(settings), call),
    notices: ({ credentials }) => adyenNotices(credentials),
    reportsAreOf: ({ credentials: { merchantAccount } }) => merchantAccount,
    reports: ({ credentials: { reportsBaseUrl, reportsApiKey, reportsUser = '', reportsPassword = '' } }) =>
      reportsBaseUrl === undefined
        ? null
        : new AdyenReports(
            reportsBaseUrl,
            reportsApiKey === undefined
              ? { user: reportsUser, password: reportsPassword }
              : { apiKey: reportsApiKey },
          ),
  },
  {
    adapter: 'checkout',
    credentials: [
      required('secretKey'),
      { name: 'processingChannel', required: false, secret: false },
      signingSecret('webhookSecret'),
      signingSecret('webhookSecretPrevious'),
    ],
    basePath: false,
    publicUrl: PUBLIC_URL,
    // https://www.checkout.com/docs/developer-resources/api/api-endpoints: live accounts have a prefix of their own.
    hosts: /^(?:[a-z0-9]+\.)?api(?:\.sandbox)?\.checkout\.com$/,
    dashboard: (id, isTest) =>
      `https://dashboard.${isTest ? 'sandbox.' : ''}checkout.com/payments/all-payments/payment/${id}`,
    account: ({ secretKey = '', processingChannel }, configured) =>
      configured ?? processingChannel ?? secretKey,
    takesAccount: () => true,
    mayBeTest: ({ credentials: { secretKey = '' } }) => secretKey.startsWith('sk_sbox_'),
    missing: ({ credentials }) => previous('webhookSecret', credentials),
    create: checkout,
    check: (settings, call) => asked(checkout(settings), call),
    notices: ({ credentials: { webhookSecret, webhookSecretPrevious } }) => {
      const secrets = given(webhookSecret, webhookSecretPrevious);
      return secrets.length > 0 ? new CheckoutNotices({ secrets }) : null;
    },
  },
  {
    adapter: 'bank-sepa',
    credentials: [required('privateKey'), optional('passphrase')],
    basePath: false,
    // An account of a bank is identified by its IBAN, not by the server that takes its files.
    publicUrl: 'https://bank-sepa.invalid',
    hosts: null,
    account: (_credentials, _configured, bank) => bank?.account.iban ?? '',
    takesAccount: () => false,
    mayBeTest: () => false,
    speaksInFiles: true,
    create: ({ name, bank, instructions }) => {
      if (!bank || !instructions) throw new TypeError(`PSP ${name} has no bank to send files to`);
      return new BankSepaPsp(name, bank, instructions);
    },
    check: async ({ bank, credentials, clock }, call) => {
      if (!bank) throw new TypeError('there is no bank to send files to');
      const drop = await openDrop(bank.sftp, dropKeyOf(credentials), clock);
      call.onGivenUp(() => void drop.end());
      try {
        const [sent, left] = await Promise.all([drop.list(bank.sftp.upload), drop.list(bank.sftp.download)]);
        return `The bank's server takes the key; files there: ${sent.length} for the bank, ${left.length} of the bank.`;
      } finally {
        await drop.end();
      }
    },
    // A bank sends no notifications; it answers in files.
    notices: () => null,
    reportsAreOf: ({ bank }) => bank?.account.iban,
    reports: ({ bank, credentials, clock }) =>
      bank ? new BankReports(bank.sftp, dropKeyOf(credentials), clock) : null,
  },
];

/** Adyen's test platform, or a simulator: on this machine, or in a container with a name without a dot. */
function isAdyenTest(host: string): boolean {
  return isLoopback(host) || /^[a-z0-9_-]+$/.test(host) || host.endsWith('-test.adyen.com');
}

/** The address and one way to sign in go together. */
function missingForReports(written: object): string[] {
  const missing = (name: string) => (name in written ? [] : [name]);
  if ('reportsUser' in written) return [...missing('reportsPassword'), ...missing('reportsBaseUrl')];
  if ('reportsApiKey' in written || 'reportsPassword' in written) {
    return [...missing('reportsBaseUrl'), ...('reportsPassword' in written ? missing('reportsUser') : [])];
  }
  return 'reportsBaseUrl' in written ? ['reportsApiKey'] : [];
}

function adyenNotices(credentials: AccountSettings['credentials']): NotificationReader | null {
  const { merchantAccount = '', hmacKey: key, hmacKeyPrevious, balanceAccount } = credentials;
  const hmacKeys = given(key, hmacKeyPrevious);
  const own = given(credentials['transfersHmacKey'], credentials['transfersHmacKeyPrevious']);
  const ofTransfers = own.length > 0 ? own : hmacKeys;
  const transferHmacKeys = balanceAccount === undefined ? [] : ofTransfers;
  if (hmacKeys.length === 0 && transferHmacKeys.length === 0) return null;
  return new AdyenNotices({ merchantAccount, hmacKeys, balanceAccount, transferHmacKeys });
}

function checkout({ credentials, ...settings }: AccountSettings): CheckoutPsp {
  const { secretKey = '', processingChannel } = credentials;
  return new CheckoutPsp({ ...settings, secretKey, processingChannel });
}

function adyen({ credentials, ...settings }: AccountSettings): AdyenPsp {
  const { apiKey = '', merchantAccount = '' } = credentials;
  return new AdyenPsp({ ...settings, apiKey, merchantAccount, ...payoutsOf(credentials) });
}

function payoutsOf(credentials: AccountSettings['credentials']): Pick<AdyenOptions, 'payouts'> {
  const { balanceAccount, transfersBaseUrl: baseUrl, transfersApiKey: apiKey } = credentials;
  if (balanceAccount === undefined) return {};
  return { payouts: { balanceAccount, ...(baseUrl ? { baseUrl } : {}), ...(apiKey ? { apiKey } : {}) } };
}

export function adapterNamed(adapter: string): AdapterEntry | undefined {
  return adapters.find((entry) => entry.adapter === adapter);
}
