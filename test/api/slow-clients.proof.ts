import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnNode } from '../support/process.js';
import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  type ServiceProcess,
  TestEnvironment,
} from '../support/test-environment.js';

/**
 * Clients that hold connections and send or read next to nothing, beside one who pays: payments and notifications go
 * on, memory stays bounded, and time limits close what is idle.
 */
const SECONDS = Number(process.env['SLOW_SECONDS'] ?? 3);
const SOCKETS = 5_000;
/** Of slowhttptest, in each of its ways at once. */
const CONNECTIONS = 400;
/** What such sockets may cost a process. */
const GROWTH_BYTES = 200_000_000;
/** Headers have 10 s, and Node looks every 5 s. */
const CLOSED_MS = 30_000;

let environment: TestEnvironment;
let service: ServiceProcess;
let client: ApiClient;

beforeAll(async () => {
  environment = await TestEnvironment.open({ timeoutMs: 2_000, lockTtlMs: 4_000 });
  service = await environment.startProcess();
  client = new ApiClient(() => service.url, await environment.merchant());
  environment.notify(service.url);
  await payingFor(500);
});
afterAll(() => environment.close());

/** Pays one after another, ten a second at most. Returns how long each took, in ms, the shortest first. */
async function payingFor(ms: number): Promise<number[]> {
  const tookMs: number[] = [];
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; await sleep(50)) {
    const startedMs = performance.now();
    const reply = await client.post('/v1/payments', orderOf({ reference: randomUUID() }), randomUUID());
    expect(paymentOf(reply).status).toBe('captured');
    tookMs.push(performance.now() - startedMs);
  }
  return tookMs.toSorted((a, b) => a - b);
}

/** Notifications of the payments since then have come through. */
async function areNotified(before: number): Promise<void> {
  await eventually(
    () => Promise.resolve(environment.notifications().delivered > before ? true : null),
    'a notification that is taken',
  );
}

function memoryBytes(): number {
  const [, kB] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))!;
  return Number(kB) * 1_024;
}

async function keepPaying(): Promise<void> {
  const { delivered } = environment.notifications();
  const tookMs = await payingFor(SECONDS * 1_000);
  // A payment waits for no slow client; two busy cores still take a moment.
  expect(tookMs[Math.floor(tookMs.length / 2)]).toBeLessThan(500);
  expect((await client.get('/v1/payments?limit=1')).status).toBe(200);
  await areNotified(delivered);
  process.stdout.write(
    `${tookMs.length} payments: p50 ${at(tookMs, 0.5)} ms, p99 ${at(tookMs, 0.99)} ms; ${Math.round(memoryBytes() / 1e6)} MB\n`,
  );
}

function at(sorted: readonly number[], share: number): string {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(0);
}

it(`answers a paying client beside ${SOCKETS} silent sockets, and closes them in time`, async () => {
  await payingFor(SECONDS * 1_000).then((tookMs) =>
    process.stdout.write(`alone: p50 ${at(tookMs, 0.5)} ms, p99 ${at(tookMs, 0.99)} ms\n`),
  );
  const before = memoryBytes();
  const sockets = spawnNode('test/support/idle-sockets.mjs', { args: [service.url, String(SOCKETS)] });
  const [, open] = await sockets.waitForLine(/^open (\d+)$/, 20_000);
  expect(Number(open)).toBe(SOCKETS);
  await keepPaying();
  expect(memoryBytes() - before).toBeLessThan(GROWTH_BYTES);
  if (SECONDS >= 10) await sockets.waitForLine(/^closed \d+$/, CLOSED_MS);
  sockets.kill('SIGKILL');
  await sockets.exit;
});

const isInstalled = spawnSync('slowhttptest', ['-h']).error === undefined;
const title = 'slowhttptest';
const describeSlow = isInstalled ? describe : describe.skip;

describeSlow(isInstalled ? title : `${title} (skipped: slowhttptest is not installed)`, () => {
  it('is not held up by slow headers, slow bodies and slow reading at once', async () => {
    const before = memoryBytes();
    const each = ['-c', CONNECTIONS, '-r', CONNECTIONS, '-i', 1, '-l', SECONDS + 1, '-p', 5, '-v', 0].map(
      String,
    );
    const attacks = [
      ['-H', '-u', `${service.url}/v1/payments`],
      ['-B', '-u', `${service.url}/v1/webhooks/stripe`, '-f', 'application/json'],
      ['-X', '-u', `${service.url}/docs/openapi.json`, '-w', '1', '-y', '8', '-n', '1', '-z', '8'],
    ].map((of) => spawn('slowhttptest', [...of, ...each], { stdio: 'ignore' }));
    await keepPaying();
    expect(memoryBytes() - before).toBeLessThan(GROWTH_BYTES);
    expect(await Promise.all(attacks.map(endOf))).not.toContain(null);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  });
});

function endOf(child: ChildProcess): Promise<number | null> {
  return child.exitCode === null
    ? new Promise((ended) => child.once('exit', ended))
    : Promise.resolve(child.exitCode);
}
