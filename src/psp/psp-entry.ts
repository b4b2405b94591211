import { isLoopback } from '../config/config.js';
import {
  type BankSettings,
  bankSettingsOf,
  bankShape,
  faultsOfBank,
  type WrittenBank,
} from './bank-sepa/bank-settings.js';
import {
  faultsOfReconciliation,
  reconciliationSettings,
  type ReconciliationSettings,
} from './reconciliation-settings.js';
import { type AdapterEntry } from './adapter-entry.js';
import { adapterNamed, adapters } from './registry.js';
import { flag, list, matching, type Shape, strictObject, text } from './shape.js';

/**
 * One PSP account as an administrator writes it, in the PSPs file or for `payonce psps add`, and its checks. Every
 * fault is reported with its place (a JSON pointer), and never with a value, because values may be secrets.
 */
export interface PspEntry {
  readonly name: string;
  readonly adapter: string;
  readonly baseUrl?: string;
  readonly account?: string;
  readonly merchants?: readonly string[];
  readonly test?: boolean;
  readonly timeoutMs?: number;
  /** The credential as written: a secret, or `env:` and the name of a variable. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly reconciliation?: ReconciliationSettings;
  readonly bank?: WrittenBank;
}

export interface PspConfig {
  readonly name: string;
  readonly adapter: string;
  readonly baseUrl?: string;
  /** The PSP's name of the account, if the credentials do not contain it. */
  readonly account?: string;
  /** The ids of the merchants that it is for. Absent: it is shared by all. */
  readonly merchants?: readonly string[];
  /** Nothing that it does moves real money. */
  readonly test?: boolean;
  readonly timeoutMs: number;
  /** Resolved: the secrets themselves. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly reconciliation?: ReconciliationSettings;
  /** The settings of a bank that speaks in files. */
  readonly bank?: BankSettings;
  /** No payment or payout begins there; what began there goes on. Only of an account that is stored. */
  readonly isDisabled?: boolean;
}

export interface PspProblem {
  /** RFC 6901. */
  readonly pointer: string;
  readonly message: string;
}

export const DEFAULT_TIMEOUT_MS = 10_000;

export const pspName = matching('^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$');

export const pspEntry = strictObject(
  {
    name: pspName,
    adapter: text,
    credentials: {
      type: 'object',
      additionalProperties: { type: 'string', minLength: 1, maxLength: 4_096 },
    },
  },
  {
    baseUrl: { type: 'string', maxLength: 2_048 },
    account: matching('^[A-Za-z0-9_.-]{1,100}$'),
    merchants: list(matching('^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'), {
      minItems: 1,
      maxItems: 10_000,
    }),
    test: flag,
    timeoutMs: { type: 'integer', minimum: 100, maximum: 60_000 },
    reconciliation: reconciliationSettings,
    bank: bankShape,
  },
);

/** The rules for accounts that are no real PSPs. */
export interface PspRules {
  /** A simulator may play PSPs: its secrets are taken, and http to a container by its name. */
  readonly simulated: boolean;
  /** The service is reached from other machines: secrets that everybody knows are refused. */
  readonly exposed: boolean;
}
export const STRICT: PspRules = { simulated: false, exposed: true };

/** Public credentials of the bundled simulator and docker/psps.json. They open no real account. */
export const SIMULATOR_SECRETS = {
  secretKey: 'sk_test_simulator',
  webhookSecret: 'whsec_simulator',
  apiKey: 'simulator',
  hmacKey: '00'.repeat(32),
} as const;
const KNOWN_SECRETS: ReadonlySet<string> = new Set(Object.values(SIMULATOR_SECRETS));

interface Checking {
  readonly env: NodeJS.ProcessEnv;
  readonly rules: PspRules;
  readonly problems: PspProblem[];
}

/** The account with its references to the environment resolved; its faults are added to `problems`. */
export function pspOf(entry: PspEntry, at: string, { env, rules, problems }: Checking): PspConfig {
  const {
    name,
    adapter,
    baseUrl,
    account,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    credentials: written,
    bank,
  } = entry;
  const credentials: Record<string, string> = {};
  const known = adapterNamed(adapter);
  if (known) {
    checkNames(known, written, `${at}/credentials`, problems);
    for (const missing of known.missing?.(entry) ?? []) {
      problems.push({ pointer: `${at}/credentials`, message: `${missing} is missing` });
    }
    if (baseUrl !== undefined) checkBaseUrl(baseUrl, known, rules, `${at}/baseUrl`, problems);
    for (const { pointer, message } of faultsOfBank(known, entry)) {
      problems.push({ pointer: `${at}${pointer}`, message });
    }
  } else {
    const names = adapters.map((each) => each.adapter).join(', ');
    problems.push({ pointer: `${at}/adapter`, message: `is none of ${names}` });
  }
  for (const [key, value] of Object.entries(written)) {
    const variable = /^env:(.*)$/s.exec(value)?.[1];
    const resolved = variable === undefined ? value : env[variable];
    const pointer = `${at}/credentials/${escaped(key)}`;
    if (resolved) {
      credentials[key] = resolved;
      const credential = known?.credentials.find(({ name }) => name === key);
      if (credential?.url && known) checkBaseUrl(resolved, known, rules, pointer, problems);
      if (credential?.secret && isKnown(resolved) && rules.exposed && !rules.simulated) {
        const message =
          "is the simulator's, which everybody knows: use the PSP's own, or PAYONCE_SIMULATOR=external for a simulator";
        problems.push({ pointer, message });
      }
      if (credential?.form && !credential.form.pattern.test(resolved)) {
        problems.push({ pointer, message: credential.form.message });
      }
    } else {
      problems.push({ pointer, message: `the environment variable ${variable} is not set` });
    }
  }
  if (account !== undefined && known && !known.takesAccount(credentials, account)) {
    problems.push({ pointer: `${at}/account`, message: 'is not the account of these credentials' });
  }
  const { merchants, reconciliation, test } = entry;
  if (test && known && !known.mayBeTest({ ...(baseUrl === undefined ? {} : { baseUrl }), credentials })) {
    const message = 'must not be true: by its key or its address this account moves real money';
    problems.push({ pointer: `${at}/test`, message });
  }
  for (const { pointer, message } of faultsOfReconciliation(reconciliation ?? {})) {
    problems.push({ pointer: `${at}/reconciliation${pointer}`, message });
  }
  const given = {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(account === undefined ? {} : { account }),
    ...(merchants === undefined ? {} : { merchants }),
    ...(test === undefined ? {} : { test }),
    ...(reconciliation === undefined ? {} : { reconciliation }),
    ...(bank === undefined ? {} : { bank: bankSettingsOf(bank) }),
  };
  return { name, adapter, ...given, timeoutMs, credentials };
}

function checkNames(entry: AdapterEntry, written: object, at: string, problems: PspProblem[]): void {
  for (const { name, required } of entry.credentials) {
    if (required && !Object.hasOwn(written, name)) {
      problems.push({ pointer: at, message: `${name} is missing` });
    }
  }
  for (const name of Object.keys(written)) {
    if (!entry.credentials.some((credential) => credential.name === name)) {
      problems.push({ pointer: `${at}/${escaped(name)}`, message: 'is not known' });
    }
  }
}

/** However it is spelt in hex. */
function isKnown(secret: string): boolean {
  return KNOWN_SECRETS.has(secret.toLowerCase());
}

function checkBaseUrl(
  url: string,
  entry: AdapterEntry,
  rules: PspRules,
  pointer: string,
  problems: PspProblem[],
): void {
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol)) {
    problems.push({ pointer, message: 'must be an http or https URL' });
    return;
  }
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(url);
  // A name without a dot is a container beside this one.
  const isNear = isLoopback(hostname) || (rules.simulated && /^[a-z0-9_-]+$/.test(hostname));
  if (protocol === 'http:' && !isNear) {
    const message =
      'must be https: http is for loopback addresses and, with PAYONCE_SIMULATOR=external, for a simulator beside it';
    problems.push({ pointer, message });
  }
  if (search || hash || username || password) {
    problems.push({ pointer, message: 'must have no query, fragment or user' });
  }
  if (!entry.basePath && pathname !== '/') {
    problems.push({ pointer, message: `must have no path for ${entry.adapter}` });
  }
}

/** Between a PSP's timeout and the end of the lock it is called under. */
const LOCK_MARGIN_MS = 1_000;

/** A call that could outlive its lock would never be made. `lockTtlMs`: how long a request locks its key. */
export function faultsOfTimeout(
  { lockTtlMs }: { readonly lockTtlMs: number },
  { timeoutMs }: Pick<PspConfig, 'timeoutMs'>,
): PspProblem[] {
  const least = timeoutMs + LOCK_MARGIN_MS;
  if (least <= lockTtlMs) return [];
  const message = `PAYONCE_LOCK_TTL_MS is ${lockTtlMs}; it takes at least ${least}, for a call may take ${timeoutMs} ms`;
  return [{ pointer: '/timeoutMs', message }];
}

export function shapeProblems<T>(shape: Shape<T>, content: unknown): PspProblem[] {
  return shape.faultsOf(content).map(({ keyword, instancePath, message = '', params }) =>
    keyword === 'additionalProperties'
      ? {
          pointer: `${instancePath}/${escaped(String(params['additionalProperty']))}`,
          message: 'is not known',
        }
      : { pointer: instancePath, message: message.replace('NOT', 'not') },
  );
}

/** A name as a token of a JSON pointer. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
