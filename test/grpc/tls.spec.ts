import { credentials } from '@grpc/grpc-js';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestEnvironment } from '../support/test-environment.js';
import { GrpcClient } from './grpc-client.js';

/** Mutual TLS with real certificates: who has which is known to openssl alone. */
const folder = mkdtempSync(join(tmpdir(), 'payonce-tls-'));
let environment: TestEnvironment;
let address: string;
let bound: string;
let other: string;

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
  certificate('forged', 'DNS:checkout.shop.internal', 'stranger');
  environment = await TestEnvironment.open();
  bound = await environment.merchant(['payments:read']);
  other = await environment.merchant(['payments:read']);
  const [{ merchant_id: merchantId }] = (await environment.sql<{ merchant_id: string }>(
    'SELECT merchant_id FROM api_keys ORDER BY created_at, id LIMIT 1',
  )) as [{ merchant_id: string }];
  writeFileSync(at('clients.json'), JSON.stringify({ 'spiffe://shop/checkout': merchantId }));
  const service = await environment.start({
    env: {
      GRPC_PORT: '0',
      PAYONCE_GRPC_TLS_CERT: at('server.pem'),
      PAYONCE_GRPC_TLS_KEY: at('server.key'),
      PAYONCE_GRPC_CLIENT_CA: at('authority.pem'),
      PAYONCE_GRPC_CLIENTS_FILE: at('clients.json'),
    },
  });
  address = /"grpc":"([^"]+)"/.exec(service.output())![1]!;
});
afterAll(async () => {
  await environment?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function codeFor(apiKey: string, name: string | null): Promise<string> {
  const pair = name === null ? [] : [readFileSync(at(`${name}.key`)), readFileSync(at(`${name}.pem`))];
  const client = new GrpcClient(
    address,
    apiKey,
    credentials.createSsl(readFileSync(at('authority.pem')), ...pair),
  );
  const { code } = await client.call('Payments.Get', { id: randomUUID() }, { deadlineMs: 5_000 });
  client.close();
  return code;
}

it('takes a key with a certificate of its merchant, and with no other', async () => {
  expect(await codeFor(bound, 'checkout')).toBe('NOT_FOUND');
  expect(await codeFor(other, 'checkout')).toBe('UNAUTHENTICATED');
  expect(await codeFor(bound, 'unbound')).toBe('UNAUTHENTICATED');
});

it('takes no connection without a certificate of the authority, nor one in clear', async () => {
  expect(await codeFor(bound, null)).toBe('UNAVAILABLE');
  expect(await codeFor(bound, 'forged')).toBe('UNAVAILABLE');
  const inClear = new GrpcClient(address, bound);
  expect((await inClear.call('Payments.List', {}, { deadlineMs: 5_000 })).code).toBe('UNAVAILABLE');
  inClear.close();
});
