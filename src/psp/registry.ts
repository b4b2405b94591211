import { type Clock } from '../kernel/index.js';
import { AdyenPsp } from './adyen/adyen.psp.js';
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
}

export interface AdapterEntry {
  /** What `adapter` says in the configuration. */
  readonly adapter: string;
  readonly credentials: readonly Credential[];
  /** Whether baseUrl may have a path. */
  readonly basePath: boolean;
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
    ],
    basePath: true,
    create: ({ credentials, ...settings }) =>
      new AdyenPsp({
        ...settings,
        apiKey: credentials['apiKey'] ?? '',
        merchantAccount: credentials['merchantAccount'] ?? '',
      }),
  },
];

export function adapterNamed(adapter: string): AdapterEntry | undefined {
  return adapters.find((entry) => entry.adapter === adapter);
}
