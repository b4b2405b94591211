import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { onDatabase } from '../support/database.js';
import { ConsoleClient, newOperator, type OperatorCredentials } from '../support/console-client.js';
import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';

/** People who may do nothing, at the door of the console: what they take from those who may. */
let environment: TestEnvironment;
let operator: OperatorCredentials;
let merchant: string;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  operator = await newOperator(environment, 'ada', 'viewer');
  merchant = await environment.merchant();
});
afterAll(() => environment.close());

/** A sign-in whose body never comes, over a connection that is not closed from this side. */
class SlowSignIn {
  text = '';
  isCut = false;
  private readonly socket: Socket;

  constructor({ url }: Service) {
    const { hostname, port, host } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    // Once the other side has gone, what is sent meets a reset.
    this.socket.on('end', () => void this.drip());
    this.socket.on('error', () => (this.isCut = true));
    this.socket.write(
      `POST /ops/api/session HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${url}\r\nPayonce-Console: 1\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
  }

  close(): void {
    this.socket.destroy();
  }

  private async drip(): Promise<void> {
    while (!this.isCut && !this.socket.destroyed) {
      this.socket.write(' ');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

it('leaves a merchant and an operator undisturbed beside 1,100 sign-ins whose bodies do not come', async () => {
  const service = await environment.startProcess();
  const client = new ApiClient(() => service.url, merchant);
  const slow: SlowSignIn[] = [];
  try {
    while (slow.length < 1_100) slow.push(new SlowSignIn(service));
    for (let payment = 0; payment < 10; payment++) {
      const reply = await client.post('/v1/payments', orderOf({ reference: randomUUID() }), randomUUID());
      expect(paymentOf(reply).status).toBe('captured');
    }
    await ConsoleClient.signedIn(() => service.url, operator);
    await eventually(() => slow.every(({ isCut }) => isCut) || null, 'all are cut off');
    // A connection that takes no refusal within a second is cut without one: this process may be so late.
    const told = slow.filter(({ text }) => text !== '');
    expect(told.length).toBeGreaterThan(slow.length / 2);
    for (const { text } of told) expect(text).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
    expect((await client.get('/v1/payments?limit=1')).status).toBe(200);
  } finally {
    for (const each of slow) each.close();
    await service.stop();
  }
});

describe('sign-ins whose bodies are there', () => {
  let service: Service;
  beforeAll(async () => {
    service = await environment.start();
  });
  afterAll(() => service.stop());

  it('are not looked at once they were cut off', async () => {
    const link = 'y'.repeat(43);
    const body = JSON.stringify({ link });
    const { hostname, port, host } = new URL(service.url);
    const first = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let text = '';
    first.on('data', (chunk: Buffer) => (text += chunk.toString()));
    first.on('error', () => {});
    first.write(
      `POST /ops/api/session HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${service.url}\r\nPayonce-Console: 1\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 1)}`,
    );
    await eventually(() => text.includes(' 408 ') || null, 'it is cut off');
    const closed = new Promise((resolve) => first.once('close', resolve));
    first.write(body.slice(1));
    first.end();
    await closed;
    await new ConsoleClient(() => service.url).get('session');
    const route = '"route":"/ops/api/session"';
    await eventually(() => service.output().includes(`"method":"GET",${route}`) || null, 'it is logged');
    expect(service.output()).not.toContain(`"method":"POST",${route},"status":401`);
  });

  it('are as many as may be at once, and merchants have their own places', async () => {
    const answers: number[] = [];
    const ask = async () => {
      const { status } = await new ConsoleClient(() => service.url).post('session', { link: 'x'.repeat(43) });
      answers.push(status);
    };
    const asked = await onDatabase(environment.database.url, async (client) => {
      await client.query('BEGIN; LOCK TABLE sign_in_links');
      const all = Array.from({ length: 40 }, ask);
      await eventually(() => answers.length >= 24 || null, 'those that are too many are refused');
      expect(answers).toEqual(Array(24).fill(503));
      await client.query('ROLLBACK');
      return { all };
    });
    await Promise.all(asked.all);
    expect(answers.filter((status) => status === 401)).toHaveLength(16);
  });
});

it('shows the console at PAYONCE_OPS_PORT alone, and nothing else there', async () => {
  const service = await environment.start({ env: { PAYONCE_OPS_PORT: '0' } });
  const statusOf = async (url: string, path: string) => (await fetch(`${url}${path}`)).status;
  const { url, opsUrl } = service;
  expect(opsUrl).not.toBe(url);
  for (const [path, there, elsewhere] of [
    ['/ops/', 200, 404],
    ['/ops/api/session', 401, 404],
    ['/ops/api/approvals', 401, 404],
    ['/ops/api/nothing', 404, 404],
    ['/ops%2fapi/session', 404, 404],
    ['/health/live', 200, 200],
    ['/v1/payments', 404, 401],
    ['/docs', 404, 200],
    ['/metrics', 404, 200],
  ] as const) {
    expect([path, await statusOf(opsUrl, path), await statusOf(url, path)]).toEqual([path, there, elsewhere]);
  }
  const elsewhere = await new ConsoleClient(() => url).signIn(operator, 1);
  expect(elsewhere.status).toBe(404);
  const signedIn = await ConsoleClient.signedIn(() => opsUrl, operator, 1);
  expect((await signedIn.get('session')).body).toMatchObject({ name: 'ada', role: 'viewer' });
  await service.stop();
  await expect(statusOf(opsUrl, '/health/live')).rejects.toThrow('fetch failed');
});
