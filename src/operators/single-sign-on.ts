import { type Configuration, type IDToken } from 'openid-client';
import { type Logger } from 'pino';
import { type Clock } from '../core/clock.js';
import { type Encryption } from '../core/encryption.js';
import { Problem } from '../core/problem.js';
import { redact } from '../core/redact.js';
import { isSureOf, type OidcSettings, roleOf } from './oidc-settings.js';
import { type NewSession, type OperatorSessions } from './operator-sessions.js';
import { type Operators } from './operators.js';

/** The cookie, encrypted, between leaving for the provider and coming back. */
interface Journey {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** ms since the epoch. */
  readonly startedAt: number;
}

export const JOURNEY_S = 600;
const JOURNEY = 'operator: on the way to the OpenID provider';
const TIMEOUT_S = 5;
const NAME_PARTS = /[^a-z0-9._@+-]/g;
/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** Signing in by an OpenID provider: authorization code with PKCE, state and nonce. */
export class SingleSignOn {
  /** Asked for once; again where the provider was away. */
  private provider: Promise<Configuration> | null = null;

  constructor(
    private readonly settings: OidcSettings | null,
    private readonly sessions: OperatorSessions,
    private readonly operators: Operators,
    private readonly seal: Encryption,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  get isConfigured(): boolean {
    return this.settings !== null;
  }

  /** The address to send the browser to, and the cookie that it brings back. @throws Problem where there is no provider */
  async begin(): Promise<{ readonly url: string; readonly journey: string }> {
    const settings = this.needed();
    const client = await import('openid-client');
    const provider = await this.discovered();
    const journey: Journey = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      startedAt: this.clock.now().getTime(),
    };
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: settings.redirectUri,
      scope: settings.scope,
      state: journey.state,
      nonce: journey.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(journey.verifier),
      code_challenge_method: 'S256',
      ...(settings.acrValues ? { acr_values: settings.acrValues.join(' ') } : {}),
      ...(settings.maxAge === undefined ? {} : { max_age: String(settings.maxAge) }),
    });
    const sealed = Buffer.from(this.seal.encrypt(journey, JOURNEY)).toString('base64url');
    return { url: url.href, journey: sealed };
  }

  /** `query`: as the provider sent the browser back with. @throws Problem where it is not let in */
  async finish(query: string, sealed: string | null, sourceAddress: string): Promise<NewSession> {
    const settings = this.needed();
    const claims = await this.claimsOf(query, this.journeyIn(sealed));
    if (!SUBJECT.test(claims.sub)) throw refused();
    const refuse = async (why: string): Promise<never> => {
      await this.sessions.refuseSubject(claims.sub, sourceAddress, why);
      throw refused();
    };
    if (!isSureOf(settings, claims)) return refuse('not sure enough');
    const role = roleOf(settings, claims);
    const known = { issuer: settings.issuer, subject: claims.sub };
    if (role === null) {
      await this.operators.loseRole(known);
      return refuse('no role');
    }
    const operator = await this.operators.ofSubject(known, role, this.newcomer(claims));
    return operator === null ? refuse('unknown') : this.sessions.signInBySubject(operator, sourceAddress);
  }

  /** The name of a new operator at its first sign-in; null: an operator that is not linked is refused. */
  private newcomer(claims: IDToken): { readonly name: string; readonly person: string } | null {
    if (!this.settings!.createOperators) return null;
    // A person may choose `preferred_username` at the provider, so it names no operator.
    const email = claims['email_verified'] === true ? textOf(claims['email']) : null;
    const name = (email ?? claims.sub).toLowerCase().replaceAll(NAME_PARTS, '-').slice(0, 64);
    return { name, person: email ?? claims.sub };
  }

  private journeyIn(sealed: string | null): Journey {
    if (sealed === null) throw refused();
    let journey: Journey;
    try {
      journey = this.seal.decrypt(Buffer.from(sealed, 'base64url'), JOURNEY) as Journey;
    } catch {
      throw refused();
    }
    if (this.clock.now().getTime() - journey.startedAt > JOURNEY_S * 1_000) throw refused();
    return journey;
  }

  private async claimsOf(query: string, { state, nonce, verifier }: Journey): Promise<IDToken> {
    const client = await import('openid-client');
    const provider = await this.discovered();
    const url = new URL(this.settings!.redirectUri);
    url.search = query;
    try {
      const tokens = await client.authorizationCodeGrant(provider, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(this.settings!.maxAge === undefined ? {} : { maxAge: this.settings!.maxAge }),
      });
      return tokens.claims()!;
    } catch (error) {
      this.logger.warn({ why: redact(String(error)) }, 'a sign-in by the OpenID provider is refused');
      throw refused();
    }
  }

  private async discovered(): Promise<Configuration> {
    const settings = this.needed();
    const { discovery, allowInsecureRequests } = await import('openid-client');
    const { issuer, clientId, clientSecret } = settings;
    // Only a provider on this machine may be without TLS; the file is refused otherwise.
    const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
    this.provider ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      execute,
      timeout: TIMEOUT_S,
    });
    try {
      return await this.provider;
    } catch (error) {
      this.provider = null;
      this.logger.warn({ why: redact(String(error)) }, 'the OpenID provider cannot be asked');
      throw new Problem('overloaded', 'The OpenID provider cannot be reached.', { retryAfterS: 5 });
    }
  }

  private needed(): OidcSettings {
    if (this.settings === null) throw new Problem('not_found', 'There is nothing at this path.');
    return this.settings;
  }
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim !== '' ? claim : null;
}

/** One answer for every reason. */
function refused(): Problem {
  return new Problem('unauthorized', 'The OpenID provider did not sign you in here.');
}
