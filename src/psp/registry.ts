import { type Clock } from '../kernel/index.js';
import { type AdyenOptions, AdyenPsp } from './adyen/adyen.psp.js';
import { type PspAdapter } from './contract.js';
import { keylessCapabilities, StripePsp } from './stripe/stripe.psp.js';

/** What an account is made of, with its references to the environment resolved. */
export interface AccountSettings {
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly credentials: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

export interface Credential {
  readonly name: string;
  readonly required: boolean;
  /** A name of an account is no secret and may stand in a message. */
  readonly secret: boolean;
  /** It is an address, and checked as baseUrl is. */
  readonly url?: true;
}

export interface AdapterEntry {
  /** What `adapter` says in the configuration. */
  readonly adapter: string;
  readonly credentials: readonly Credential[];
  /** Whether baseUrl may have a path. */
  readonly basePath: boolean;
  /** Names of credentials that what is written makes necessary, beyond those that always are. */
  missing?(written: { readonly baseUrl?: string; readonly credentials: object }): readonly string[];
  create(settings: AccountSettings): PspAdapter;
}

const required = (name: string): Credential => ({ name, required: true, secret: true });
const optional = (name: string): Credential => ({ name, required: false, secret: true });

const stripeCredentials = [required('secretKey'), optional('webhookSecret')];

/** Every adapter there is. A new PSP is a folder beside these and a line here. */
export const adapters: readonly AdapterEntry[] = [
  {
    adapter: 'stripe',
    credentials: stripeCredentials,
    basePath: false,
    create: ({ credentials, ...settings }) =>
      new StripePsp({ ...settings, secretKey: credentials['secretKey'] ?? '' }),
  },
  {
    // Speaks Stripe's API but remembers no Idempotency-Key: as many smaller PSPs do.
    adapter: 'keyless',
    credentials: stripeCredentials,
    basePath: false,
    create: ({ credentials, ...settings }) =>
      new StripePsp({
        ...settings,
        secretKey: credentials['secretKey'] ?? '',
        capabilities: keylessCapabilities,
      }),
  },
  {
    adapter: 'adyen',
    credentials: [
      required('apiKey'),
      { name: 'merchantAccount', required: true, secret: false },
      optional('hmacKey'),
      // Payouts; without a balance account there are none.
      { name: 'balanceAccount', required: false, secret: false },
      { name: 'transfersBaseUrl', required: false, secret: false, url: true },
      optional('transfersApiKey'),
    ],
    basePath: true,
    // Whoever names where payments go names where payouts go: never a test address beside a live one.
    missing: ({ baseUrl, credentials }) =>
      baseUrl !== undefined && 'balanceAccount' in credentials && !('transfersBaseUrl' in credentials)
        ? ['transfersBaseUrl']
        : [],
    create: ({ credentials, ...settings }) =>
      new AdyenPsp({
        ...settings,
        apiKey: credentials['apiKey'] ?? '',
        merchantAccount: credentials['merchantAccount'] ?? '',
        ...payoutsOf(credentials),
      }),
  },
];

function payoutsOf(credentials: AccountSettings['credentials']): Pick<AdyenOptions, 'payouts'> {
  const { balanceAccount, transfersBaseUrl: baseUrl, transfersApiKey: apiKey } = credentials;
  if (balanceAccount === undefined) return {};
  return { payouts: { balanceAccount, ...(baseUrl ? { baseUrl } : {}), ...(apiKey ? { apiKey } : {}) } };
}

export function adapterNamed(adapter: string): AdapterEntry | undefined {
  return adapters.find((entry) => entry.adapter === adapter);
}
