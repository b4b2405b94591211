import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Clock, isCurrency, SystemClock } from '../kernel/index.js';
import { type NoticeReader } from './notice.js';
import { type PspAccount } from './psp-directory.js';
import { type AdapterEntry, adapterNamed, adapters } from './registry.js';
import { type RoutingRule } from './router.js';

/**
 * PAYONCE_PSPS_FILE: which PSP accounts there are and how payments are routed among them. Checked
 * whole before anything starts; every fault is told with its place (a JSON pointer), and never
 * with a value, because values may be secrets.
 */
export interface PspsConfig {
  readonly psps: readonly PspConfig[];
  readonly routing: readonly RoutingRule[];
}

export interface PspConfig {
  readonly name: string;
  readonly adapter: string;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  /** Resolved: the secrets themselves. */
  readonly credentials: Readonly<Record<string, string>>;
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

const closed = { additionalProperties: false };
const Name = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$' });
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const Rule = Type.Object(
  {
    when: Type.Optional(
      Type.Object(
        {
          currency: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Z]{3}$' }), { minItems: 1 })),
          amountBelow: Type.Optional(Amount),
          amountFrom: Type.Optional(Amount),
          cardCountry: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { minItems: 1 })),
          cardBrand: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { minItems: 1 })),
        },
        closed,
      ),
    ),
    order: Type.Optional(Type.Array(Name, { minItems: 1, maxItems: 100 })),
    split: Type.Optional(
      Type.Array(
        Type.Object({ psp: Name, weight: Type.Number({ minimum: 0, maximum: 1_000_000 }) }, closed),
        { minItems: 1, maxItems: 100 },
      ),
    ),
    fence: Type.Optional(Type.Boolean()),
  },
  closed,
);

const PspsFile = Type.Object(
  {
    psps: Type.Array(
      Type.Object(
        {
          name: Name,
          adapter: Type.String(),
          baseUrl: Type.Optional(Type.String({ maxLength: 2_048 })),
          timeoutMs: Type.Optional(Type.Integer({ minimum: 100, maximum: 60_000 })),
          credentials: Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 4_096 })),
        },
        closed,
      ),
      { minItems: 1, maxItems: 100 },
    ),
    routing: Type.Optional(Type.Array(Rule, { maxItems: 1_000 })),
  },
  closed,
);
type PspsFile = Static<typeof PspsFile>;
type PspEntry = PspsFile['psps'][number];

const shape = Compile(PspsFile);

/** Reads and checks the file. @throws PspsFileError */
export async function readPspsFile(path: string, env: NodeJS.ProcessEnv): Promise<PspsConfig> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'an error';
    throw new PspsFileError(path, [{ pointer: '', message: `cannot be read (${code})` }]);
  }
  return parsePsps(text, path, env);
}

/** Checks the text of a file. @throws PspsFileError */
export function parsePsps(text: string, file: string, env: NodeJS.ProcessEnv): PspsConfig {
  const content = parsed(text, file);
  if (!shape.Check(content)) throw new PspsFileError(file, shapeProblems(content));
  const problems: PspsFileProblem[] = [];
  const psps = content.psps.map((entry, index) => pspOf(entry, `/psps/${index}`, env, problems));
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

/** The bundled simulator's accounts, by the origins of its PSPs: what runs without a file. */
export function defaultPsps(simulatorUrls: { readonly stripe: string; readonly adyen: string }): PspsConfig {
  return {
    psps: [
      {
        name: 'stripe',
        adapter: 'stripe',
        baseUrl: simulatorUrls.stripe,
        timeoutMs: DEFAULT_TIMEOUT_MS,
        // The credentials open nothing.
        credentials: { secretKey: 'sk_test_simulator', webhookSecret: 'whsec_simulator' },
      },
      {
        name: 'adyen',
        adapter: 'adyen',
        baseUrl: new URL('/v71', simulatorUrls.adyen).href,
        timeoutMs: DEFAULT_TIMEOUT_MS,
        credentials: {
          apiKey: 'simulator',
          merchantAccount: 'PayonceECOM',
          hmacKey: '00'.repeat(32),
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
export function accountsOf(config: PspsConfig, clock: Clock = new SystemClock()): PspAccount[] {
  return config.psps.map(({ name, adapter, ...settings }) => {
    const entry = adapterNamed(adapter);
    if (!entry) throw new RangeError(`no adapter is named ${JSON.stringify(adapter)}`);
    return {
      name,
      adapter: entry.create({ ...settings, clock }),
      timeoutMs: settings.timeoutMs,
      secrets: entry.credentials
        .filter(({ secret }) => secret)
        .map((credential) => settings.credentials[credential.name] ?? ''),
    };
  });
}

/** Who reads the notifications of each account; an account without a secret for them is not among these. */
export function noticeReadersOf(config: PspsConfig): ReadonlyMap<string, NoticeReader> {
  return new Map(
    config.psps.flatMap(({ name, adapter, credentials }) => {
      const reader = adapterNamed(adapter)?.notices({ credentials }) ?? null;
      return reader === null ? [] : [[name, reader] as const];
    }),
  );
}

function pspOf(entry: PspEntry, at: string, env: NodeJS.ProcessEnv, problems: PspsFileProblem[]): PspConfig {
  const { name, adapter, baseUrl, timeoutMs = DEFAULT_TIMEOUT_MS, credentials: written } = entry;
  const credentials: Record<string, string> = {};
  const known = adapterNamed(adapter);
  if (known) {
    checkNames(known, written, `${at}/credentials`, problems);
    for (const missing of known.missing?.(entry) ?? []) {
      problems.push({ pointer: `${at}/credentials`, message: `${missing} is missing` });
    }
    if (baseUrl !== undefined) checkBaseUrl(baseUrl, known, `${at}/baseUrl`, problems);
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
      if (credential?.url && known) checkBaseUrl(resolved, known, pointer, problems);
      if (credential?.form && !credential.form.pattern.test(resolved)) {
        problems.push({ pointer, message: credential.form.message });
      }
    } else {
      problems.push({ pointer, message: `the environment variable ${variable} is not set` });
    }
  }
  return { name, adapter, ...(baseUrl === undefined ? {} : { baseUrl }), timeoutMs, credentials };
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

function checkBaseUrl(url: string, entry: AdapterEntry, pointer: string, problems: PspsFileProblem[]): void {
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol)) {
    problems.push({ pointer, message: 'must be an http or https URL' });
    return;
  }
  const { pathname, search, hash, username, password } = new URL(url);
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
  return shape
    .Errors(content)
    .filter(({ keyword }) => keyword !== 'additionalProperties')
    .map(({ keyword, instancePath, message }) => ({
      pointer: instancePath,
      // A field that no schema allows fails the schema `false`.
      message: keyword === 'boolean' ? 'is not known' : message,
    }));
}

/** A name as a token of a JSON pointer. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
