import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiClient,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type ServiceProcess,
  TestEnvironment,
} from '../support/test-environment.js';

/** The names of one merchant's endpoints do not resolve. The payments of another merchant do not notice. */
const ENDPOINTS = 16;
/** Of these so many are looked up at once; the others are refused. */
const LOOKED_UP = 4;
const PAYMENTS = 6;
/** Less than a DNS server is waited for (4.5 s). */
const BOUND_MS = 4_000;

let environment: TestEnvironment;
let service: ServiceProcess;
let dns: Socket;
let questions = 0;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'payonce-dns-'));
  const fifo = join(directory, 'silent');
  execFileSync('mkfifo', [fifo]);
  dns = createSocket('udp4').on('message', () => (questions += 1));
  dns.bind(0, '127.0.0.1');
  await once(dns, 'listening');
  // A connection to a PSP needs its name resolved, as it does outside of tests.
  environment = await TestEnvironment.open({ pspHost: 'localhost' });
  service = await environment.startProcess({
    preload: 'test/support/silent-dns.mjs',
    env: { SILENT_DNS: `127.0.0.1:${dns.address().port}`, SILENT_FIFO: fifo },
  });
});
afterAll(async () => {
  await environment.close();
  dns.close();
  rmSync(directory, { recursive: true, force: true });
});

it('payments are captured while names of another merchant wait for a DNS server', async () => {
  const [one, other] = await Promise.all([environment.merchant(), environment.merchant()]);
  const slow = new ApiClient(() => service.url, one);
  let waiting = ENDPOINTS;
  const creations = Array.from({ length: ENDPOINTS }, async (_, n) => {
    const url = `https://hooks-${n}.merchant.example/payonce`;
    const reply = await slow.post('/v1/webhook_endpoints', { url }, `endpoint-${n}`);
    waiting -= 1;
    return codeOf(reply);
  });
  await eventually(() => waiting === LOOKED_UP, 'only so many names are looked up');

  const client = new ApiClient(() => service.url, other);
  const inTime = { signal: AbortSignal.timeout(BOUND_MS) };
  const ends = await Promise.all(
    Array.from({ length: PAYMENTS }, async (_, n) => {
      const order = orderOf({ reference: `paid-${n}` });
      const reply = await client.post('/v1/payments', order, `paid-${n}`, inTime).catch(() => null);
      if (reply === null) return 'not answered in time';
      const { status, psp, routes } = paymentOf(reply);
      return `${status} at ${psp}, route ${routes.length}`;
    }),
  );
  expect(ends).toEqual(Array(PAYMENTS).fill('captured at stripe, route 1'));
  expect(waiting).toBe(LOOKED_UP);

  const codes = await Promise.all(creations);
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(ENDPOINTS - LOOKED_UP);
  expect(codes.filter((code) => code === 'webhook_target_refused')).toHaveLength(LOOKED_UP);
  expect(questions).toBeGreaterThanOrEqual(LOOKED_UP);
});
