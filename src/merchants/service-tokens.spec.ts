import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ManualClock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { serviceClientsOf } from './service-client.js';
import { ServiceTokens } from './service-tokens.js';
import { readTokenFile, type TokenSettings } from './token-settings.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';

const merchant = '01900000-0000-7000-8000-000000000001';
const issuer = 'https://tokens.shop.internal';
const folder = temporaryFolder();

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
const newPair = () => generateKeyPair('ES256', { extractable: true });
const jwkOf = async ({ publicKey }: Pair, kid: string) => ({
  ...(await exportJWK(publicKey)),
  kid,
  alg: 'ES256',
});

let own: Pair;
let clock: ManualClock;
let served: object;
let fetched: number;
let isDown: boolean;
let server: Server;
let settings: TokenSettings;

beforeAll(async () => {
  own = await newPair();
  server = createServer((_, response) => {
    fetched++;
    response.writeHead(isDown ? 500 : 200).end(JSON.stringify(served));
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  settings = {
    issuer,
    audience: 'payonce',
    jwks: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    algorithms: ['ES256', 'RS256'],
    claim: 'sub',
    maxAgeS: 3_600,
    clockToleranceS: 10,
    clients: serviceClientsOf({ checkout: { merchant, scopes: ['payments:read'] } })!,
  };
});
afterAll(() => server.close());
beforeEach(async () => {
  clock = new ManualClock();
  [fetched, isDown, served] = [0, false, { keys: [await jwkOf(own, 'one')] }];
});

const now = () => Math.floor(clock.now().getTime() / 1_000);
const claims = (): JWTPayload => ({
  iss: issuer,
  aud: 'payonce',
  sub: 'checkout',
  iat: now(),
  exp: now() + 300,
});
const signed = (more: JWTPayload = {}, { privateKey } = own, kid = 'one', typ?: string) =>
  new SignJWT({ ...claims(), ...more })
    .setProtectedHeader({ alg: 'ES256', kid, ...(typ === undefined ? {} : { typ }) })
    .sign(privateKey);

async function codeOf(answer: Promise<unknown>): Promise<string> {
  return answer.then(
    () => 'taken',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
}

describe('a signed token', () => {
  it('is taken for the service that it names, with the scopes of the configuration', async () => {
    const tokens = await ServiceTokens.open(settings, clock);
    const [token, inFlight] = [await signed(), await signed({ iat: now() + 9, nbf: now() + 9 })];
    expect([tokens.reads(token), tokens.reads('po_live_x')]).toEqual([true, false]);
    const client = { name: 'checkout', merchantId: merchant, scopes: ['payments:read'] };
    expect(await tokens.clientOf(token)).toEqual(client);
    expect(await tokens.clientOf(inFlight)).toEqual(client);
    expect(fetched).toBe(1);
  });

  it('is refused where anything about it is wrong', async () => {
    const tokens = await ServiceTokens.open(settings, clock);
    const stranger = await newPair();
    const text = JSON.stringify(await exportJWK(own.publicKey));
    const [head, body, signature] = (await signed()).split('.') as [string, string, string];
    const forged = Buffer.from(JSON.stringify({ ...claims(), sub: 'admin' })).toString('base64url');
    const wrong = {
      expired: await signed({ iat: now() - 400, exp: now() - 11 }),
      'without an end': await signed({ exp: undefined }),
      'without a beginning': await signed({ iat: undefined }),
      'older than they may be': await signed({ iat: now() - 3_611, exp: now() + 300 }),
      'not valid yet': await signed({ nbf: now() + 11 }),
      'of the future': await signed({ iat: now() + 60 }),
      'for another audience': await signed({ aud: 'reports' }),
      'of another issuer': await signed({ iss: 'https://elsewhere.internal' }),
      'of an unknown service': await signed({ sub: 'nobody' }),
      'of several services': await signed({ sub: ['checkout'] as never }),
      'of an unknown key': await signed({}, own, 'two'),
      'signed by a stranger': await signed({}, stranger),
      'without a signature': new UnsecuredJWT(claims()).encode(),
      'signed with the public key as a secret': await new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .sign(Buffer.from(text)),
      altered: [head, forged, signature].join('.'),
      'cut off': `${head}.${body}.`,
      'over-long': await signed({ more: 'x'.repeat(4_096) }),
      'no token': 'a.b.c',
      'for signing out': await signed({}, own, 'one', 'logout+jwt'),
      'of a proof of possession': await signed({}, own, 'one', 'dpop+jwt'),
    };
    for (const [what, token] of Object.entries(wrong)) {
      expect([what, await codeOf(tokens.clientOf(token))]).toEqual([what, 'unauthorized']);
    }
    expect(fetched).toBe(1);
    for (const typ of [undefined, 'JWT', 'at+jwt', 'application/at+jwt']) {
      expect(await codeOf(tokens.clientOf(await signed({}, own, 'one', typ)))).toBe('taken');
    }
  });

  it('costs an issuer that is down one question in five seconds', async () => {
    isDown = true;
    const tokens = await ServiceTokens.open(settings, clock);
    const token = await signed({ exp: now() + 3_000 });
    for (const _ of [1, 2, 3]) expect(await codeOf(tokens.clientOf(token))).toBe('overloaded');
    expect(fetched).toBe(1);
    clock.advance(5_000);
    isDown = false;
    expect(await codeOf(tokens.clientOf(token))).toBe('taken');
    expect(fetched).toBe(2);
  });

  it('is checked by the keys of a file too', async () => {
    const file = join(folder, 'keys.json');
    writeFileSync(file, JSON.stringify(served));
    const tokens = await ServiceTokens.open({ ...settings, jwks: file }, clock);
    expect(await codeOf(tokens.clientOf(await signed()))).toBe('taken');
    expect(await codeOf(tokens.clientOf(await signed({}, await newPair())))).toBe('unauthorized');
    writeFileSync(file, '{}');
    await expect(ServiceTokens.open({ ...settings, jwks: file }, clock)).rejects.toThrow(
      'is no file of public keys',
    );
  });

  it('is none where no issuer is configured', async () => {
    const tokens = await ServiceTokens.open(null, clock);
    expect(tokens.reads(await signed())).toBe(false);
    expect(await codeOf(tokens.clientOf(await signed()))).toBe('unauthorized');
  });
});

describe('PAYONCE_JWT_FILE', () => {
  const right = {
    issuer,
    audience: 'payonce',
    jwks: 'https://tokens.shop.internal/keys',
    clients: { checkout: { merchant, scopes: ['payments:read'] } },
  };
  const read = (content: unknown) => {
    const file = join(folder, 'jwt.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return readTokenFile(file);
  };

  it('has defaults', () => {
    expect(read(right)).toMatchObject({ algorithms: ['RS256', 'ES256'], claim: 'sub', maxAgeS: 3_600 });
  });

  it.each([
    ['{', 'it is not JSON'],
    [{ ...right, more: 1 }, 'more is not known'],
    [{ ...right, issuer: '' }, 'issuer must be a text'],
    [{ ...right, audience: undefined }, 'audience must be a text'],
    [{ ...right, jwks: 'http://tokens.shop.internal/keys' }, 'jwks must be an https URL'],
    [{ ...right, algorithms: ['HS256'] }, 'algorithms must be one or more of'],
    [{ ...right, algorithms: ['none'] }, 'algorithms must be one or more of'],
    [{ ...right, maxAgeS: 86_401 }, 'maxAgeS must be whole seconds'],
    [{ ...right, clockToleranceS: -1 }, 'clockToleranceS must be whole seconds'],
    [{ ...right, clients: {} }, 'clients must be'],
    [{ ...right, clients: { checkout: { merchant, scopes: ['everything'] } } }, 'clients must be'],
    [{ ...right, clients: { checkout: { merchant: 'Shop', scopes: ['payments:read'] } } }, 'clients must be'],
    [{ ...right, clients: { 'a b': { merchant, scopes: ['payments:read'] } } }, 'clients must be'],
  ])('%j is refused: %s', (content, complaint) => {
    expect(() => read(content)).toThrow(complaint);
  });
});
