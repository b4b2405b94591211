import { credentials } from '@grpc/grpc-js';
import { execFileSync } from 'node:child_process';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient, eventually, type Service, TestEnvironment } from '../support/test-environment.js';
import { GrpcClient } from './grpc-client.js';

/** Services known by real certificates, made by openssl, and by tokens of an issuer. */
const folder = mkdtempSync(join(tmpdir(), 'payonce-tls-'));
let environment: TestEnvironment;
let address: string;
let bound: string;
let other: string;
let merchantId: string;
let service: Service;
let tokenOf: (subject: string, audience?: string) => Promise<string>;

const at = (name: string) => join(folder, name);
const openssl = (words: string) => execFileSync('openssl', words.split(' '), { stdio: 'pipe', cwd: folder });
const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';

function authority(name: string): void {
  openssl(`req -x509 ${newKey} -days 2 -subj /CN=${name} -keyout ${name}.key -out ${name}.pem`);
}

function certificate(name: string, names: string, by = 'authority'): void {
  openssl(`req ${newKey} -subj /CN=${name} -keyout ${name}.key -out ${name}.csr`);
  writeFileSync(at(`${name}.ext`), `subjectAltName=${names}\n`);
  const signer = `-CA ${by}.pem -CAkey ${by}.key -CAcreateserial`;
  openssl(`x509 -req -days 2 -in ${name}.csr -extfile ${name}.ext ${signer} -out ${name}.pem`);
}

beforeAll(async () => {
  authority('authority');
  authority('stranger');
  certificate('server', 'IP:127.0.0.1');
  certificate('checkout', 'DNS:checkout.shop.internal,URI:spiffe://shop/checkout');
  certificate('unbound', 'DNS:reports.shop.internal');
  certificate('worker', 'URI:spiffe://shop/worker');
  certificate('forged', 'DNS:checkout.shop.internal', 'stranger');
  environment = await TestEnvironment.open();
  bound = await environment.merchant(['payments:read']);
  other = await environment.merchant(['payments:read']);
  [{ merchant_id: merchantId }] = (await environment.sql<{ merchant_id: string }>(
    'SELECT merchant_id FROM api_keys ORDER BY created_at, id LIMIT 1',
  )) as [{ merchant_id: string }];
  writeFileSync(
    at('clients.json'),
    JSON.stringify({
      'spiffe://shop/checkout': merchantId,
      'spiffe://shop/worker': { merchant: merchantId, scopes: ['payments:read'] },
    }),
  );
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  writeFileSync(at('keys.json'), JSON.stringify({ keys: [key] }));
  const [issuer, clients] = [
    'https://tokens.shop.internal',
    { checkout: { merchant: merchantId, scopes: ['payments:read'] } },
  ];
  const jwt = { issuer, audience: 'payonce', jwks: at('keys.json'), clients };
  writeFileSync(at('jwt.json'), JSON.stringify(jwt));
  tokenOf = async (subject, audience = 'payonce') => {
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    environment.hide(token);
    return token;
  };
  service = await environment.start({
    env: {
      GRPC_PORT: '0',
      PAYONCE_GRPC_TLS_CERT: at('server.pem'),
      PAYONCE_GRPC_TLS_KEY: at('server.key'),
      PAYONCE_GRPC_CLIENT_CA: at('authority.pem'),
      PAYONCE_GRPC_CLIENTS_FILE: at('clients.json'),
      PAYONCE_JWT_FILE: at('jwt.json'),
    },
  });
  address = service.grpc!;
});
afterAll(async () => {
  await environment?.close();
  rmSync(folder, { recursive: true, force: true });
});

function clientFor(apiKey: string | null, name: string | null): GrpcClient {
  const pair = name === null ? [] : [readFileSync(at(`${name}.key`)), readFileSync(at(`${name}.pem`))];
  return new GrpcClient(address, apiKey, credentials.createSsl(readFileSync(at('authority.pem')), ...pair));
}

async function codeFor(apiKey: string | null, name: string | null): Promise<string> {
  const client = clientFor(apiKey, name);
  const { code } = await client.call('Payments.Get', { id: randomUUID() }, { deadlineMs: 5_000 });
  client.close();
  return code;
}

it('takes a key with a certificate of its merchant, and with no other', async () => {
  expect(await codeFor(bound, 'checkout')).toBe('NOT_FOUND');
  expect(await codeFor(other, 'checkout')).toBe('UNAUTHENTICATED');
  expect(await codeFor(bound, 'unbound')).toBe('UNAUTHENTICATED');
});

it('takes a key that is bound to a certificate with one of its merchant alone, and never by REST', async () => {
  const created = async (merchant: string) => {
    const words = ['create', '--merchant', merchant, '--scopes', 'payments:read', '--needs-certificate'];
    const { id, key } = (await environment.command('api-keys', ...words)) as { id: string; key: string };
    environment.hide(key);
    return { id, key };
  };
  const { id, key } = await created(merchantId);
  const rotate = ['rotate', '--merchant', merchantId, '--id', id];
  const rotated = (await environment.command('api-keys', ...rotate)) as { key: string };
  environment.hide(rotated.key);
  for (const each of [key, rotated.key]) {
    expect(await codeFor(each, 'checkout')).toBe('NOT_FOUND');
    expect(await codeFor(each, 'unbound')).toBe('UNAUTHENTICATED');
    expect((await new ApiClient(() => service.url, each).get('/v1/payments')).status).toBe(401);
  }
  expect((await new ApiClient(() => service.url, bound).get('/v1/payments')).status).toBe(200);
  const inClear = await environment.start({ env: { GRPC_PORT: '0' } });
  for (const [each, code] of [
    [key, 'UNAUTHENTICATED'],
    [bound, 'NOT_FOUND'],
  ] as const) {
    const client = new GrpcClient(inClear.grpc!, each);
    const { code: answered } = await client.call('Payments.Get', { id: randomUUID() }, { deadlineMs: 5_000 });
    client.close();
    expect(answered).toBe(code);
  }
  await inClear.stop();
});

it('takes no connection without a certificate of the authority, nor one in clear', async () => {
  expect(await codeFor(bound, null)).toBe('UNAVAILABLE');
  expect(await codeFor(bound, 'forged')).toBe('UNAVAILABLE');
  const inClear = new GrpcClient(address, bound);
  expect((await inClear.call('Payments.List', {}, { deadlineMs: 5_000 })).code).toBe('UNAVAILABLE');
  inClear.close();
});

/** Lines of requests are written together, a moment after their answers. */
const logged = (caller: string) =>
  eventually(
    () => Promise.resolve(service.output().includes(`"api_key_id":"${caller}"`)),
    `a request of ${caller} is logged`,
  );

it('takes a certificate that is bound with scopes in the place of a key, for these alone', async () => {
  expect(await codeFor(null, 'worker')).toBe('NOT_FOUND');
  expect(await codeFor(null, 'checkout')).toBe('UNAUTHENTICATED');
  expect(await codeFor(null, 'unbound')).toBe('UNAUTHENTICATED');
  expect(await codeFor('po_live_wrong', 'worker')).toBe('UNAUTHENTICATED');
  const client = clientFor(null, 'worker');
  const refund = { payment_id: randomUUID() };
  expect((await client.call('Refunds.Create', refund, { key: randomUUID() })).code).toBe('PERMISSION_DENIED');
  client.close();
  await logged('service:spiffe://shop/worker');
});

it('takes a signed token in the place of a key, by REST and by gRPC, for its audience and scopes alone', async () => {
  const token = await tokenOf('checkout');
  expect(await codeFor(token, 'checkout')).toBe('NOT_FOUND');
  expect(await codeFor(await tokenOf('checkout', 'reports'), 'checkout')).toBe('UNAUTHENTICATED');
  expect(await codeFor(await tokenOf('stranger'), 'checkout')).toBe('UNAUTHENTICATED');
  const rest = new ApiClient(() => service.url, token);
  expect((await rest.get('/v1/payments')).status).toBe(200);
  expect((await rest.post(`/v1/payments/${randomUUID()}/refunds`, {}, randomUUID())).status).toBe(403);
  const wrong = new ApiClient(() => service.url, `${token.slice(0, -10)}AAAAAAAAAA`);
  expect((await wrong.get('/v1/payments')).status).toBe(401);
  await logged('service:checkout');
});
