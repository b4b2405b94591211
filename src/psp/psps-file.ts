import { readFile } from 'node:fs/promises';
import { type Clock, SystemClock } from '../core/clock.js';
import { isLoopback } from '../config/config.js';
import { isCurrency, MAX_AMOUNT } from '../core/money.js';
import { accountFingerprint } from './account.js';
import { type BankInstructions } from './bank-sepa/bank-instructions.js';
import {
  type BankSettings,
  bankSettingsOf,
  bankShape,
  faultsOfBank,
  type WrittenBank,
} from './bank-sepa/bank-settings.js';
import { type NotificationReader } from './notification.js';
import { type PspAccount } from './psp-directory.js';
import {
  faultsOfReconciliation,
  reconciliationSettings,
  type ReconciliationSettings,
} from './reconciliation-settings.js';
import { type AdapterEntry, adapterNamed, adapters } from './registry.js';
import { type RoutingRule } from './router.js';
import { type ReportSource } from './reports.js';
import { flag, list, matching, shape, strictObject, text } from './shape.js';

/**
 * PAYONCE_PSPS_FILE: which PSP accounts there are and how payments are routed among them. Checked
 * whole before anything starts; every fault is reported with its place (a JSON pointer), and never
 * with a value, because values may be secrets.
 */
export abstract class PspsConfig {
  readonly psps: readonly PspConfig[];
  readonly routing: readonly RoutingRule[];
}

export interface PspConfig {
  readonly name: string;
  readonly adapter: string;
  readonly baseUrl?: string;
  /** What the PSP calls the account, where the credentials do not say. */
  readonly account?: string;
  /** The ids of the merchants that it is for. Absent: it is shared by all. */
  readonly merchants?: readonly string[];
  /** Nothing that it does moves real money. */
  readonly test?: boolean;
  readonly timeoutMs: number;
  /** Resolved: the secrets themselves. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly reconciliation?: ReconciliationSettings;
  /** Of a bank that speaks in files. */
  readonly bank?: BankSettings;
}

export interface PspsFileProblem {
  /** RFC 6901. */
  readonly pointer: string;
  readonly message: string;
}

export class PspsFileError extends Error {
  constructor(
    readonly file: string,
    readonly problems: readonly PspsFileProblem[],
  ) {
    const lines = problems.map(({ pointer, message }) => `${file}: ${pointer || '/'}: ${message}`);
    super(lines.join('\n'));
    this.name = 'PspsFileError';
  }
}

export const DEFAULT_TIMEOUT_MS = 10_000;

interface PspEntry {
  readonly name: string;
  readonly adapter: string;
  readonly baseUrl?: string;
  readonly account?: string;
  readonly merchants?: readonly string[];
  readonly test?: boolean;
  readonly timeoutMs?: number;
  /** As written: a secret, or `env:` and the name of a variable. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly reconciliation?: ReconciliationSettings;
  readonly bank?: WrittenBank;
}

interface PspsFile {
  readonly psps: readonly PspEntry[];
  readonly routing?: readonly RoutingRule[];
}

const name = matching('^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$');
const amount = { type: 'integer', minimum: 0, maximum: MAX_AMOUNT };
const some = { minItems: 1, maxItems: 100 };

const rule = strictObject(
  {},
  {
    when: strictObject(
      {},
      {
        currency: list(matching('^[A-Z]{3}$'), { minItems: 1 }),
        amountBelow: amount,
        amountFrom: amount,
        cardCountry: list(matching('^[A-Z]{2}$'), { minItems: 1 }),
        cardBrand: list({ type: 'string', minLength: 1, maxLength: 40 }, { minItems: 1 }),
      },
    ),
    order: list(name, some),
    split: list(
      strictObject({ psp: name, weight: { type: 'number', minimum: 0, maximum: 1_000_000 } }),
      some,
    ),
    fence: flag,
  },
);

const psp = strictObject(
  {
    name,
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

const fileShape = shape<PspsFile>(
  strictObject({ psps: list(psp, some) }, { routing: list(rule, { maxItems: 1_000 }) }),
);

/** What else than PSPs may stand in the file. */
export interface PspsFileRules {
  /** A simulator may play PSPs: its secrets are taken, and http to a container by its name. */
  readonly simulated: boolean;
  /** The service is reached from other machines: secrets that everybody knows are refused. */
  readonly exposed: boolean;
}
const STRICT: PspsFileRules = { simulated: false, exposed: true };

/** Reads and checks the file. @throws PspsFileError */
export async function readPspsFile(
  path: string,
  env: NodeJS.ProcessEnv,
  rules: PspsFileRules,
): Promise<PspsConfig> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'an error';
    throw new PspsFileError(path, [{ pointer: '', message: `cannot be read (${code})` }]);
  }
  return parsePsps(text, path, env, rules);
}

/** Checks the text of a file. @throws PspsFileError */
export function parsePsps(
  text: string,
  file: string,
  env: NodeJS.ProcessEnv,
  rules: PspsFileRules = STRICT,
): PspsConfig {
  const content = parsed(text, file);
  if (!fileShape.fits(content)) throw new PspsFileError(file, shapeProblems(content));
  const problems: PspsFileProblem[] = [];
  const psps = content.psps.map((entry, index) => pspOf(entry, `/psps/${index}`, { env, rules, problems }));
  const names = psps.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) {
      problems.push({ pointer: `/psps/${index}/name`, message: 'is taken by an entry above' });
    }
  }
  const routing = content.routing ?? [{ order: [...new Set(names)] }];
  for (const [index, rule] of routing.entries()) checkRule(rule, `/routing/${index}`, names, problems);
  if (problems.length > 0) throw new PspsFileError(file, problems);
  return { psps, routing };
}

/** What the bundled simulator and docker/psps.json say openly. They open nothing. */
const SIMULATOR_SECRETS = {
  secretKey: 'sk_test_simulator',
  webhookSecret: 'whsec_simulator',
  apiKey: 'simulator',
  hmacKey: '00'.repeat(32),
} as const;
const KNOWN_SECRETS: ReadonlySet<string> = new Set(Object.values(SIMULATOR_SECRETS));

/** The bundled simulator's accounts, by the origins of its PSPs: what runs without a file. */
export function defaultPsps(simulatorUrls: { readonly stripe: string; readonly adyen: string }): PspsConfig {
  return {
    psps: [
      {
        name: 'stripe',
        adapter: 'stripe',
        baseUrl: simulatorUrls.stripe,
        test: true,
        timeoutMs: DEFAULT_TIMEOUT_MS,
        credentials: {
          secretKey: SIMULATOR_SECRETS.secretKey,
          webhookSecret: SIMULATOR_SECRETS.webhookSecret,
        },
      },
      {
        name: 'adyen',
        adapter: 'adyen',
        baseUrl: new URL('/v71', simulatorUrls.adyen).href,
        test: true,
        timeoutMs: DEFAULT_TIMEOUT_MS,
        credentials: {
          apiKey: SIMULATOR_SECRETS.apiKey,
          merchantAccount: 'PayonceECOM',
          hmacKey: SIMULATOR_SECRETS.hmacKey,
          balanceAccount: 'BA00000000000000000000001',
          transfersBaseUrl: new URL('/btl/v4', simulatorUrls.adyen).href,
        },
      },
    ],
    routing: [{ order: ['stripe', 'adyen'] }],
  };
}

/**
 * Makes the adapters; each holds sockets until it is closed. `clock` must be the one that attempts
 * are stamped by: lookups by time compare it with the PSP's.
 */
export function accountsOf(
  config: PspsConfig,
  clock: Clock = new SystemClock(),
  instructions?: BankInstructions,
): PspAccount[] {
  return config.psps.map(({ name, adapter, account, merchants, test, ...settings }) => {
    const entry = adapterNamed(adapter);
    if (!entry) throw new RangeError(`no adapter is named ${JSON.stringify(adapter)}`);
    return {
      name,
      adapter: entry.create({ name, ...settings, instructions, clock }),
      fingerprint: accountFingerprint({
        adapter,
        url: settings.baseUrl ?? entry.publicUrl,
        account: entry.account(settings.credentials, account, settings.bank),
      }),
      timeoutMs: settings.timeoutMs,
      merchants: merchants === undefined ? null : new Set(merchants),
      isTest: test === true,
      secrets: entry.credentials
        .filter(({ secret }) => secret)
        .map((credential) => settings.credentials[credential.name] ?? ''),
    };
  });
}

/** Who reads the notifications of each account; an account without a secret for them is not among these. */
export function noticeReadersOf(config: PspsConfig): ReadonlyMap<string, NotificationReader> {
  return new Map(
    config.psps.flatMap(({ name, adapter, credentials }) => {
      const reader = adapterNamed(adapter)?.notices({ credentials }) ?? null;
      return reader === null ? [] : [[name, reader] as const];
    }),
  );
}

/** Where reports of each account are fetched; accounts that have no such place are not among these. */
export function reportSourcesOf(
  config: PspsConfig,
  clock: Pick<Clock, 'timer'>,
): ReadonlyMap<string, ReportSource> {
  return new Map(
    config.psps.flatMap(({ name, adapter, ...settings }) => {
      const source = adapterNamed(adapter)?.reports?.({ name, ...settings, clock }) ?? null;
      return source === null ? [] : [[name, source] as const];
    }),
  );
}

interface Checking {
  readonly env: NodeJS.ProcessEnv;
  readonly rules: PspsFileRules;
  readonly problems: PspsFileProblem[];
}

function pspOf(entry: PspEntry, at: string, { env, rules, problems }: Checking): PspConfig {
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

function checkNames(entry: AdapterEntry, written: object, at: string, problems: PspsFileProblem[]): void {
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
  rules: PspsFileRules,
  pointer: string,
  problems: PspsFileProblem[],
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

function checkRule(rule: RoutingRule, at: string, names: readonly string[], problems: PspsFileProblem[]) {
  if ((rule.order === undefined) === (rule.split === undefined)) {
    problems.push({ pointer: at, message: 'must have either order or split' });
  }
  const named = [
    ...(rule.order ?? []).map((psp, index) => ({ psp, pointer: `${at}/order/${index}` })),
    ...(rule.split ?? []).map(({ psp }, index) => ({ psp, pointer: `${at}/split/${index}/psp` })),
  ];
  for (const [index, { psp, pointer }] of named.entries()) {
    if (!names.includes(psp)) problems.push({ pointer, message: 'names no PSP of this file' });
    if (named.findIndex((each) => each.psp === psp) < index) {
      problems.push({ pointer, message: 'is named twice' });
    }
  }
  for (const [index, currency] of (rule.when?.currency ?? []).entries()) {
    if (!isCurrency(currency)) {
      problems.push({ pointer: `${at}/when/currency/${index}`, message: 'is no ISO 4217 currency' });
    }
  }
}

/** The parser's own message quotes the text around the fault, which may be a secret. */
function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    const line = position ? ` (line ${text.slice(0, Number(position)).split('\n').length})` : '';
    throw new PspsFileError(file, [{ pointer: '', message: `is not JSON${line}` }]);
  }
}

function shapeProblems(content: unknown): PspsFileProblem[] {
  return fileShape.faultsOf(content).map(({ keyword, instancePath, message = '', params }) =>
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
