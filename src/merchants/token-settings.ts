import { readFileSync } from 'node:fs';
import { ConfigError, isLoopback } from '../config/config.js';
import { CLIENTS_FORM, type ServiceClient, serviceClientsOf } from './service-client.js';

/** The rules for signed tokens of services; the file in PAYONCE_JWT_FILE. */
export interface TokenSettings {
  readonly issuer: string;
  readonly audience: string;
  /** The issuer's public keys (JWKS): an https URL, http on a loopback address, or the path of a file. */
  readonly jwks: string;
  readonly algorithms: readonly string[];
  /** The claim that names the service. */
  readonly claim: string;
  readonly maxAgeS: number;
  readonly clockToleranceS: number;
  readonly clients: ReadonlyMap<string, ServiceClient>;
}

/** Asymmetric ones alone: with a public key as the secret of an HMAC, anybody could sign. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

const defaults = { algorithms: ['RS256', 'ES256'], claim: 'sub', maxAgeS: 3_600, clockToleranceS: 10 };
const texts = ['issuer', 'audience', 'jwks', 'claim'] as const;
const MAX_AGE_S = 86_400;
const MAX_TOLERANCE_S = 300;

/** @throws ConfigError with all that is wrong with the file */
export function readTokenFile(file: string): TokenSettings {
  const complaints: string[] = [];
  const wrong = (what: string) => void complaints.push(`PAYONCE_JWT_FILE (${file}): ${what}`);
  const given: Record<string, unknown> = { ...defaults, ...contentOf(file) };
  const known = [...texts, 'algorithms', 'maxAgeS', 'clockToleranceS', 'clients'];
  for (const name of Object.keys(given)) if (!known.includes(name)) wrong(`${name} is not known`);
  for (const name of texts) {
    if (typeof given[name] !== 'string' || given[name] === '') wrong(`${name} must be a text`);
  }
  const { jwks, algorithms, maxAgeS, clockToleranceS } = given;
  if (isUrl(jwks) && !isSafe(jwks)) wrong('jwks must be an https URL, http on a loopback address, or a path');
  if (!Array.isArray(algorithms) || algorithms.length === 0 || !algorithms.every(isAsymmetric)) {
    wrong(`algorithms must be one or more of ${ALGORITHMS.join(', ')}`);
  }
  for (const [name, value, most] of [
    ['maxAgeS', maxAgeS, MAX_AGE_S],
    ['clockToleranceS', clockToleranceS, MAX_TOLERANCE_S],
  ] as const) {
    if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > most) {
      wrong(`${name} must be whole seconds from 0 to ${most}`);
    }
  }
  const clients = serviceClientsOf(given['clients']);
  if (clients === null || clients.size === 0) wrong(`clients must be ${CLIENTS_FORM}`);
  if (complaints.length > 0) throw new ConfigError(complaints);
  return { ...(given as unknown as TokenSettings), clients: clients! };
}

function contentOf(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new ConfigError([`PAYONCE_JWT_FILE (${file}): ${why}`]);
  }
}

function isAsymmetric(name: unknown): boolean {
  return ALGORITHMS.includes(name as (typeof ALGORITHMS)[number]);
}

export function isUrl(text: unknown): text is string {
  return typeof text === 'string' && /^[a-z]+:\/\//i.test(text);
}

function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
