import { readFileSync } from 'node:fs';
import { ConfigError, isLoopback } from '../config/config.js';
import { type OperatorRole, operatorRoles } from '../core/operator-role.js';

/** How operators sign in by an OpenID provider; the file in PAYONCE_OIDC_FILE. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `https://<where the console is>/ops/api/session/oidc/callback`. */
  readonly redirectUri: string;
  readonly scope: string;
  /** The claim of the ID token that names the role of an operator: a text, or several. */
  readonly roleClaim: string;
  /** Which role its values give. Who has none of them is not let in. */
  readonly roles: Readonly<Record<string, OperatorRole>>;
  /** Whether a person who signs in for the first time becomes an operator, or has to be linked before. */
  readonly createOperators: boolean;
  /** How strongly the provider has to make sure of the person (`acr`): one of these. Absent: as it does. */
  readonly acrValues?: readonly string[];
  /** By which methods it has to (`amr`, RFC 8176): all of these. */
  readonly amr?: readonly string[];
  /** How old the person's sign-in at the provider may be, in seconds. */
  readonly maxAge?: number;
}

const CALLBACK = '/ops/api/session/oidc/callback';
const lists = ['acrValues', 'amr'] as const;
const MAX_AGE_S = 86_400;
const texts = ['issuer', 'clientId', 'clientSecret', 'redirectUri', 'scope', 'roleClaim'] as const;
const defaults = { scope: 'openid email profile', createOperators: false };

/** @throws ConfigError with all that is wrong with the file */
export function readOidcFile(file: string, env: Readonly<Record<string, string | undefined>>): OidcSettings {
  const complaints: string[] = [];
  const wrong = (what: string) => void complaints.push(`PAYONCE_OIDC_FILE (${file}): ${what}`);
  const given: Record<string, unknown> = { ...defaults, ...contentOf(file) };
  const known = [...texts, 'roles', 'createOperators', ...lists, 'maxAge'];
  for (const name of Object.keys(given)) if (!known.includes(name)) wrong(`${name} is not known`);
  for (const name of texts) {
    if (typeof given[name] !== 'string' || given[name] === '') wrong(`${name} must be a text`);
  }
  const settings = given as unknown as OidcSettings;
  const { issuer, redirectUri, clientSecret, roles, createOperators } = settings;
  for (const [name, url] of Object.entries({ issuer, redirectUri })) {
    if (!isSafe(url)) wrong(`${name} must be an https URL, or http on a loopback address`);
  }
  if (URL.canParse(redirectUri) && new URL(redirectUri).pathname !== CALLBACK) {
    wrong(`the path of redirectUri must be ${CALLBACK}`);
  }
  if (typeof createOperators !== 'boolean') wrong('createOperators must be true or false');
  for (const name of lists) {
    if (given[name] !== undefined && !isList(given[name])) wrong(`${name} must be a list of words`);
  }
  const { maxAge } = settings;
  if (maxAge !== undefined && !(Number.isInteger(maxAge) && maxAge >= 1 && maxAge <= MAX_AGE_S)) {
    wrong(`maxAge must be whole seconds from 1 to ${MAX_AGE_S}`);
  }
  const mapped = Object.values(typeof roles === 'object' && roles !== null ? roles : {});
  if (mapped.length === 0 || !mapped.every((role) => operatorRoles.includes(role))) {
    wrong(`roles must give values of the claim one of ${operatorRoles.join(', ')}`);
  }
  const named = typeof given['clientSecret'] === 'string' ? given['clientSecret'] : '';
  const [, variable] = /^env:(\w+)$/.exec(named) ?? [];
  const secret = variable === undefined ? clientSecret : env[variable];
  if (!secret) wrong(`clientSecret: ${variable} is not set`);
  if (complaints.length > 0) throw new ConfigError(complaints);
  return { ...settings, clientSecret: secret! };
}

function contentOf(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    // The text may hold a secret, and a syntax error quotes it.
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new ConfigError([`PAYONCE_OIDC_FILE (${file}): ${why}`]);
  }
}

function isSafe(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

function isList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((each) => typeof each === 'string' && /^\S{1,200}$/.test(each));
}

/** Whether the provider made sure of the person as it was asked to. How long ago is in the token, and checked with it. */
export function isSureOf(
  { acrValues, amr }: Pick<OidcSettings, 'acrValues' | 'amr'>,
  claims: object,
): boolean {
  const { acr, amr: methods } = claims as { readonly acr?: unknown; readonly amr?: unknown };
  if (acrValues && !(typeof acr === 'string' && acrValues.includes(acr))) return false;
  return amr === undefined || (Array.isArray(methods) && amr.every((method) => methods.includes(method)));
}

/** The highest role that the claim gives; null: none. */
export function roleOf(
  { roleClaim, roles }: Pick<OidcSettings, 'roleClaim' | 'roles'>,
  claims: object,
): OperatorRole | null {
  const claim = (claims as Readonly<Record<string, unknown>>)[roleClaim];
  const values = Array.isArray(claim) ? claim : [claim];
  const given = values.map((value) =>
    typeof value === 'string' && Object.hasOwn(roles, value) ? roles[value] : undefined,
  );
  return operatorRoles.findLast((role) => given.includes(role)) ?? null;
}
