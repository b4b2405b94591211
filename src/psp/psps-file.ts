import { readFile } from 'node:fs/promises';
import {
  DEFAULT_TIMEOUT_MS,
  type PspEntry,
  pspEntry,
  pspOf,
  type PspProblem,
  type PspRules,
  shapeProblems,
  SIMULATOR_SECRETS,
  STRICT,
} from './psp-entry.js';
import { PspsConfig } from './psps-config.js';
import { type RoutingRule } from './routing-rule.js';
import { faultsOfRouting, routingRules, some } from './routing-rules.js';
import { list, shape, strictObject } from './shape.js';

/**
 * PAYONCE_PSPS_FILE: which PSP accounts there are and how payments are routed among them. Checked
 * whole before anything starts.
 */
export class PspsFileError extends Error {
  constructor(
    readonly file: string,
    readonly problems: readonly PspProblem[],
  ) {
    const lines = problems.map(({ pointer, message }) => `${file}: ${pointer || '/'}: ${message}`);
    super(lines.join('\n'));
    this.name = 'PspsFileError';
  }
}

interface PspsFile {
  readonly psps: readonly PspEntry[];
  readonly routing?: readonly RoutingRule[];
}

const fileShape = shape<PspsFile>(
  strictObject({ psps: list(pspEntry, { maxItems: some.maxItems }) }, { routing: routingRules }),
);

/** Reads and checks the file. @throws PspsFileError */
export async function readPspsFile(
  path: string,
  env: NodeJS.ProcessEnv,
  rules: PspRules,
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
  rules: PspRules = STRICT,
): PspsConfig {
  const content = parsed(text, file);
  if (!fileShape.fits(content)) throw new PspsFileError(file, shapeProblems(fileShape, content));
  const problems: PspProblem[] = [];
  const psps = content.psps.map((entry, index) => pspOf(entry, `/psps/${index}`, { env, rules, problems }));
  const names = psps.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) {
      problems.push({ pointer: `/psps/${index}/name`, message: 'is taken by an entry above' });
    }
  }
  problems.push(...faultsOfRouting(content.routing ?? [], names, '/routing'));
  if (problems.length > 0) throw new PspsFileError(file, problems);
  return new PspsConfig(psps, content.routing ?? null);
}

/** The order of docker/psps.json and of the demo, too: both PSPs are seen without a sample that names one. */
const DEFAULT_ROUTING: readonly RoutingRule[] = [
  { when: { currency: ['EUR'] }, order: ['adyen', 'stripe'] },
  { order: ['stripe', 'adyen'] },
];

/** The bundled simulator's accounts, by the origins of its PSPs: what runs without a file. */
export function defaultPsps(simulatorUrls: { readonly stripe: string; readonly adyen: string }): PspsConfig {
  return new PspsConfig(
    [
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
    DEFAULT_ROUTING,
  );
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
