import { type FlattenedJWSInput, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/config.js';
import { type Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { type ServiceClient } from './service-client.js';
import { isUrl, type TokenSettings } from './token-settings.js';

/** Longer ones are refused before a signature is looked at. */
const MAX_TOKEN_CHARACTERS = 4_096;
const FETCH_TIMEOUT_MS = 3_000;
/** Keys are read anew once they are so old; and for a key that is not among them, at most so often. */
const KEYS_LIVE_MS = 600_000;
const KEYS_COOLDOWN_MS = 30_000;
/** After a failure the issuer is not asked again before. */
const KEYS_RETRY_MS = 5_000;

/**
 * Services that sign in by tokens of an issuer (JWT, RFC 7519) instead of an API key. `jose` does the checking; it is
 * loaded where there are such services alone.
 */
export class ServiceTokens {
  private constructor(
    private readonly settings: TokenSettings | null,
    private readonly keys: JWTVerifyGetKey | null,
    private readonly clock: Clock,
  ) {}

  /** null: there are no such services. @throws ConfigError for a file of keys that says something else */
  static async open(settings: TokenSettings | null, clock: Clock): Promise<ServiceTokens> {
    if (settings === null) return new ServiceTokens(null, null, clock);
    const { jwks } = settings;
    const keys = isUrl(jwks) ? await remoteKeys(new URL(jwks), clock) : await keysOfFile(jwks);
    return new ServiceTokens(settings, keys, clock);
  }

  /** Whether a bearer is to be read as a token: no API key holds a dot. */
  reads(bearer: string): boolean {
    return this.settings !== null && bearer.includes('.');
  }

  /**
   * The service that the token names.
   * @throws Problem `unauthorized`, `overloaded` while the issuer's keys cannot be read
   */
  async clientOf(token: string): Promise<ServiceClient> {
    const { settings, keys, clock } = this;
    if (settings === null || keys === null || token.length > MAX_TOKEN_CHARACTERS) throw refused();
    const { issuer, audience, algorithms, claim, maxAgeS, clockToleranceS, clients } = settings;
    const { jwtVerify } = await import('jose');
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: [...algorithms],
      requiredClaims: ['exp', 'iat', claim],
      maxTokenAge: maxAgeS,
      clockTolerance: clockToleranceS,
      currentDate: clock.now(),
    }).catch((error: unknown) => {
      // One answer for everything that is wrong with a token: an attacker learns nothing from it.
      throw error instanceof Problem ? error : refused();
    });
    if (!isAccessToken(protectedHeader.typ)) throw refused();
    const name = payload[claim];
    const client = typeof name === 'string' ? clients.get(name) : undefined;
    if (client === undefined) throw refused();
    return client;
  }
}

/** The `typ` of access tokens: RFC 9068, and `JWT`. Other tokens name their purpose: `logout+jwt`, `dpop+jwt`. */
const ACCESS_TOKEN = /^(?:application\/)?(?:at\+)?jwt$/i;

function isAccessToken(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && ACCESS_TOKEN.test(typ));
}

function refused(): Problem {
  return new Problem('unauthorized', 'The token is not valid here, or has expired.');
}

async function keysOfFile(file: string): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet } = await import('jose');
  try {
    return createLocalJWKSet(JSON.parse(readFileSync(file, 'utf8')) as JSONWebKeySet);
  } catch {
    throw new ConfigError([`PAYONCE_JWT_FILE: jwks (${file}) is no file of public keys (JWKS)`]);
  }
}

/** jose bounds how often keys are read after a success; after a failure that is done here. */
async function remoteKeys(url: URL, clock: Clock): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet, createLocalJWKSet, errors } = await import('jose');
  const remote = createRemoteJWKSet(url, {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cacheMaxAge: KEYS_LIVE_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
  });
  let failedMs = -Infinity;
  return async (header, token: FlattenedJWSInput) => {
    const mayAsk = clock.monotonicMs() - failedMs >= KEYS_RETRY_MS;
    if (!mayAsk && !remote.fresh) throw keysUnavailable();
    if (!mayAsk && !remote.coolingDown) return createLocalJWKSet(remote.jwks()!)(header, token);
    try {
      return await remote(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error;
      failedMs = clock.monotonicMs();
      throw keysUnavailable();
    }
  };
}

function keysUnavailable(): Problem {
  return new Problem('overloaded', 'The keys of the issuer of tokens cannot be read.', {
    retryAfterS: Math.ceil(KEYS_RETRY_MS / 1_000),
  });
}
