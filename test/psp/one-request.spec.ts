import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import StripeSdk from 'stripe';
import { SystemClock } from '../../src/core/clock.js';
import { type Instruction } from '../../src/psp/contract.js';
import { PspDirectory } from '../../src/psp/psp-directory.js';
import { AdyenPsp } from '../../src/psp/adyen/adyen.psp.js';
import { StripePsp } from '../../src/psp/stripe/stripe.psp.js';
import { MAX_ANSWER_BYTES } from '../../src/psp/wire.js';

const charge: Instruction = {
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 1_000, currency: 'EUR' },
  token: 'pm_card_visa',
  reference: 'order-1',
};

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that does the same with every request, having read it whole, and counts them. */
async function serverOf(handle: Handle) {
  const requests: IncomingMessage['headers'][] = [];
  const server = http.createServer((request, response) => {
    request.resume().once('end', () => {
      requests.push(request.headers);
      handle(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, requests, close };
}

const makers = {
  stripe: (baseUrl: string, timeoutMs: number) =>
    new StripePsp({ baseUrl, timeoutMs, secretKey: 'sk_test_1', clock: new SystemClock() }),
  adyen: (baseUrl: string, timeoutMs: number) =>
    new AdyenPsp({ baseUrl, timeoutMs, apiKey: 'key', merchantAccount: 'M' }),
};

const huge = Buffer.alloc(MAX_ANSWER_BYTES + 1, ' ');
const handles: Record<string, Handle> = {
  'resets the connection': (request) => request.socket.resetAndDestroy(),
  'hangs up': (request) => request.socket.destroySoon(),
  'never answers': () => undefined,
  'stops in the middle': (request, response) => {
    response.writeHead(200, { 'content-length': 900 });
    response.write('{"id":', () => request.socket.destroySoon());
  },
  'answers 500': (_, response) => response.writeHead(500).end('{"error":{"type":"api_error"}}'),
  'answers 502 with a page': (_, response) => response.writeHead(502).end('<html>Bad Gateway</html>'),
  'answers 409': (_, response) =>
    response.writeHead(409).end('{"errorCode":"704","error":{"code":"idempotency_key_in_use"}}'),
  'answers 503 with the JSON of another server': (_, response) =>
    response.writeHead(503).end('{"id":"pi_1","status":"succeeded","resultCode":"Authorised"}'),
  'asks to retry': (_, response) =>
    response.writeHead(500, { 'stripe-should-retry': 'true' }).end('{"error":{"type":"api_error"}}'),
  redirects: (_, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  'answers 200 with a page': (_, response) => response.writeHead(200).end('<html>Welcome</html>'),
  'answers too much': (_, response) => response.writeHead(200).end(huge),
};

describe.each(Object.entries(makers))('one call of %s is one request', (name, make) => {
  it.each(Object.entries(handles))('when the PSP %s, and its outcome is unknown', async (_, handle) => {
    const server = await serverOf(handle);
    const adapter = make(server.url, 300);
    const directory = new PspDirectory([{ name, adapter, fingerprint: name, timeoutMs: 300 }], {
      clock: new SystemClock(),
      metrics: new Registry(),
    });
    try {
      expect((await directory.call(name, 'execute', charge)).outcome).toBe('unknown');
      // Long enough for the SDK's own delay before it would send again (500 ms at most).
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(server.requests).toHaveLength(1);
      expect(server.requests[0]?.['idempotency-key']).toBe('key-1');
      expect(server.requests[0]).not.toHaveProperty('x-payonce-call');
    } finally {
      await directory.close();
      server.close();
    }
  });
});

it.each(Object.entries(makers))('ends the request of %s when its time is over', async (name, make) => {
  let closed = () => {};
  const ended = new Promise<void>((resolve) => (closed = resolve));
  const server = await serverOf((request) => void request.socket.once('close', closed));
  const adapter = make(server.url, 100);
  const directory = new PspDirectory([{ name, adapter, fingerprint: name, timeoutMs: 100 }], {
    clock: new SystemClock(),
    metrics: new Registry(),
  });
  expect(await directory.call(name, 'execute', charge)).toMatchObject({
    outcome: 'unknown',
    pspCode: 'timeout',
  });
  await ended;
  await directory.close();
  server.close();
});

it("the SDK's own client does send twice, which is why it is not used", async () => {
  const server = await serverOf((request) => request.socket.resetAndDestroy());
  const { hostname, port } = new URL(server.url);
  const stripe = new StripeSdk('sk_test_1', {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  });
  await expect(stripe.paymentIntents.create({ amount: 1_000, currency: 'eur' })).rejects.toThrow();
  expect(server.requests).toHaveLength(2);
  server.close();
});
